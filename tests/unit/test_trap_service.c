#include <stdio.h>
#include <string.h>

#include "trapd-handlers/service.h"

#include "traps.h"
#include "unit.h"

enum { CLEAR = 1, INFO, WARNING, CRITICAL };
enum { RAISED = 1, CLEARED, CHANGED = 5, REPEATED, FLAPPING };

/* What happens to the alarms of one service, and what it says then. */
struct step {
    const char *instance;
    uint32_t happened, severity;
    enum service_state state;
    enum service_telling telling;
    const char *also; /* NULL: the message says it all */
};

static const struct step steps[] = {
    {"/", RAISED, CRITICAL, SERVICE_CRITICAL, TELL_NEWS, NULL},
    {"/var", RAISED, CRITICAL, SERVICE_CRITICAL, TELL_NEWS, "2 active: disk /, disk /var"},
    {"/", REPEATED, CRITICAL, SERVICE_CRITICAL, TELL_AGAIN, "2 active: disk /, disk /var"},
    {"/", CLEARED, CLEAR, SERVICE_CRITICAL, TELL_STATE, "1 active: disk /var, over: disk /"},
    {"/tmp", RAISED, WARNING, SERVICE_CRITICAL, TELL_NEWS, "2 active: disk /var, disk /tmp"},
    {"/tmp", CHANGED, CRITICAL, SERVICE_CRITICAL, TELL_NEWS, "2 active: disk /var, disk /tmp"},
    {"/tmp", CHANGED, WARNING, SERVICE_CRITICAL, TELL_STATE, "2 active: disk /var, disk /tmp"},
    {"/var", CLEARED, CLEAR, SERVICE_WARNING, TELL_STATE, "1 active: disk /tmp, over: disk /var"},
    {"/tmp", FLAPPING, WARNING, SERVICE_WARNING, TELL_NEWS, NULL},
    {"/opt", RAISED, INFO, SERVICE_WARNING, TELL_STATE, "2 active: disk /tmp, disk /opt"},
    {"/tmp", CLEARED, CLEAR, SERVICE_OK, TELL_STATE, "1 active: disk /opt, over: disk /tmp"},
    {"/opt", CLEARED, CLEAR, SERVICE_OK, TELL_STATE, NULL},
    {"/opt", CLEARED, CLEAR, SERVICE_OK, TELL_STATE, NULL},
    {"/opt", CHANGED, WARNING, SERVICE_WARNING, TELL_NEWS, NULL}, /* its raise was lost */
};

static const struct options names = {
    .host = "%n", .service = "dcamp %r", .catch_all = "dcamp other"};

/* In the order in which they are raised. */
static int64_t since_of(const char *instance)
{
    static const char *const order[] = {"/", "/var", "/tmp", "/opt"};
    int64_t since = TRAPS_SINCE_MS;
    for (size_t i = 0; i < sizeof order / sizeof *order && strcmp(order[i], instance) != 0; i++)
        since++;
    return since;
}

static struct trap trap_of(const struct step *step, uint32_t sequence)
{
    struct trap trap = step->severity == CLEAR ? traps_cleared(sequence) : traps_raised(sequence);
    char key[64];
    snprintf(key, sizeof key, "node1:disk:%s", step->instance);
    trap.severity = step->severity;
    trap.happened = step->happened;
    trap.since_ms = since_of(step->instance);
    traps_set(&trap, TRAP_KEY, key);
    traps_set(&trap, TRAP_THRESHOLD, "disk");
    traps_set(&trap, TRAP_INSTANCE, step->instance);
    snprintf(trap.text[TRAP_MESSAGE], TRAP_TEXT_SIZE, "%s, %u", step->instance, (unsigned)sequence);
    return trap;
}

static void take(struct service *service, struct active *active, const struct trap *trap,
                 int attempt)
{
    assert_true(service_choose(service, &names, active, trap, attempt));
    assert_true(service_take(service, active, trap));
}

static void expect(const struct service_result *result, const struct step *step)
{
    assert_string_equal(result->host, "node1");
    assert_string_equal(result->service, "dcamp disk");
    assert_int_equal(result->state, step->state);
    assert_int_equal(result->telling, step->telling);
    if (step->also)
        assert_string_equal(result->also, step->also);
    else
        assert_null(result->also);
}

static void test_instances_of_a_service(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct service service = {0};
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct trap trap = trap_of(&steps[i], i + 1);
        take(&service, active, &trap, 0);
        expect(&service.result, &steps[i]);
        /* A delivery that failed is made again: it says the same, if not to more. */
        take(&service, active, &trap, 0);
        assert_true(service.result.telling >= steps[i].telling);
        service.result.telling = steps[i].telling;
        expect(&service.result, &steps[i]);
    }
    service_release(&service);
    active_free(active);
}

/* Where others go on, the text is that of the worst of them. */
static void test_message(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct service service = {0};
    for (uint32_t i = 0; i < 4; i++) {
        struct trap trap = trap_of(&steps[i], i + 1);
        take(&service, active, &trap, 0);
        assert_string_equal(service.result.message, i < 3 ? trap.text[TRAP_MESSAGE] : "/var, 2");
    }
    assert_int_equal(service.result.alarms, 1);
    assert_int_equal(service.result.critical, 1);
    service_release(&service);
    active_free(active);
}

static void test_many(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct service service = {0};
    for (uint32_t i = 1; i <= 11; i++) {
        char instance[8];
        snprintf(instance, sizeof instance, "sd%u", (unsigned)i);
        const struct step step = {instance, RAISED, CRITICAL, 0, 0, NULL};
        struct trap trap = trap_of(&step, i);
        take(&service, active, &trap, 0);
    }
    assert_string_equal(service.result.also,
                        "11 active: disk sd1, disk sd2, disk sd3, disk sd4, disk sd5, disk sd6, "
                        "disk sd7, disk sd8 and 3 more");
    service_release(&service);
    active_free(active);
}

static void test_summaries_are_no_alarms(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct trap summary = traps_summary(3);
    struct service service = {0};
    take(&service, active, &summary, 0);
    assert_string_equal(service.result.service, "dcamp notifications");
    assert_int_equal(service.result.state, SERVICE_WARNING);
    assert_int_equal(service.result.telling, TELL_STATE);
    assert_int_equal(active_count(active), 0);
    service_release(&service);
    active_free(active);
}

/* What was told of in the catch-all ends there, though it may have a service of its own by then. */
static void test_catch_all(void **state)
{
    (void)state;
    struct active *active = active_new();
    struct service service = {0};
    const struct step raise = {"/", RAISED, CRITICAL, 0, 0, NULL};
    const struct step clear = {"/", CLEARED, CLEAR, 0, 0, NULL};
    struct trap trap = trap_of(&raise, 1), over = trap_of(&clear, 2);
    assert_true(service_choose(&service, &names, active, &trap, 0));
    assert_string_equal(service.result.service, "dcamp disk");
    take(&service, active, &trap, 1);
    assert_string_equal(service.result.service, "dcamp other");
    assert_false(service_choose(&service, &names, active, &trap, 2));
    take(&service, active, &over, 0);
    assert_string_equal(service.result.service, "dcamp other");
    assert_int_equal(service.result.state, SERVICE_OK);
    take(&service, active, &trap, 0);
    assert_string_equal(service.result.service, "dcamp disk");
    struct options none = names;
    none.catch_all = "";
    assert_true(service_choose(&service, &none, active, &trap, 0));
    assert_false(service_choose(&service, &none, active, &trap, 1));
    service_release(&service);
    active_free(active);
}

/* In a service of several nodes, which one it is. */
static void test_nodes(void **state)
{
    (void)state;
    struct options one = names;
    struct active *active = active_new();
    struct service service = {0};
    const struct step raise = {"/", RAISED, CRITICAL, 0, 0, NULL};
    struct trap first = trap_of(&raise, 1), second = trap_of(&raise, 2);
    one.host = "all";
    traps_set(&first, TRAP_NODE, "node0");
    traps_set(&first, TRAP_KEY, "node0:disk:_");
    service_choose(&service, &one, active, &first, 0);
    assert_true(service_take(&service, active, &first));
    service_choose(&service, &one, active, &second, 0);
    assert_true(service_take(&service, active, &second));
    assert_string_equal(service.result.also, "2 active: node0: disk /, disk /");
    service_release(&service);
    active_free(active);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_instances_of_a_service),
        cmocka_unit_test(test_message),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_summaries_are_no_alarms),
        cmocka_unit_test(test_catch_all),
        cmocka_unit_test(test_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
