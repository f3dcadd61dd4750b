/* DateAndTime of RFC 2579, both ways, and actions on alarms by SET. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/date.h"
#include "base/text.h"

#include "events.h"
#include "scarce.h"

static const struct {
    uint8_t octets[11];
    size_t len;
    const char *text; /* NULL: it is no date */
} dates[] = {
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 0, 0}, 11, "2026-11-21T22:00:00Z"},
    {{0x07, 0xEA, 11, 21, 23, 30, 0, 9, '+', 1, 30}, 11, "2026-11-21T22:00:00Z"},
    {{0x07, 0xEA, 11, 21, 20, 0, 5, 0, '-', 2, 0}, 11, "2026-11-21T22:00:05Z"},
    {{0x07, 0xEA, 11, 21, 23, 0, 0, 0}, 8, "2026-11-21T22:00:00Z"}, /* local, in winter */
    {{0x07, 0xEA, 7, 1, 0, 0, 0, 0}, 8, "2026-06-30T22:00:00Z"},    /* and in summer */
    {{0}, 8, ""},
    {{0x07, 0xEA, 11, 21, 22, 0, 60, 0, '+', 0, 0}, 11, "2026-11-21T22:01:00Z"},
    {{0x07, 0xEA, 11, 31, 22, 0, 0, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 13, 1, 22, 0, 0, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 0, 1, 22, 0, 0, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 24, 0, 0, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 60, 0, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 61, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 10, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '*', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 99, 0}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 200, 200}, 11, NULL},
    {{0xFF, 0xFF, 11, 21, 22, 0, 0, 0, '+', 0, 0}, 11, NULL},
    {{0x07, 0xEA, 255, 255, 255, 255, 255, 255, 255, 255, 255}, 11, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 0}, 10, NULL},
    {{0x07, 0xEA, 11, 21, 22, 0, 0}, 7, NULL},
    {{0}, 11, NULL},
    {{0}, 0, NULL},
};

static void taken_as_they_are_meant(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(dates); i++) {
        int64_t wall_ms = 0;
        char text[DECIMAL_SIZE];
        bool taken = take_date(dates[i].octets, dates[i].len, &wall_ms);
        if (taken != (dates[i].text != NULL))
            fail_msg("date %zu: taken is %d", i, taken);
        if (!taken)
            continue;
        date_to_text(text, wall_ms);
        assert_string_equal(text, dates[i].text);
    }
}

static void given_and_taken_again(void **state)
{
    (void)state;
    for (int64_t wall_ms = 1000; wall_ms < INT64_C(253402300799000); wall_ms += 98765432100) {
        struct mib_value value;
        int64_t again = 0;
        assert_true(give_date(&value, wall_ms));
        assert_true(take_date(value.octets.at, value.octets.len, &again));
        assert_true(again == wall_ms);
    }
}

/* -- SET of a date, and of an acknowledgement ------------------------------------------------- */

static enum set_error set_octets(struct node *node, enum mib_object object,
                                 const uint32_t *instance, size_t len, const void *octets,
                                 size_t octets_len)
{
    uint32_t oid[OID_MAX];
    const struct mib_info *info = &mib_objects[object];
    memcpy(oid, info->oid, info->oid_len * sizeof *oid);
    memcpy(oid + info->oid_len, instance, len * sizeof *oid);
    const struct set_varbind varbind = {.oid = oid,
                                        .oid_len = info->oid_len + len,
                                        .syntax = MIB_SYNTAX_OCTETS,
                                        .octets = octets,
                                        .octets_len = octets_len};
    struct set_transaction *transaction = NULL;
    size_t index;
    enum set_error error = node_test_set(node, &varbind, 1, &transaction, &index);
    if (!error)
        error = set_commit(transaction, node->now);
    set_cleanup(transaction);
    return error;
}

#define ELEMENTS                                                                                   \
    "<sensors><sensor name=\"load\" metric=\"load.1\"/></sensors><thresholds><threshold "          \
    "name=\"t\" sensor=\"load\" operator=\"gt\" limit=\"5\"/></thresholds><maintenances>"          \
    "<maintenance name=\"m\" begin=\"2020-01-01T00:00Z\" end=\"2020-01-02T00:00:00+01:00\"/>"      \
    "</maintenances>"

static int setup(void **state)
{
    struct node *node = node_new(ELEMENTS);
    *state = node;
    node_load(node, "9.00");
    node_cycle(node, 0);
    return 0;
}

static void set_a_date(void **state)
{
    struct node *node = *state;
    const uint32_t instance[] = {1, 'm'};
    const struct maintenance_row *row =
        (struct maintenance_row *)config_find(node->daemon->config, ROW_MAINTENANCE, "m");
    assert_true(row->end_ms == INT64_C(1577919600000));
    assert_int_equal(set_octets(node, MIB_dcampMaintenanceEnd, instance, 2, dates[0].octets, 11),
                     SET_OK);
    row = (struct maintenance_row *)config_find(node->daemon->config, ROW_MAINTENANCE, "m");
    assert_true(row->end_ms == INT64_C(1795298400000));
    assert_int_equal(set_octets(node, MIB_dcampMaintenanceEnd, instance, 2, dates[8].octets, 11),
                     SET_WRONG_VALUE);
    assert_int_equal(set_octets(node, MIB_dcampMaintenanceEnd, instance, 2, dates[0].octets, 10),
                     SET_WRONG_LENGTH);
    /* Without an end it would never end, and before its beginning it cannot. */
    assert_int_equal(set_octets(node, MIB_dcampMaintenanceEnd, instance, 2, dates[5].octets, 8),
                     SET_INCONSISTENT_VALUE);
    static const uint8_t early[] = {0x07, 0xD0, 1, 1, 0, 0, 0, 0, '+', 0, 0};
    assert_int_equal(set_octets(node, MIB_dcampMaintenanceEnd, instance, 2, early, 11),
                     SET_INCONSISTENT_VALUE);
}

static void acknowledge(void **state)
{
    struct node *node = *state;
    const struct alarm *alarm = active_alarm(node, "lap:t:total");
    assert_non_null(alarm);
    const uint32_t index = alarm->index, other = index + 99;
    char longest[ALARM_COMMENT_SIZE];
    memset(longest, 'x', sizeof longest);
    assert_int_equal(
        set_octets(node, MIB_dcampAlarmAcknowledge, &index, 1, "Ann: on it", strlen("Ann: on it")),
        SET_OK);
    assert_string_equal(alarm->memory.acknowledged, "Ann: on it");
    assert_int_equal(events_of(node, "lap:t:total", ALARM_ACKNOWLEDGED), 1);
    static const char *const bad[] = {"a\nb", "a;b", "a|b", "\xff", "\x7f"};
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_int_equal(
            set_octets(node, MIB_dcampAlarmAcknowledge, &index, 1, bad[i], strlen(bad[i])),
            SET_WRONG_VALUE);
    assert_int_equal(
        set_octets(node, MIB_dcampAlarmAcknowledge, &index, 1, longest, sizeof longest),
        SET_WRONG_LENGTH);
    assert_int_equal(set_octets(node, MIB_dcampAlarmAcknowledge, &other, 1, "x", 1),
                     SET_NO_CREATION);
    assert_int_equal(set_octets(node, MIB_dcampAlarmMessage, &index, 1, "x", 1), SET_NOT_WRITABLE);
    assert_string_equal(alarm->memory.acknowledged, "Ann: on it");
    assert_int_equal(
        set_octets(node, MIB_dcampAlarmAcknowledge, &index, 1, longest, sizeof longest - 1),
        SET_OK);
    assert_int_equal(strlen(alarm->memory.acknowledged), sizeof longest - 1);
    assert_int_equal(set_octets(node, MIB_dcampAlarmAcknowledge, &index, 1, "", 0), SET_OK);
    assert_int_equal(alarm->memory.acknowledged_at, 0);
}

static const char *const said[] = {"Ann: on it", "Bob: me too"};

/* Acknowledged by both in one SET. */
static void two_say(const struct alarm *alarm, struct mib_oid *oid, struct set_varbind varbinds[2])
{
    *oid = cell_of(MIB_dcampAlarmAcknowledge, NULL, NULL);
    oid->id[oid->len - 1] = alarm->index;
    for (size_t i = 0; i < 2; i++)
        varbinds[i] = (struct set_varbind){.oid = oid->id,
                                           .oid_len = oid->len,
                                           .syntax = MIB_SYNTAX_OCTETS,
                                           .octets = (const uint8_t *)said[i],
                                           .octets_len = strlen(said[i])};
}

/* Said with the commit, for what is answered is saved; and taken back where the commit is undone.
 */
static void acknowledgement_undone(void **state)
{
    struct node *node = *state;
    const struct alarm *alarm = active_alarm(node, "lap:t:total");
    struct mib_oid oid;
    struct set_varbind varbinds[2];
    struct set_transaction *transaction;
    uint64_t commits = node->daemon->commits;
    size_t at;
    two_say(alarm, &oid, varbinds);
    static const char *const before[] = {"", "Eve: seen"};
    for (size_t i = 0; i < 2; i++) {
        if (before[i][0])
            alarm_acknowledge(&node->daemon->alarms, alarm->facts.key, before[i], node->now);
        assert_int_equal(node_test_set(node, varbinds, 2, &transaction, &at), SET_OK);
        assert_string_equal(alarm->memory.acknowledged, before[i]);
        assert_int_equal(set_commit_number(transaction), 0);
        assert_int_equal(set_commit(transaction, node->now), SET_OK);
        assert_int_equal(set_commit(transaction, node->now), SET_OK); /* once */
        assert_string_equal(alarm->memory.acknowledged, said[1]);
        assert_int_equal(set_commit_number(transaction), commits + i + 1);
        assert_int_equal(set_undo(transaction, node->now), SET_OK);
        assert_int_equal(set_undo(transaction, node->now), SET_OK);
        assert_string_equal(alarm->memory.acknowledged, before[i]);
        assert_int_equal(set_commit_number(transaction), 0);
        set_cleanup(transaction);
        assert_string_equal(alarm->memory.acknowledged, before[i]);
    }
    /* Each once, and taken back once; and Eve. */
    assert_int_equal(events_of(node, "lap:t:total", ALARM_ACKNOWLEDGED), 9);
}

/* The alarm ends between the test of the SET and its commit: nobody may believe that it was
 * acknowledged. What else the SET asks for is not done either. */
static void acknowledged_too_late(void **state)
{
    struct node *node = *state;
    const struct alarm *alarm = active_alarm(node, "lap:t:total");
    const struct alarm_facts facts = alarm->facts;
    struct mib_oid oid, limit = cell_of(MIB_dcampThresholdLimit, "t", NULL);
    struct set_varbind varbinds[3];
    struct set_transaction *transaction;
    char before[MESSAGE_SIZE];
    size_t at;
    two_say(alarm, &oid, varbinds);
    varbinds[2] = (struct set_varbind){.oid = limit.id,
                                       .oid_len = limit.len,
                                       .syntax = MIB_SYNTAX_OCTETS,
                                       .octets = (const uint8_t *)"17",
                                       .octets_len = 2};
    text_at(node, MIB_dcampThresholdLimit, "t", NULL, before);
    assert_int_equal(node_test_set(node, varbinds, 3, &transaction, &at), SET_OK);
    assert_true(alarm_clear(&node->daemon->alarms, &facts, node->now));
    assert_int_equal(set_commit(transaction, node->now), SET_COMMIT_FAILED);
    assert_int_equal(set_commit_number(transaction), 0);
    set_cleanup(transaction);
    assert_int_equal(events_of(node, "lap:t:total", ALARM_ACKNOWLEDGED), 0);
    assert_cell_text(node, MIB_dcampThresholdLimit, "t", NULL, before);
    assert_string_equal(node->daemon->self.refusal.text,
                        "commitFailed: the alarm has ended meanwhile");
}

/* Both or none. */
static void acknowledged_without_memory(void **state)
{
    struct node *node = *state;
    const struct alarm *alarm = active_alarm(node, "lap:t:total");
    struct mib_oid oid;
    struct set_varbind varbinds[2];
    struct set_transaction *transaction;
    size_t at, nth = 0, refused = 0;
    two_say(alarm, &oid, varbinds);
    for (bool failed = true; failed;) {
        assert_int_equal(node_test_set(node, varbinds, 2, &transaction, &at), SET_OK);
        scarce_fail(++nth);
        enum set_error error = set_commit(transaction, node->now);
        failed = scarce_stop();
        set_cleanup(transaction);
        assert_true(error == SET_OK || error == SET_COMMIT_FAILED);
        assert_string_equal(alarm->memory.acknowledged, error ? "" : said[1]);
        refused += error != SET_OK;
        alarm_acknowledge(&node->daemon->alarms, alarm->facts.key, "", node->now);
    }
    assert_true(refused > 2);
    assert_true(nth > refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taken_as_they_are_meant),
        cmocka_unit_test(given_and_taken_again),
        cmocka_unit_test_setup_teardown(set_a_date, setup, node_teardown),
        cmocka_unit_test_setup_teardown(acknowledge, setup, node_teardown),
        cmocka_unit_test_setup_teardown(acknowledgement_undone, setup, node_teardown),
        cmocka_unit_test_setup_teardown(acknowledged_too_late, setup, node_teardown),
        cmocka_unit_test_setup_teardown(acknowledged_without_memory, setup, node_teardown),
    };
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
