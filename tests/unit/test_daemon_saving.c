/* When the state is saved, and what may leave before it is: scenarios as data. */

#include "alarm/alarm.h"
#include "base/clock.h"
#include "daemon/saving.h"

#include "unit.h"

#define MS NS_PER_MS
#define NEVER UINT64_MAX
/* The latest save began at 10 s, took 20 ms, and had all up to change 100 and commit 5; numbers
 * from 51 to 70 are reserved. */
static const struct saving begun = {.begun = {.serial = 3,
                                              .changes = 200,
                                              .mark = {.alarms = 100, .commits = 5},
                                              .wanted = 90,
                                              .given = 50},
                                    .reserved = 70,
                                    .last_ns = 10000 * MS,
                                    .cost_ns = 20 * MS};

#define SAME                                                                                       \
    .serial = 3, .changes = 200, .mark = {.alarms = 100, .commits = 5}, .wanted = 90, .given = 50
#define DONE .saved = {.alarms = 100, .commits = 5}, .tried = {.alarms = 100, .commits = 5}

static void when_to_save(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct saving_needs needs;
        struct saver_status status;
        bool dirty;
        uint64_t due_ms; /* NEVER; 10030 is now */
    } cases[] = {
        {"nothing happened", {SAME}, {DONE}, false, NEVER},
        {"it is being written", {SAME}, {.busy = true}, true, NEVER},
        {"more happened, but the saver is at it",
         {.serial = 4, .changes = 300, .mark = {200, 6}, .wanted = 190, .given = 50},
         {.busy = true},
         true,
         NEVER},
        {"a threshold is pending",
         {.serial = 3, .changes = 201, .mark = {100, 5}, .wanted = 90, .given = 50},
         {DONE},
         true,
         11000},
        {"an event that nobody is told of",
         {.serial = 3, .changes = 202, .mark = {101, 5}, .wanted = 90, .given = 51},
         {DONE},
         true,
         11000},
        {"a notification waits: after a rest of nine times what the last save cost",
         {.serial = 3, .changes = 202, .mark = {102, 5}, .wanted = 101, .given = 51},
         {DONE},
         true,
         10200},
        {"the notification that waits is in the latest save",
         {.serial = 3, .changes = 202, .mark = {102, 5}, .wanted = 100, .given = 51},
         {DONE},
         true,
         11000},
        {"half of the numbers are left",
         {.serial = 3, .changes = 210, .mark = {110, 5}, .wanted = 90, .given = 60},
         {DONE},
         true,
         11000},
        {"less than half of them",
         {.serial = 3, .changes = 211, .mark = {111, 5}, .wanted = 90, .given = 61},
         {DONE},
         true,
         10200},
        {"a SET changed the configuration",
         {.serial = 4, .changes = 200, .mark = {100, 6}, .wanted = 90, .given = 50},
         {DONE},
         true,
         10030},
        {"the file did",
         {.serial = 4, .changes = 200, .mark = {100, 5}, .wanted = 90, .given = 50},
         {DONE},
         true,
         10030},
        {"a SET that changed nothing",
         {.serial = 3, .changes = 200, .mark = {100, 6}, .wanted = 90, .given = 50},
         {DONE},
         true,
         10030},
        {"the disk failed", {SAME}, {.failed = true}, true, 11000},
        {"and a SET comes: not before the next attempt",
         {.serial = 4, .changes = 200, .mark = {100, 6}, .wanted = 90, .given = 50},
         {.failed = true},
         true,
         11000},
        {"or a notification",
         {.serial = 3, .changes = 202, .mark = {102, 5}, .wanted = 101, .given = 51},
         {.failed = true},
         true,
         11000},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint64_t due_ns = saving_due(&begun, &cases[i].status, &cases[i].needs, 10030 * MS);
        uint64_t expected = cases[i].due_ms == NEVER ? NEVER : cases[i].due_ms * MS;
        if (due_ns != expected ||
            saving_is_dirty(&begun, &cases[i].status, &cases[i].needs) != cases[i].dirty)
            fail_msg("%s: due %ju ms", cases[i].what, (uintmax_t)(due_ns / MS));
    }
}

/* The core is at it for a tenth of its time; but nobody waits for more than half a second. */
static void the_rest_has_a_bound(void **state)
{
    (void)state;
    const struct saving_needs needs = {
        .serial = 3, .changes = 202, .mark = {102, 5}, .wanted = 101, .given = 51};
    const struct saver_status status = {DONE};
    static const uint64_t cost_and_due[][2] = {{0, 10000},   {1, 10010},   {50, 10500},
                                               {55, 10550},  {56, 10556},  {160, 10660},
                                               {200, 10800}, {1000, 14000}};
    for (size_t i = 0; i < N_OF(cost_and_due); i++) {
        struct saving saving = begun;
        saving.cost_ns = cost_and_due[i][0] * MS;
        assert_int_equal(saving_due(&saving, &status, &needs, 10000 * MS), cost_and_due[i][1] * MS);
    }
}

static void numbers_that_wrap_run_out_likewise(void **state)
{
    (void)state;
    struct saving saving = begun;
    saving.begun.given = UINT32_MAX - 3;
    saving.reserved = 16; /* 20 of them */
    struct saving_needs needs = saving.begun;
    const struct saver_status status = {DONE};
    needs.changes++;
    needs.given = 6;
    assert_int_equal(saving_due(&saving, &status, &needs, 10000 * MS), 11000 * MS);
    needs.given = 7;
    assert_int_equal(saving_due(&saving, &status, &needs, 10000 * MS), 10200 * MS);
}

static void a_save_begins(void **state)
{
    (void)state;
    struct saving saving = {.last_ns = 0};
    const struct saving_needs needs = {
        .serial = 3, .changes = 202, .mark = {102, 5}, .wanted = 101, .given = 51};
    const struct saver_status idle = {.busy = false};
    assert_true(saving_is_dirty(&saving, &idle, &needs));
    saving_begins(&saving, &needs, 151, 7000 * MS, 3 * MS);
    assert_false(saving_is_dirty(&saving, &idle, &needs));
    assert_int_equal(saving.reserved, 151);
    assert_int_equal(saving.last_ns, 7000 * MS);
    assert_int_equal(saving.cost_ns, 3 * MS);
}

/* Steps of one story: what is there, what the saver says, and whether the gate is open. */
static void patience(void **state)
{
    (void)state;
    static const struct {
        uint64_t now_ms, changes, saved;
        bool failed, open;
        uint64_t due_ms;
    } steps[] = {
        {1000, 10, 10, false, false, NEVER}, /* all is on disk */
        {2000, 11, 10, false, false, 7000},  /* the disk is slow */
        {6999, 11, 10, false, false, 7000},
        {7000, 11, 10, false, true, NEVER}, /* too slow */
        {7001, 12, 10, false, true, NEVER},
        {8000, 12, 11, false, false, 13000}, /* it goes on: patience again */
        {12999, 19, 11, false, false, 13000},
        {13000, 19, 12, false, false, 18000}, /* what is always behind, but moves */
        {13001, 19, 19, false, false, NEVER},
        {20000, 20, 19, false, false, 25000}, /* the time before does not count */
        {20001, 20, 19, true, true, NEVER},   /* it fails */
        {20002, 20, 19, false, false, 25000}, /* it is tried again */
        {20003, 20, 20, true, true, NEVER},   /* failed, with nothing to wait for */
        {20004, 20, 20, false, false, NEVER},
    };
    struct saving saving = {.last_ns = 0};
    for (size_t i = 0; i < N_OF(steps); i++) {
        const struct saving_needs needs = {.mark = {.alarms = steps[i].changes}};
        const struct saver_status status = {.saved = {.alarms = steps[i].saved},
                                            .failed = steps[i].failed};
        uint64_t due_ns;
        bool open = saving_gives_up(&saving, &status, &needs, steps[i].now_ms * MS, &due_ns);
        uint64_t expected = steps[i].due_ms == NEVER ? NEVER : steps[i].due_ms * MS;
        if (open != steps[i].open || due_ns != expected)
            fail_msg("step %zu: %s, due %ju ms", i, open ? "open" : "shut",
                     (uintmax_t)(due_ns / MS));
    }
}

static void commits(void **state)
{
    (void)state;
    static const struct {
        struct saver_status status;
        uint64_t now_ms; /* committed at 1000 ms, as number 5 */
        enum saving_verdict verdict;
    } cases[] = {
        {{.saved = {.commits = 4}}, 1000, SAVING_WAITS},
        {{.saved = {.commits = 4}, .busy = true}, 3999, SAVING_WAITS},
        {{.saved = {.commits = 4}, .busy = true}, 4000, SAVING_FAILED},
        {{.saved = {.commits = 5}}, 1001, SAVING_SAVED},
        {{.saved = {.commits = 6}}, 9000, SAVING_SAVED},
        /* An attempt that failed without it says nothing of it. */
        {{.saved = {.commits = 3}, .tried = {.commits = 4}, .failed = true}, 1001, SAVING_WAITS},
        {{.saved = {.commits = 3}, .tried = {.commits = 5}, .failed = true}, 1001, SAVING_FAILED},
        {{.saved = {.commits = 5}, .tried = {.commits = 6}, .failed = true}, 1001, SAVING_SAVED},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(saving_of_commit(&cases[i].status, 5, 1000 * MS, cases[i].now_ms * MS),
                         cases[i].verdict);
}

/* -- The gate of the queue ------------------------------------------------------------------- */

static const struct alarm_limits limits = {.log_size = 100, .queue = 3};

static int setup(void **state)
{
    static struct alarms alarms;
    alarms_open(&alarms, &limits, 0);
    *state = &alarms;
    return 0;
}

static int teardown(void **state)
{
    alarms_close(*state);
    return 0;
}

static void happen(struct alarms *alarms, const char *key)
{
    const struct moment now = {.mono_ns = NS_PER_S, .wall_ms = 1000};
    struct alarm_facts facts = {.severity = SEVERITY_CRITICAL};
    alarm_key(facts.key, "n", key, "i");
    assert_true(alarm_raise(alarms, &facts, now));
}

static uint32_t first(const struct alarms *alarms)
{
    const struct notification *notification = alarms_peek(alarms);
    return notification ? notification->facts.sequence : 0;
}

static void without_a_saver_nothing_waits(void **state)
{
    happen(*state, "a");
    assert_int_equal(first(*state), 1);
}

static void told_is_saved(void **state)
{
    struct alarms *alarms = *state;
    alarms_gate(alarms, 0, false);
    happen(alarms, "a");
    uint64_t a = alarms->changes;
    assert_int_equal(alarms->wanted, a);
    assert_int_equal(first(alarms), 0);
    happen(alarms, "b");
    alarms_gate(alarms, a - 1, false);
    assert_int_equal(first(alarms), 0);
    alarms_gate(alarms, a, false);
    assert_int_equal(first(alarms), 1);
    alarms_pop(alarms, true);
    assert_int_equal(first(alarms), 0); /* not "b" */
    alarms_gate(alarms, alarms->changes, false);
    assert_int_equal(first(alarms), 2);
    alarms_pop(alarms, true);
    assert_int_equal(alarms->sent, 2);
    assert_int_equal(alarms->unsaved, 0);
}

static void a_disk_that_fails_holds_nobody(void **state)
{
    struct alarms *alarms = *state;
    alarms_gate(alarms, 0, false);
    happen(alarms, "a");
    alarms_gate(alarms, 0, true);
    assert_int_equal(first(alarms), 1);
    alarms_pop(alarms, false); /* the master refused it: it is not told */
    assert_int_equal(alarms->unsaved, 0);
    happen(alarms, "b");
    happen(alarms, "c");
    assert_int_equal(first(alarms), 0); /* each is held until that is known of it */
    alarms_gate(alarms, 0, true);
    assert_int_equal(first(alarms), 2);
    alarms_pop(alarms, true);
    assert_int_equal(alarms->unsaved, 1);
    alarms_gate(alarms, 0, false); /* it works again: the others wait again */
    assert_int_equal(first(alarms), 0);
    alarms_gate(alarms, alarms->changes, false);
    alarms_pop(alarms, true);
    assert_int_equal(alarms->unsaved, 1);
}

static void what_was_restored_is_saved(void **state)
{
    struct alarms *alarms = *state;
    struct notification saved = {.facts = {.event = ALARM_RAISED, .key = "k", .sequence = 7}};
    assert_int_equal(alarms_restore_queued(alarms, &saved), 0);
    alarms_gate(alarms, 0, false);
    assert_int_equal(first(alarms), 7);
}

/* While the disk is slow the queue fills up: nothing is lost, and what does not fit comes later. */
static void a_full_queue(void **state)
{
    struct alarms *alarms = *state;
    alarms_gate(alarms, 0, false);
    happen(alarms, "a");
    uint64_t a = alarms->changes;
    happen(alarms, "b");
    happen(alarms, "c");
    happen(alarms, "d");
    assert_int_equal(alarms->queued, 3);
    alarms_gate(alarms, a, false);
    assert_int_equal(first(alarms), 1);
    alarms_pop(alarms, true);
    assert_int_equal(first(alarms), 0);
    alarms_tick(alarms, (struct moment){.mono_ns = 2 * NS_PER_S, .wall_ms = 2000});
    alarms_gate(alarms, alarms->changes, false);
    for (uint32_t i = 2; i <= 4; i++, alarms_pop(alarms, true))
        assert_int_equal(first(alarms), i);
    assert_int_equal(alarms->dropped, 0);
}

/* -- Numbers that may have been given --------------------------------------------------------- */

static void reserved_numbers(void **state)
{
    static const struct {
        uint32_t sequence, ahead, reserved, skipped, next;
    } cases[] = {
        {0, 0, 0, 0, 1},
        {0, 100, 100, 100, 101},
        {50, 0, 50, 0, 51},
        {50, 100, 150, 100, 151},
        {UINT32_MAX - 1, 1, UINT32_MAX, 1, 1},
        {UINT32_MAX, 1, 1, 2, 2}, /* 0 is no number */
        {UINT32_MAX - 10, 100, 90, 101, 91},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct alarms *alarms = *state;
        alarms->sequence = cases[i].sequence;
        uint32_t reserved = alarms_reserve(alarms, cases[i].ahead);
        assert_int_equal(reserved, cases[i].reserved);
        assert_int_equal(alarms_skip(alarms, reserved), cases[i].skipped);
        happen(alarms, "a");
        assert_int_equal(alarms->sequence, cases[i].next);
        teardown(state);
        setup(state);
    }
}

/* Of an older state, or a damaged one: never back. */
static void nothing_is_skipped_backwards(void **state)
{
    struct alarms *alarms = *state;
    alarms->sequence = 50;
    assert_int_equal(alarms_skip(alarms, 0), 0);
    assert_int_equal(alarms_skip(alarms, 49), 0);
    assert_int_equal(alarms_skip(alarms, UINT32_C(51) + INT32_MAX), 0);
    assert_int_equal(alarms->sequence, 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_to_save),
        cmocka_unit_test(the_rest_has_a_bound),
        cmocka_unit_test(numbers_that_wrap_run_out_likewise),
        cmocka_unit_test(a_save_begins),
        cmocka_unit_test(patience),
        cmocka_unit_test(commits),
        cmocka_unit_test_setup_teardown(without_a_saver_nothing_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(told_is_saved, setup, teardown),
        cmocka_unit_test_setup_teardown(a_disk_that_fails_holds_nobody, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_restored_is_saved, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_queue, setup, teardown),
        cmocka_unit_test_setup_teardown(reserved_numbers, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_is_skipped_backwards, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
