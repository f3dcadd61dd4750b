/* Applications as the instances of a source: what they are called, which fields they have, and
 * which instance is another one. By segments that are forged. */
#include "application/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "application/program.h"
#include "metric/field.h"
#include "sample/sample.h"

#include "tests/unit/forged.h"
#include "tests/unit/heap.h"
#include "tests/unit/said.h"
#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define BIT(field) (UINT32_C(1) << (field))
#define NOBODY 4000000000u /* a user without a name */

static struct segment *segment;
static struct applications applications;
static struct owner *owners;
static struct application_slots slots;
static struct sampler *sampler;
static char why[SEGMENT_WHY_SIZE];

/* What the source shows: these, or others for a pass. */
static const struct applications *shown = &applications;

static int provide(void *context, struct source *source, uint64_t now_ns)
{
    (void)now_ns;
    slots_fill(context, shown, source);
    return 0;
}

static void open_sampler(void)
{
    slots = (struct application_slots){.hidden = 0};
    sampler = sampler_new("/nonexistent");
    if (sampler)
        sampler_provide(sampler, SOURCE_APPLICATION, provide, &slots);
}

static void close_sampler(void)
{
    slots_release(&slots);
    sampler_free(sampler);
}

static int open_scene(void **state)
{
    (void)state;
    segment = segment_new();
    open_sampler();
    applications_begin(&applications, S);
    return !segment || !sampler;
}

static int close_scene(void **state)
{
    (void)state;
    applications_release(&applications);
    while (owners)
        owner_free(&owners, owners);
    close_sampler();
    segment_free(segment);
    return 0;
}

/* -- A scene ----------------------------------------------------------------------------------- */

static struct program *begin_as(const struct forged *forged, uid_t uid)
{
    if (forged_open(forged, segment, why) != SEGMENT_SOUND)
        fail_msg("%s", why);
    struct program *program = program_new(&applications, owner_get(&owners, uid), segment, false);
    assert_non_null(program);
    return program;
}

static void take(struct program *program, const struct forged *forged)
{
    forged_open(forged, segment, why);
    assert_int_equal(program_read(program, &applications, segment, 0, true, NULL), PROGRAM_TAKEN);
}

static void next_pass(uint64_t seconds)
{
    applications_begin(&applications, applications.now_ns + seconds * S);
}

static const struct sample_set *sample(void)
{
    applications_end(&applications);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, applications.now_ns), 0);
    return sampler_set(sampler, SOURCE_APPLICATION);
}

/* A pass that finds others. */
static void empty_pass(const struct applications *others)
{
    shown = others;
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, others->now_ns), 0);
    shown = &applications;
}

static const struct sample_slot *slot(const char *name)
{
    const struct sample_set *set = sampler_set(sampler, SOURCE_APPLICATION);
    for (size_t i = 0; i < set->count; i++)
        if (set->slots[i].present && strcmp(set->slots[i].name, name) == 0)
            return &set->slots[i];
    return NULL;
}

static size_t present(void)
{
    const struct sample_set *set = sampler_set(sampler, SOURCE_APPLICATION);
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++)
        n += set->slots[i].present;
    return n;
}

static double real(const struct sample_slot *slot, unsigned field)
{
    double value;
    memcpy(&value, &slot->field[field], sizeof value);
    return value;
}

/* -- Fields ------------------------------------------------------------------------------------ */

struct kind {
    enum segment_kind kind;
    const char *unit;
    uint32_t fields, united;
    uint64_t value[APPLICATION_FIELDS];
    uint32_t computed;
};

#define OF_EVENTS (BIT(APPLICATION_CV2) | BIT(APPLICATION_DISTANCE) | BIT(APPLICATION_POISSON))
#define OF_STEPS (BIT(APPLICATION_RUNTIME) | BIT(APPLICATION_THROUGHPUT) | BIT(APPLICATION_LOAD))
#define OF_LOCKS (BIT(APPLICATION_CONTENTION) | BIT(APPLICATION_CONTENDED) | BIT(APPLICATION_HELD))

/* Word w of a sensor is 100 + w. */
static const struct kind kinds[] = {
    {SEGMENT_COUNTER,
     "x",
     BIT(APPLICATION_COUNT),
     BIT(APPLICATION_COUNT),
     {[APPLICATION_COUNT] = 100},
     0},
    {SEGMENT_TIMER,
     "s",
     BIT(APPLICATION_COUNT) | BIT(APPLICATION_TIME),
     0,
     {[APPLICATION_COUNT] = 100, [APPLICATION_TIME] = 101},
     OF_EVENTS},
    {SEGMENT_TOP,
     "x",
     BIT(APPLICATION_COUNT),
     BIT(APPLICATION_COUNT),
     {[APPLICATION_COUNT] = 100},
     0},
    {SEGMENT_STEP,
     "s",
     BIT(APPLICATION_COUNT) | BIT(APPLICATION_TIME) | BIT(APPLICATION_BEGUN) |
         BIT(APPLICATION_FAILED) | BIT(APPLICATION_RECORDS),
     0,
     {[APPLICATION_BEGUN] = 100,
      [APPLICATION_COUNT] = 101,
      [APPLICATION_TIME] = 102,
      [APPLICATION_FAILED] = 103},
     OF_STEPS},
};

static void kinds_have_their_fields(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    for (size_t i = 0; i < N_OF(kinds); i++) {
        const struct segment_descriptor *is = forged_sensor(
            forged, kinds[i].kind, "sensor", (const char[]){(char)('a' + i), 0}, kinds[i].unit);
        for (unsigned word = 0; word < segment_form(kinds[i].kind).words; word++)
            *forged_word(forged, is, 2, word) = 100 + word;
        ((struct segment_descriptor *)is)->name[0] = (char)('a' + i);
    }
    struct program *program = begin_as(forged, NOBODY);
    take(program, forged);
    sample();
    for (size_t i = 0; i < N_OF(kinds); i++) {
        char name[64];
        snprintf(name, sizeof name, "4000000000/shop:%censor:%c", (char)('a' + i), (char)('a' + i));
        const struct sample_slot *is = slot(name);
        assert_non_null(is);
        assert_int_equal(is->class, RESOURCE_APPLICATION_SENSOR);
        assert_int_equal(is->valid, kinds[i].fields);
        assert_int_equal(is->united, kinds[i].united);
        assert_string_equal(is->unit, kinds[i].unit);
        for (unsigned field = APPLICATION_COUNT; field < APPLICATION_FIELDS; field++) {
            assert_int_equal(is->lacks >> field & 1,
                             !((kinds[i].fields | kinds[i].computed) >> field & 1));
            assert_int_equal(is->field[field], kinds[i].value[field]);
        }
        assert_null(is->events);
        assert_int_equal(is->computed != NULL, kinds[i].computed != 0);
    }
    program_free(program, &applications);
    forged_free(forged);
}

/* It is shown where somebody wants to know how contended it is. */
static void a_lock(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum segment_kind kind;
        uint64_t word[2];
    } parts[] = {{"stock.arrivals", SEGMENT_COUNTER, {10}},
                 {"stock.waits", SEGMENT_COUNTER, {4}},
                 {"stock.failures", SEGMENT_COUNTER, {1}},
                 {"stock.hold", SEGMENT_TIMER, {9, 9000}}};
    struct forged *forged = forged_new("shop");
    for (size_t i = 0; i < N_OF(parts); i++) {
        const struct segment_descriptor *is =
            forged_sensor(forged, parts[i].kind, parts[i].name, "north",
                          parts[i].kind == SEGMENT_TIMER ? "s" : "x");
        for (unsigned word = 0; word <= (parts[i].kind == SEGMENT_TIMER); word++)
            *forged_word(forged, is, 1, word) = parts[i].word[word];
    }
    struct program *program = begin_as(forged, NOBODY);
    take(program, forged);
    const char *all = "*";
    sampler_select(sampler, SOURCE_APPLICATION, &all, 1, BIT(APPLICATION_COUNT));
    sample();
    assert_null(slot("4000000000/shop:stock:north"));
    sampler_select(sampler, SOURCE_APPLICATION, &all, 1, BIT(APPLICATION_CONTENTION));
    sample();
    const struct sample_slot *is = slot("4000000000/shop:stock:north");
    assert_non_null(is);
    assert_int_equal(is->lacks & OF_LOCKS, 0);
    assert_true(is->lacks >> APPLICATION_COUNT & 1);
    assert_non_null(is->computed);
    assert_int_equal(is->field[APPLICATION_LOCK_ARRIVALS], 10);
    assert_int_equal(is->field[APPLICATION_LOCK_WAITS], 4);
    assert_int_equal(is->field[APPLICATION_LOCK_FAILURES], 1);
    assert_int_equal(is->field[APPLICATION_LOCK_HOLDS], 9);
    assert_int_equal(is->field[APPLICATION_LOCK_HELD], 9000);
    program_free(program, &applications);
    forged_free(forged);
}

static void doubles(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *gauge = forged_sensor(forged, SEGMENT_GAUGE, "g", "", "kg");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_HISTOGRAM, "h", "", "m");
    struct program *program = begin_as(forged, NOBODY);
    forged_real(forged, gauge, 0, 0, -2.5);
    forged_real(forged, is, 1, SEGMENT_HISTOGRAM_SUM, 20.5);
    *forged_word(forged, is, 1, SEGMENT_HISTOGRAM_COUNT) = 2;
    *forged_bucket(forged, is, 1, false, histogram_index(10.25)) = 2;
    take(program, forged);
    sample();
    const struct sample_slot *g = slot("4000000000/shop:g"), *h = slot("4000000000/shop:h");
    assert_int_equal(g->valid, BIT(APPLICATION_VALUE));
    assert_true(real(g, APPLICATION_VALUE) == -2.5);
    assert_string_equal(g->unit, "kg");
    assert_int_equal(h->valid, BIT(APPLICATION_COUNT) | BIT(APPLICATION_SUM));
    assert_int_equal(h->united, BIT(APPLICATION_SUM));
    assert_true(real(h, APPLICATION_SUM) == 20.5 && h->field[APPLICATION_COUNT] == 2);
    assert_non_null(h->events);
    assert_int_equal(h->events->count, 2);
    assert_true(h->events_mean == 10.25);
    next_pass(1);
    forged_real(forged, gauge, 0, 0, INFINITY);
    take(program, forged);
    sample();
    assert_int_equal(slot("4000000000/shop:g")->valid, 0);
    assert_null(slot("4000000000/shop:h")->events);
    program_free(program, &applications);
    sample();
    assert_int_equal(slot("4000000000/shop:g")->valid, 0); /* the total of the other stays */
    assert_true(real(slot("4000000000/shop:h"), APPLICATION_SUM) == 20.5);
    forged_free(forged);
}

/* A pass gives the keys of tops only if it has read them. */
static void tops_have_their_keys(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *top = forged_sensor(forged, SEGMENT_TOP, "hot", "", "hits");
    forged_sensor(forged, SEGMENT_COUNTER, "cold", "", "hits");
    forged_entry(forged, top, 0, 0, "soup", 5);
    struct program *program = begin_as(forged, NOBODY);
    take(program, forged);
    sample();
    assert_true(slot("4000000000/shop:hot")->is_top);
    assert_false(slot("4000000000/shop:cold")->is_top);
    assert_null(slot("4000000000/shop:hot")->keys);
    next_pass(1);
    slots.wanted = PROGRAM_TOPS;
    forged_open(forged, segment, why);
    assert_int_equal(program_read(program, &applications, segment, PROGRAM_TOPS, true, NULL),
                     PROGRAM_TAKEN);
    sample();
    const struct sample_slot *is = slot("4000000000/shop:hot");
    struct top_keys keys = {0};
    assert_non_null(is->keys);
    assert_int_equal(is->keys(is->keys_of, &keys), 0);
    assert_int_equal(keys.size, 1);
    assert_string_equal(keys.key->octets, "soup");
    assert_int_equal(keys.key->count, 5);
    keys_release(&keys);
    assert_null(slot("4000000000/shop:cold")->keys);
    assert_false(slot("4000000000/shop")->is_top);
    program_free(program, &applications);
    forged_free(forged);
}

static void applications_have_their_fields(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    struct program *program[3];
    for (unsigned i = 0; i < 3; i++) {
        forged->header->pid = i;
        forged->header->refused = i;
        program[i] = begin_as(forged, NOBODY);
        take(program[i], forged);
    }
    program_free(program[2], &applications);
    sample();
    const struct sample_slot *is = slot("4000000000/shop");
    assert_int_equal(is->class, RESOURCE_APPLICATION);
    assert_int_equal(is->field[APPLICATION_PROCESSES], 2);
    assert_int_equal(is->field[APPLICATION_STARTED], 3);
    assert_int_equal(is->field[APPLICATION_REFUSED], 3);
    assert_int_equal(is->field[APPLICATION_LOST], 0);
    assert_int_equal(is->valid, BIT(APPLICATION_COUNT) - 1);
    program_free(program[0], &applications);
    program_free(program[1], &applications);
    forged_free(forged);
}

/* -- Names ------------------------------------------------------------------------------------- */

static void names(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_COUNTER, "n", "", "");
    forged_sensor(forged, SEGMENT_COUNTER, "n", "a:b c/d", "");
    struct program *root = begin_as(forged, 0), *other = begin_as(forged, NOBODY);
    take(root, forged);
    take(other, forged);
    sample();
    assert_int_equal(present(), 6);
    assert_non_null(slot("root/shop"));
    assert_non_null(slot("root/shop:n"));
    assert_non_null(slot("root/shop:n:a:b c/d"));
    assert_non_null(slot("4000000000/shop:n:a:b c/d"));
    assert_int_equal(slots.hidden, 0);
    program_free(root, &applications);
    program_free(other, &applications);
    forged_free(forged);
}

/* Since it was asked last. */
static unsigned times_told(void)
{
    unsigned n = 0;
    for (const char *at = said_now();
         (at = strstr(at, "warning application: 2 applications and sensors")); at++)
        n++;
    return n;
}

/* 64 octets are shown, one more is not; that is told once, and again when it had been gone for a
 * minute. */
static void long_names(void **state)
{
    (void)state;
    char instance[SEGMENT_INSTANCE + 1] = "";
    struct forged *forged = forged_new("shop");
    memset(instance, 'i', 64 - strlen("root/shop:n:"));
    forged_sensor(forged, SEGMENT_COUNTER, "n", instance, "");
    struct program *program = begin_as(forged, 0);
    said_begin();
    take(program, forged);
    sample();
    assert_int_equal(present(), 2);
    assert_int_equal(slots.hidden, 0);
    assert_string_equal(said_now(), "");
    memset(instance, 'i', SEGMENT_INSTANCE);
    forged_sensor(forged, SEGMENT_COUNTER, "n", instance, "");
    forged_sensor(forged, SEGMENT_COUNTER, "m", instance, "");
    for (unsigned pass = 0; pass < 3; pass++) {
        next_pass(1);
        take(program, forged);
        sample();
        assert_int_equal(present(), 2);
        assert_int_equal(slots.hidden, 2);
    }
    assert_int_equal(times_told(), 1);
    static const struct {
        uint64_t seconds;
        unsigned told;
    } gone[] = {{1, 0}, {59, 0}, {60, 1}};
    for (size_t i = 0; i < N_OF(gone); i++) {
        struct applications none = {.now_ns = applications.now_ns + gone[i].seconds * S};
        next_pass(gone[i].seconds + 1);
        empty_pass(&none);
        take(program, forged);
        sample();
        assert_int_equal(slots.hidden, 2);
        assert_int_equal(times_told(), gone[i].told);
    }
    said_end();
    program_free(program, &applications);
    forged_free(forged);
}

/* -- Which instance is another one ------------------------------------------------------------- */

static void what_is_forgotten_and_comes_again(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin_as(forged, 0);
    take(program, forged);
    sample();
    uint32_t incarnation = slot("root/shop:n")->incarnation;
    next_pass(1);
    take(program, forged);
    uint64_t membership = sample()->membership;
    assert_int_equal(slot("root/shop:n")->incarnation, incarnation);
    program_free(program, &applications);
    next_pass(APPLICATION_EMPTY_NS / S - 1);
    assert_int_equal(sample()->membership, membership);
    assert_int_equal(slot("root/shop")->field[APPLICATION_PROCESSES], 0);
    /* In the pass that forgets it, it comes again, and is of another kind. */
    forged_free(forged);
    forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_GAUGE, "n", "", "y");
    next_pass(2);
    program = begin_as(forged, 0);
    take(program, forged);
    assert_true(sample()->membership > membership);
    assert_int_equal(slot("root/shop:n")->incarnation, incarnation + 1);
    assert_string_equal(slot("root/shop:n")->unit, "y");
    assert_true(slot("root/shop:n")->lacks >> APPLICATION_COUNT & 1);
    program_free(program, &applications);
    next_pass(APPLICATION_EMPTY_NS / S);
    sample();
    assert_int_equal(present(), 0);
    forged_free(forged);
}

/* What nobody wants stays without values, and without events. */
static void what_is_wanted(void **state)
{
    (void)state;
    const char *const patterns[] = {"*/shop:t*", "*/shop:x"};
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *t = forged_sensor(forged, SEGMENT_TIMER, "t", "1", "s");
    const struct segment_descriptor *u = forged_sensor(forged, SEGMENT_TIMER, "u", "", "s");
    struct program *program = begin_as(forged, 0);
    *forged_bucket(forged, t, 1, false, 1) = *forged_bucket(forged, u, 1, false, 1) = 1;
    take(program, forged);
    sample();
    assert_non_null(slot("root/shop:u")->events);
    assert_int_equal(sampler_select(sampler, SOURCE_APPLICATION, patterns, 2,
                                    BIT(APPLICATION_TIME) | BIT(APPLICATION_COUNT)),
                     0);
    sample();
    assert_int_equal(present(), 3);
    assert_int_equal(slot("root/shop")->valid, 0);
    assert_int_equal(slot("root/shop:u")->valid, 0);
    assert_null(slot("root/shop:u")->events);
    assert_int_equal(slot("root/shop:t:1")->valid, BIT(APPLICATION_TIME) | BIT(APPLICATION_COUNT));
    assert_non_null(slot("root/shop:t:1")->events);
    assert_int_equal(
        sampler_select(sampler, SOURCE_APPLICATION, patterns, 2, BIT(APPLICATION_TIME)), 0);
    sample();
    assert_int_equal(slot("root/shop:t:1")->valid, BIT(APPLICATION_TIME));
    program_free(program, &applications);
    forged_free(forged);
}

/* Without memory there is an error and nothing that is wrong; with it, all is there. */
static void without_memory(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    for (unsigned i = 0; i < 20; i++) {
        const char name[] = {(char)('a' + i), 0};
        *forged_word(forged, forged_sensor(forged, SEGMENT_COUNTER, name, "", "x"), 1, 0) = i;
    }
    struct program *program = begin_as(forged, NOBODY);
    take(program, forged);
    applications_end(&applications);
    bool failed = true;
    size_t errors = 0;
    for (size_t nth = 1; failed; nth++) {
        close_sampler();
        scarce_fail(nth);
        open_sampler();
        int error = sampler ? sampler_read(sampler, SOURCE_APPLICATION, S) : ENOMEM;
        failed = scarce_stop();
        assert_int_equal(error, failed ? ENOMEM : 0);
        errors += failed;
        if (!sampler)
            open_sampler();
        assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 2 * S), 0);
        assert_int_equal(present(), 21);
        assert_int_equal(slot("4000000000/shop:t")->field[APPLICATION_COUNT], 19);
    }
    assert_true(errors > 20);
    program_free(program, &applications);
    forged_free(forged);
}

static void play(void)
{
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    open_scene(NULL);
    struct program *program = begin_as(forged, NOBODY);
    take(program, forged);
    sample();
    program_free(program, &applications);
    close_scene(NULL);
    forged_free(forged);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

/* -- With a directory -------------------------------------------------------------------------- */

/* Two passes over a directory that is not there, then is, and has one program. */
static void a_directory(void **state)
{
    (void)state;
    char path[] = "/tmp/dcamp-test-XXXXXX", apps[64], file[96];
    assert_non_null(mkdtemp(path));
    snprintf(apps, sizeof apps, "%s/apps", path);
    snprintf(file, sizeof file, "%s/1.1", apps);
    slots.directory = directory_new(apps);
    sampler_provide(sampler, SOURCE_APPLICATION, slots_read, &slots);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, S), ENOENT);
    assert_int_equal(mkdir(apps, 0700), 0);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 2 * S), 0);
    assert_int_equal(present(), 0);
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    *forged_bucket(forged, is, 1, false, 1) = 3;
    *forged_word(forged, is, 1, SEGMENT_TIMER_COUNT) = 3;
    *forged_word(forged, is, 1, SEGMENT_TIMER_NANOSECONDS) = 3030000000;
    int fd = forged_publish(forged, file, true);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 3 * S), 0);
    const struct sample_set *set = sampler_set(sampler, SOURCE_APPLICATION);
    assert_int_equal(set->count, 2);
    assert_int_equal(set->slots[1].field[APPLICATION_TIME], 3030000000);
    assert_true(fabs(set->slots[1].events_mean - 1.01) < 1e-12);
    close(fd);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 4 * S), 0);
    assert_int_equal(access(file, F_OK), -1);
    assert_int_equal(set->slots[0].field[APPLICATION_PROCESSES], 0);
    assert_int_equal(set->slots[1].field[APPLICATION_COUNT], 3);
    assert_int_equal(rmdir(apps), 0);
    assert_int_equal(sampler_read(sampler, SOURCE_APPLICATION, 5 * S), ENOENT);
    assert_int_equal(rmdir(path), 0);
    forged_free(forged);
    directory_free(slots.directory);
}

#define scene_test(f) cmocka_unit_test_setup_teardown(f, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(kinds_have_their_fields),
        scene_test(a_lock),
        scene_test(doubles),
        scene_test(tops_have_their_keys),
        scene_test(applications_have_their_fields),
        scene_test(names),
        scene_test(long_names),
        scene_test(what_is_forgotten_and_comes_again),
        scene_test(what_is_wanted),
        scene_test(without_memory),
        cmocka_unit_test(all_is_given_back),
        scene_test(a_directory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
