/* JVMs as the instances of a source: by answers that are forged. */
#include "application/jvm_slots.h"

#include <errno.h>
#include <string.h>

#include "metric/field.h"
#include "sample/sample.h"

#include "tests/unit/said.h"
#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define BIT(field) (UINT32_C(1) << (field))
#define NOBODY 4000000000u /* a user without a name */
#define USER "4000000000/"

static struct jvm_slots slots;
static struct sampler *sampler;
static struct jvm_message answer[8];
static size_t n_answers;

static int provide(void *context, struct source *source, uint64_t now_ns)
{
    jvm_slots_begin(context);
    for (size_t i = 0; i < n_answers; i++)
        jvm_slots_take(context, &answer[i]);
    return jvm_slots_fill(context, source, now_ns);
}

static int open_scene(void **state)
{
    (void)state;
    n_answers = 0;
    jvm_slots_open(&slots, "/nonexistent");
    sampler = sampler_new("/nonexistent");
    sampler_provide(sampler, SOURCE_JVM, provide, &slots);
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    sampler_free(sampler);
    jvm_slots_close(&slots);
    return 0;
}

static struct jvm *add(pid_t pid, uint64_t started)
{
    struct jvm_message *is = &answer[n_answers++];
    *is = (struct jvm_message){.kind = JVM_FOUND};
    struct jvm *jvm = &is->found;
    *jvm = (struct jvm){.pid = pid,
                        .owner = NOBODY,
                        .started = started,
                        .cpu_us = 30,
                        .cpu_user_us = 10,
                        .cpu_system_us = 20};
    struct jvm_profile *profile = &jvm->profile;
    strcpy(profile->name, "Orders");
    profile->known = BIT(JVM_VALUES) - 1;
    for (unsigned i = 0; i < JVM_VALUES; i++)
        profile->value[i] = 100 + i;
    profile->n_collectors = 1;
    profile->collector[0] =
        (struct jvm_collector){.has_count = true, .has_time = true, .count = 5, .time_ns = 6};
    strcpy(profile->collector[0].name, "G1 young collection pauses");
    return jvm;
}

static void blame(uid_t owner, enum owner_problem problem, const char *why)
{
    struct jvm_message *is = &answer[n_answers++];
    *is = (struct jvm_message){.kind = JVM_TROUBLE, .trouble = {owner, problem, ""}};
    strcpy(is->trouble.why, why);
}

static void pass(uint64_t now_ns)
{
    assert_int_equal(sampler_read(sampler, SOURCE_JVM, now_ns), 0);
}

static const struct sample_slot *slot(const char *name)
{
    const struct sample_set *set = sampler_set(sampler, SOURCE_JVM);
    for (size_t i = 0; i < set->count; i++)
        if (set->slots[i].present && strcmp(set->slots[i].name, name) == 0)
            return &set->slots[i];
    return NULL;
}

static size_t present(void)
{
    const struct sample_set *set = sampler_set(sampler, SOURCE_JVM);
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++)
        n += set->slots[i].present;
    return n;
}

static void one(void **state)
{
    (void)state;
    add(7, 70);
    pass(S);
    assert_int_equal(present(), 2);
    const struct sample_slot *is = slot(USER "Orders");
    assert_non_null(is);
    assert_int_equal(is->class, RESOURCE_JVM);
    assert_int_equal(is->valid, BIT(JVM_GC_COUNT) - 1);
    assert_int_equal(is->lacks, BIT(JVM_GC_COUNT) | BIT(JVM_GC_TIME));
    for (unsigned i = 0; i < JVM_VALUES; i++)
        assert_int_equal(is->field[i], 100 + i);
    assert_int_equal(is->field[JVM_CPU], 30);
    assert_int_equal(is->field[JVM_CPU_USER], 10);
    assert_int_equal(is->field[JVM_CPU_SYSTEM], 20);
    is = slot(USER "Orders:G1 young");
    assert_non_null(is);
    assert_int_equal(is->class, RESOURCE_JVM_COLLECTOR);
    assert_int_equal(is->valid, BIT(JVM_GC_COUNT) | BIT(JVM_GC_TIME));
    assert_int_equal(is->lacks & (BIT(JVM_FIELDS) - 1), BIT(JVM_GC_COUNT) - 1);
    assert_int_equal(is->field[JVM_GC_COUNT], 5);
    assert_int_equal(is->field[JVM_GC_TIME], 6);
    n_answers = 0;
    pass(2 * S);
    assert_int_equal(present(), 0);
}

/* What is not known is not valid, whatever number stands there. */
static void not_known(void **state)
{
    (void)state;
    struct jvm *jvm = add(7, 70);
    jvm->profile.known = BIT(JVM_THREADS);
    jvm->profile.collector[0].has_time = false;
    pass(S);
    assert_int_equal(slot(USER "Orders")->valid,
                     BIT(JVM_THREADS) | BIT(JVM_CPU) | BIT(JVM_CPU_USER) | BIT(JVM_CPU_SYSTEM));
    assert_int_equal(slot(USER "Orders:G1 young")->valid, BIT(JVM_GC_COUNT));
}

static void only_what_is_wanted(void **state)
{
    (void)state;
    const char *const pattern = "*:*";
    add(7, 70);
    pass(S);
    assert_int_equal(sampler_select(sampler, SOURCE_JVM, &pattern, 1, BIT(JVM_GC_TIME)), 0);
    pass(2 * S);
    assert_int_equal(slot(USER "Orders")->valid, 0);
    assert_int_equal(slot(USER "Orders:G1 young")->valid, BIT(JVM_GC_TIME));
}

/* The same name is another instance when another process has it, even of the same pid. */
static void who_it_is(void **state)
{
    (void)state;
    add(7, 70);
    add(8, 80);
    pass(S);
    assert_int_equal(present(), 4);
    assert_non_null(slot(USER "Orders/8"));
    assert_non_null(slot(USER "Orders/8:G1 young"));
    uint32_t was = slot(USER "Orders")->incarnation;
    pass(2 * S);
    assert_int_equal(slot(USER "Orders")->incarnation, was);
    answer[0] = answer[1]; /* the oldest ends, and the next one has its name */
    n_answers = 1;
    pass(3 * S);
    assert_int_equal(present(), 2);
    assert_int_not_equal(slot(USER "Orders")->incarnation, was);
    was = slot(USER "Orders")->incarnation;
    answer[0].found.started++;
    pass(4 * S);
    assert_int_not_equal(slot(USER "Orders")->incarnation, was);
}

static void told_once(void **state)
{
    (void)state;
    said_begin();
    blame(NOBODY, OWNER_UNSUITABLE, "process 7: /tmp/x is no regular file");
    blame(NOBODY, OWNER_UNSUITABLE, "process 8: /tmp/y is no regular file");
    blame(NOBODY, OWNER_NEWER, "process 9: of version 3");
    blame(NOBODY - 1, OWNER_NEWER, "process 10: of version 4");
    add(7, 70);
    pass(100 * S);
    assert_int_equal(present(), 2); /* the others are not harmed */
    assert_string_equal(
        said_now(),
        "warning jvm: user 4000000000: process 7: /tmp/x is no regular file; more of the like is "
        "not told\n"
        "warning jvm: user 4000000000: process 9: of version 3; more of the like is not told\n"
        "warning jvm: user 3999999999: process 10: of version 4; more of the like is not told\n");
    pass(101 * S);
    assert_string_equal(said_now(), "");
    n_answers = 0;
    pass(102 * S);
    pass(101 * S + OWNER_QUIET_NS - 1);
    assert_string_equal(said_now(), "");
    pass(101 * S + OWNER_QUIET_NS);
    assert_string_equal(
        said_now(),
        "info jvm: user 4000000000 has no performance data of a JVM in what is no file for that "
        "any more\n"
        "info jvm: user 4000000000 has no performance data of a JVM in a version that is not known "
        "any more\n"
        "info jvm: user 3999999999 has no performance data of a JVM in a version that is not known "
        "any more\n");
    assert_null(slots.owners);
    said_end();
}

static void others_are_not_seen(void **state)
{
    (void)state;
    said_begin();
    struct jvm_message *end = &answer[n_answers++];
    *end = (struct jvm_message){.kind = JVM_END, .end = {true, 5}};
    pass(S);
    end->end = (struct jvm_end){false, 0};
    pass(2 * S);
    assert_string_equal(said_now(), "");
    end->end.unseen = 1;
    pass(3 * S);
    assert_string_equal(said_now(), "info jvm: JVMs of other users are not seen: dcamp-jvm has not "
                                    "the capabilities CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH, "
                                    "which dcamp-jvm.socket gives it\n");
    pass(4 * S);
    assert_string_equal(said_now(), "");
    said_end();
}

/* Each allocation of a pass fails once: it is said, or made up for, and the next pass is whole. */
static void without_memory(void **state)
{
    (void)state;
    said_begin();
    for (size_t nth = 1, more = 1; more; nth++) {
        open_scene(NULL);
        add(7, 70);
        add(8, 80);
        blame(NOBODY, OWNER_NEWER, "process 9: of version 3");
        scarce_fail(nth);
        int error = sampler_read(sampler, SOURCE_JVM, S);
        more = scarce_stop();
        assert_true(error == 0 || error == ENOMEM);
        pass(2 * S);
        assert_int_equal(present(), 4);
        assert_non_null(slot(USER "Orders/8"));
        close_scene(NULL);
    }
    said_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(not_known, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(only_what_is_wanted, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(who_it_is, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(told_once, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(others_are_not_seen, open_scene, close_scene),
        cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
