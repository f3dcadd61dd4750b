/* Where the operations of an open load come from. Pauses here are of whole seconds, and rates such
 * that all moments are whole milliseconds. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "load/source.h"
#include "scarce.h"
#include "unit.h"

#define BEGIN_MS UINT64_C(5000)

/* A source of the test, with its scenario. */
struct tested {
    struct scenario scenario;
    struct source source;
};

static void open_source(struct tested *tested, const char *expression,
                        const struct source_options *options)
{
    struct scenario_error error;
    assert_int_equal(scenario_parse(&tested->scenario, expression, strlen(expression), &error), 0);
    assert_true(source_open(&tested->source, &tested->scenario, options, BEGIN_MS * NS_PER_MS));
}

static struct tested at_rate(const char *expression, double rate)
{
    struct tested tested;
    const struct source_options options = {.rate = rate, .seed = 1};
    open_source(&tested, expression, &options);
    return tested;
}

static void close_source(struct tested *tested)
{
    source_close(&tested->source);
    scenario_release(&tested->scenario);
}

/* The next operation, in milliseconds since the begin; -1: there is none. */
static int next_ms(struct source *source)
{
    while (source->is_pausing)
        source_advance(source);
    if (source->at_ns == UINT64_MAX)
        return -1;
    int ms = (int)(source->at_ns / NS_PER_MS - BEGIN_MS);
    source_advance(source);
    return ms;
}

static void set_rate(struct tested *tested, double rate, unsigned from_ms)
{
    source_set_rate(&tested->source, rate, (BEGIN_MS + from_ms) * NS_PER_MS);
}

static void a_pause_moves_all_that_come(void **state)
{
    struct tested tested = at_rate("list(loop(2), loop(1, 3000), loop(1))", 10);
    (void)state;
    assert_int_equal(next_ms(&tested.source), 0);
    assert_int_equal(next_ms(&tested.source), 100);
    assert_int_equal(next_ms(&tested.source), 200);
    assert_int_equal(next_ms(&tested.source), 3300);
    assert_int_equal(next_ms(&tested.source), -1);
    close_source(&tested);
}

static void a_rate_begins_at_its_moment(void **state)
{
    struct tested tested = at_rate("loop(100)", 10);
    (void)state;
    assert_int_equal(next_ms(&tested.source), 0);
    set_rate(&tested, 100, 50);
    assert_int_equal(next_ms(&tested.source), 50);
    assert_int_equal(next_ms(&tested.source), 60);
    close_source(&tested);
}

/* Nobody has begun what was due in the second before: it is neither lost nor put off, though a
 * second change comes before the first has taken effect. */
static void what_is_overdue_stays_due(void **state)
{
    struct tested tested = at_rate("loop(100)", 2);
    (void)state;
    set_rate(&tested, 4, 1000);
    set_rate(&tested, 10, 2000);
    static const int due_ms[] = {0, 500, 1000, 1250, 1500, 1750, 2000, 2100, 2200};
    for (size_t i = 0; i < sizeof due_ms / sizeof *due_ms; i++)
        assert_int_equal(next_ms(&tested.source), due_ms[i]);
    close_source(&tested);
}

/* The operation after it is at its end, as the first one of a rate is. */
static void a_change_does_not_cut_a_pause(void **state)
{
    struct tested tested = at_rate("loop(10, 60000)", 1);
    (void)state;
    assert_int_equal(next_ms(&tested.source), 0);
    set_rate(&tested, 1.5, 5000);
    set_rate(&tested, 2, 10000);
    assert_int_equal(next_ms(&tested.source), 60000);
    assert_int_equal(next_ms(&tested.source), 120500);
    close_source(&tested);
}

static void what_is_skipped_is_counted(void **state)
{
    struct tested tested = at_rate("loop(loop(1), 7, 1000)", 10);
    (void)state;
    assert_int_equal(next_ms(&tested.source), 0);
    /* 1100, 2200, 3300 are before it; so is the end of a pause at 4300. */
    assert_int_equal(source_skip(&tested.source, (BEGIN_MS + 4400) * NS_PER_MS), 3);
    assert_int_equal(next_ms(&tested.source), 4400);
    assert_int_equal(source_skip(&tested.source, UINT64_MAX), 2);
    assert_int_equal(next_ms(&tested.source), -1);
    assert_int_equal(source_skip(&tested.source, UINT64_MAX), 0);
    close_source(&tested);
}

/* A way of which next to nothing comes, for ever: neither its begin nor its end takes long. */
static void a_way_without_operations_is_left(void **state)
{
    char expression[1024] = "loop(";
    (void)state;
    for (int i = 0; i < 60; i++)
        strcat(expression, "random(loop(0),");
    strcat(expression, "once()");
    memset(expression + strlen(expression), ')', 60);
    strcat(expression, ",1000000000000000000)");
    struct tested tested = at_rate(expression, 10);
    assert_true(tested.source.is_pausing);
    assert_int_equal(tested.source.at_ns, BEGIN_MS * NS_PER_MS);
    assert_int_equal(source_skip(&tested.source, UINT64_MAX), 0);
    assert_in_range(tested.source.walk.n_steps, SOURCE_SKIP_STEPS,
                    SOURCE_SKIP_STEPS + 2 * WALK_STEPS_MAX);
    close_source(&tested);
}

/* What is chosen by chance does not decide when it comes: both have the same mean time before
 * them, which is 1; ten standard errors are 0.1. */
static void chances_are_independent(void **state)
{
    struct tested tested;
    const struct source_options options = {.rate = 1, .is_poisson = true, .seed = 1};
    double sum[2] = {0, 0};
    unsigned n[2] = {0, 0};
    uint64_t before_ns = BEGIN_MS * NS_PER_MS;
    (void)state;
    open_source(&tested, "loop(random(once(a), once(b)), 20000)", &options);
    for (; tested.source.at_ns != UINT64_MAX; source_advance(&tested.source)) {
        uint32_t operation = tested.source.operation;
        sum[operation] += (double)(tested.source.at_ns - before_ns) / (double)NS_PER_S;
        n[operation]++;
        before_ns = tested.source.at_ns;
    }
    assert_true(fabs(sum[0] / n[0] - 1) < 0.1);
    assert_true(fabs(sum[1] / n[1] - 1) < 0.1);
    close_source(&tested);
}

static void memory_may_fail(void **state)
{
    struct scenario scenario;
    struct scenario_error error;
    struct source source;
    const struct source_options options = {.rate = 1};
    (void)state;
    assert_int_equal(scenario_parse(&scenario, "once()", 6, &error), 0);
    scarce_fail(1);
    assert_false(source_open(&source, &scenario, &options, 0));
    assert_true(scarce_stop());
    source_close(&source);
    scenario_release(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pause_moves_all_that_come),
        cmocka_unit_test(a_rate_begins_at_its_moment),
        cmocka_unit_test(what_is_overdue_stays_due),
        cmocka_unit_test(a_change_does_not_cut_a_pause),
        cmocka_unit_test(what_is_skipped_is_counted),
        cmocka_unit_test(a_way_without_operations_is_left),
        cmocka_unit_test(chances_are_independent),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
