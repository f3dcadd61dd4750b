/* Records of nodes below on their way to the parent: once each, at the pace of reports, of which no
 * child takes what others need; what cannot be passed on is counted. */
#include "application/relay.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#include "tests/unit/heap.h"
#include "tests/unit/scarce.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define PAY "anna/shop:pay"

/* What sensors select. */
static bool wanted = true;

static bool wants(const void *context, const char *path)
{
    assert_null(context);
    return wanted && strchr(path, ':');
}

static struct relay relay;
static struct pace pace;

static int setup(void **state)
{
    (void)state;
    wanted = true;
    relay = (struct relay){.pass = 0};
    pace = (struct pace){.per_second = 100, .most = 100};
    pace_begin(&pace, S);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    relay_release(&relay);
    return 0;
}

static void pass(uint64_t now_s)
{
    pace_begin(&pace, now_s * S);
    relay_begin(&relay, wants, NULL, now_s * S);
}

static void take(uint32_t child, const char *path, const char *node, uint64_t sequence,
                 uint64_t now_s)
{
    const struct report_record record = {
        .sequence = sequence, .node = node, .node_len = strlen(node)};
    relay_take(&relay, &pace, child, path, &record, now_s * S);
}

/* What may be reported of a step now, which is reported: how many, and the sum of their numbers. */
static size_t report(const char *path, uint64_t *sequences)
{
    struct relay_step *step = relay_find(&relay, path);
    *sequences = 0;
    if (!step)
        return 0;
    step->records.is_taken = true;
    for (size_t i = 0; i < step->records.n; i++)
        *sequences += step->records.record[i].sequence;
    return step->records.n;
}

static void assert_reported(const char *path, size_t n, uint64_t sequences)
{
    uint64_t sum;
    assert_int_equal(report(path, &sum), n);
    assert_int_equal(sum, sequences);
}

/* -- Once each --------------------------------------------------------------------------------- */

static void each_is_passed_on_with_the_next_pass(void **state)
{
    (void)state;
    char node[] = "leaf.1";
    take(1, PAY, node, 1, 10);
    memset(node, 'x', sizeof node); /* it was the caller's */
    take(2, PAY, "collector/leaf.2", 2, 10);
    take(2, "anna/shop:cook", "collector/leaf.2", 4, 10);
    assert_reported(PAY, 0, 0);
    pass(11);
    assert_reported(PAY, 2, 3);
    assert_reported("anna/shop:cook", 1, 4);
    const struct relay_step *pay = relay_find(&relay, PAY);
    assert_string_equal(pay->records.record[0].node, "leaf.1");
    assert_string_equal(pay->records.record[1].node, "collector/leaf.2");
    assert_int_equal(pay->records.record[1].node_len, 16);
    assert_true(pay->born != relay_find(&relay, "anna/shop:cook")->born);
    take(1, PAY, "leaf.1", 8, 11);
    assert_reported(PAY, 2, 3); /* until the next pass, whatever comes */
    pass(12);
    assert_reported(PAY, 1, 8);
    assert_int_equal(pay->taken, 3);
    assert_int_equal(pay->grown, 1);
    pass(13);
    assert_reported(PAY, 0, 0);
    assert_int_equal(pay->grown, 0);
    assert_int_equal(relay.unreported, 0);
}

static void what_nobody_reports_is_counted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++)
        take(1, PAY, "leaf", 1, 10);
    pass(11);
    pass(12);
    assert_int_equal(relay.unreported, 5);
    pass(13);
    assert_int_equal(relay.unreported, 5);
}

/* -- Bounds ------------------------------------------------------------------------------------ */

static void no_child_takes_what_others_need(void **state)
{
    (void)state;
    for (unsigned second = 2; second < 6; second++) {
        uint64_t of_quiet, of_flood;
        for (unsigned i = 0; i < 10000; i++)
            take(1, "anna/shop:flood", "leaf.1", 1, second);
        for (unsigned i = 0; i < 40; i++)
            take(2, PAY, "leaf.2", 1, second);
        pass(second);
        report("anna/shop:flood", &of_flood);
        report(PAY, &of_quiet);
        assert_int_equal(of_flood + of_quiet, second == 2 ? 100 : 90);
        assert_int_equal(of_quiet, second == 2 ? 0 : 40); /* nobody knew of it */
    }
    assert_int_equal(relay_find(&relay, PAY)->taken, 4 * 40);
    assert_int_equal(relay.unreported, 4 * 10040 - 100 - 3 * 90);
}

/* A long name takes the room of several records. */
static void long_names_of_nodes(void **state)
{
    (void)state;
    char node[ALARM_PATH_SIZE];
    memset(node, 'n', sizeof node - 1);
    node[sizeof node - 1] = '\0';
    for (unsigned i = 0; i < 100; i++)
        take(1, PAY, node, 1, 2);
    pass(2);
    assert_reported(PAY, 25, 25);
}

static void so_many_steps(void **state)
{
    (void)state;
    char path[INSTANCE_SIZE + 10];
    pace.most = pace.per_second = 10 * RELAY_STEPS_MAX;
    pace_begin(&pace, 1000 * S);
    for (unsigned i = 0; i < RELAY_STEPS_MAX + 7; i++) {
        snprintf(path, sizeof path, "anna/shop:step%u", i);
        take(1, path, "leaf", 1, 1000);
    }
    assert_int_equal(relay.unreported, 7);
    assert_null(relay_find(&relay, path));
    relay_release(&relay);
    memset(path, ':', sizeof path);
    path[INSTANCE_SIZE] = '\0';
    take(1, path, "leaf", 1, 1000);
    assert_int_equal(relay.unreported, 8);
    path[INSTANCE_SIZE - 1] = '\0';
    take(1, path, "leaf", 1, 1000);
    assert_int_equal(relay.unreported, 8);
    assert_non_null(relay_find(&relay, path));
}

/* -- What is forgotten ------------------------------------------------------------------------- */

static void steps_that_are_idle_or_unwanted(void **state)
{
    (void)state;
    uint64_t sum;
    take(1, PAY, "leaf", 1, 10);
    uint64_t born = relay_find(&relay, PAY)->born;
    pass(10 + RELAY_IDLE_NS / S + 5); /* not while it has something to report */
    assert_int_equal(report(PAY, &sum), 1);
    pass(10 + RELAY_IDLE_NS / S + 6);
    assert_null(relay_find(&relay, PAY));
    assert_int_equal(relay.unreported, 0);
    take(1, PAY, "leaf", 1, 1000);
    assert_true(relay_find(&relay, PAY)->born != born);
    take(1, "anna/shop:cook", "leaf", 1, 1000);
    wanted = false;
    pass(1001);
    assert_null(relay.steps);
    assert_int_equal(relay.unreported, 0); /* nobody wanted it */
    assert_non_null(relay.children);
    pass(1002);
    pass(1003);
    assert_null(relay.children);
}

/* -- Memory ------------------------------------------------------------------------------------ */

static void play(void)
{
    setup(NULL);
    for (unsigned i = 0; i < 50; i++)
        take(1 + i % 3, i % 2 ? PAY : "anna/shop:cook", "leaf", 1, 2);
    pass(2);
    take(1, PAY, "leaf", 1, 2);
    relay_release(&relay);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

/* Whatever allocation fails, only the record is lost for which it was, and it is counted. */
static void without_memory_records_are_counted(void **state)
{
    (void)state;
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        uint64_t sum;
        relay_release(&relay);
        setup(NULL);
        scarce_fail(nth);
        for (unsigned i = 0; i < 20; i++)
            take(1, PAY, "leaf", 1, 2);
        failed = scarce_stop();
        pass(2);
        assert_int_equal(report(PAY, &sum) + relay.unreported, 20);
        assert_int_equal(relay.unreported, failed);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(each_is_passed_on_with_the_next_pass),
        TEST(what_nobody_reports_is_counted),
        TEST(no_child_takes_what_others_need),
        TEST(long_names_of_nodes),
        TEST(so_many_steps),
        TEST(steps_that_are_idle_or_unwanted),
        cmocka_unit_test(all_is_given_back),
        TEST(without_memory_records_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
