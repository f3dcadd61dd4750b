#include <stdio.h>
#include <string.h>

#include "cli/assign.h"

#include "unit.h"

static struct assignments assigned;
static char error[512];

static bool read_words(enum assign_row row, const char *const *words)
{
    int n = 0;
    while (words[n])
        n++;
    error[0] = '\0';
    return assign_read((char *const *)words, n, row, &assigned, error);
}

#define READ(row, ...) read_words(row, (const char *const[]){__VA_ARGS__, NULL})
#define BAD(expected, row, ...)                                                                    \
    do {                                                                                           \
        assert_false(READ(row, __VA_ARGS__));                                                      \
        assert_string_equal(error, expected);                                                      \
    } while (0)

static void assert_cell(size_t at, enum mib_object object, const char *row)
{
    struct cell expected;
    cell_start(&expected, object);
    cell_add_text(&expected, row);
    assert_int_equal(assigned.cells[at].object, object);
    assert_int_equal(assigned.cells[at].len, expected.len);
    assert_memory_equal(assigned.cells[at].oid, expected.oid, expected.len * sizeof *expected.oid);
}

static void fields(void **state)
{
    (void)state;
    assert_true(READ(ASSIGN_CHANGE, "threshold", "cpu-busy", "limit", "90", "warning-limit=80",
                     "Severity", "critical", "operator", ">=", "duration=1m", "description",
                     "a=b"));
    assert_int_equal(assigned.n, 6);
    assert_cell(0, MIB_dcampThresholdLimit, "cpu-busy");
    assert_string_equal(assigned.cells[0].text, "90");
    assert_cell(1, MIB_dcampThresholdWarningLimit, "cpu-busy");
    assert_string_equal(assigned.cells[1].text, "80");
    assert_cell(2, MIB_dcampThresholdSeverity, "cpu-busy");
    assert_int_equal(assigned.cells[2].number, dcampThresholdSeverity_critical);
    assert_int_equal(assigned.cells[3].number, dcampThresholdOperator_ge);
    assert_int_equal(assigned.cells[4].number, 60000);
    assert_string_equal(assigned.values[4], "1m");
    assert_string_equal(assigned.cells[5].text, "a=b");
}

static void rows_that_come_and_go(void **state)
{
    (void)state;
    assert_true(READ(ASSIGN_CREATE, "sensor", "x", "metric", "load.1"));
    assert_int_equal(assigned.n, 2);
    assert_cell(1, MIB_dcampSensorRowStatus, "x");
    assert_int_equal(assigned.cells[1].number, dcampSensorRowStatus_createAndGo);
    assert_true(READ(ASSIGN_DELETE, "sensor", "x"));
    assert_int_equal(assigned.n, 1);
    assert_int_equal(assigned.cells[0].number, dcampSensorRowStatus_destroy);
    BAD("--delete metric: expected KIND NAME and no fields", ASSIGN_DELETE, "sensor", "x", "metric",
        "y");
    BAD("rows of this kind are neither made nor deleted by a SET", ASSIGN_DELETE, "alarm", "7");
}

static void objects(void **state)
{
    (void)state;
    assert_true(READ(ASSIGN_CHANGE, "dcampThresholdLimit.\"hot.er\"", "5",
                     "dcampAlarmAcknowledge.17=ann: looks"));
    assert_cell(0, MIB_dcampThresholdLimit, "hot.er");
    assert_int_equal(assigned.cells[1].object, MIB_dcampAlarmAcknowledge);
    assert_int_equal(assigned.cells[1].oid[assigned.cells[1].len - 1], 17);
    assert_string_equal(assigned.cells[1].text, "ann: looks");
    BAD("dcampThresholdLimit: expected OBJECT.INDEX", ASSIGN_CHANGE, "dcampThresholdLimit", "5");
    BAD("dcampThresholdRaised.hot: no object that can be set", ASSIGN_CHANGE,
        "dcampThresholdRaised.hot", "5");
    BAD("dcampThresholdLimits.hot: no object that can be set", ASSIGN_CHANGE,
        "dcampThresholdLimit.hot=5", "dcampThresholdLimits.hot=5");
    BAD("dcampNodeName.0: no object that can be set", ASSIGN_CHANGE, "dcampNodeName.0", "x");
    BAD("--create and --delete go with KIND NAME", ASSIGN_CREATE, "dcampThresholdLimit.x", "5");
    BAD("x: expected the number of a row", ASSIGN_CHANGE, "dcampAlarmAcknowledge.x", "5");
    BAD("4294967296: expected the number of a row", ASSIGN_CHANGE, "alarm", "4294967296",
        "acknowledge", "x");
}

/* Where the index has several parts, labels stand for numbers, and the last part may have dots. */
static void several_indexes(void **state)
{
    (void)state;
    static const char *const words[][4] = {{"deviation", "threshold.hot.er", "local", "yes"},
                                           {"deviation", "3.hot.er", "local=true", NULL},
                                           {"dcampDeviationLocal.threshold.\"hot.er\"", "1", NULL}};
    for (size_t i = 0; i < N_OF(words); i++) {
        struct cell expected;
        char row[2 * NAME_SIZE];
        cell_start(&expected, MIB_dcampDeviationLocal);
        cell_add_number(&expected, dcampDeviationKind_threshold);
        cell_add_text(&expected, "hot.er");
        assert_true(READ(ASSIGN_CHANGE, words[i][0], words[i][1], words[i][2],
                         words[i][2] ? words[i][3] : NULL));
        assert_int_equal(assigned.cells[0].len, expected.len);
        assert_memory_equal(assigned.cells[0].oid, expected.oid,
                            expected.len * sizeof *expected.oid);
        assert_int_equal(assigned.cells[0].number, dcampDeviationLocal_true);
        assign_row_text(&assigned.cells[0], row, sizeof row);
        assert_string_equal(row, "threshold.hot.er");
    }
    BAD("hot: expected dcampDeviationKind and dcampDeviationName with a dot between", ASSIGN_CHANGE,
        "deviation", "hot", "local", "yes");
    BAD("dcampDeviationKind tresh: expected sensor, filter, threshold, child, aggregate, object, "
        "condition, maintenance, relay",
        ASSIGN_CHANGE, "deviation", "tresh.hot", "local", "yes");
    BAD(": expected a name of 1 to 32 of A-Z a-z 0-9 . _ -", ASSIGN_CHANGE, "deviation",
        "threshold.", "local", "yes");
    BAD("rows of this kind are neither made nor deleted by a SET", ASSIGN_DELETE, "deviation",
        "threshold.hot");
}

static void wrong_words(void **state)
{
    (void)state;
    char long_name[200];
    memset(long_name, 'a', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    BAD("treshold: no kind of rows that can be set; did you mean \"threshold\"?", ASSIGN_CHANGE,
        "treshold", "x", "limit", "3");
    BAD("value: no kind of rows that can be set", ASSIGN_CHANGE, "value", "x", "limit", "3");
    BAD("lmit: no field that can be set; did you mean \"limit\"?", ASSIGN_CHANGE, "threshold", "x",
        "lmit", "3");
    BAD("raised: no field that can be set", ASSIGN_CHANGE, "threshold", "x", "raised", "3");
    BAD("limit: the value is missing", ASSIGN_CHANGE, "threshold", "x", "limit");
    BAD("threshold x: the field is missing", ASSIGN_CHANGE, "threshold", "x");
    BAD("expected KIND NAME FIELD VALUE, or OBJECT.INDEX VALUE", ASSIGN_CHANGE, "threshold");
    BAD("a b: expected a name of 1 to 32 of A-Z a-z 0-9 . _ -", ASSIGN_CHANGE, "threshold", "a b",
        "limit", "3");
    assert_false(READ(ASSIGN_CHANGE, "threshold", long_name, "limit", "3"));
    assert_false(assign_read(NULL, 0, ASSIGN_CHANGE, &assigned, error));
    assert_string_equal(error, "expected KIND NAME FIELD VALUE, or OBJECT.INDEX VALUE");
    assert_false(READ(ASSIGN_CHANGE, "threshold", "x", long_name, "3"));
}

static void as_many_as_a_set_takes(void **state)
{
    (void)state;
    const char *words[2 + SET_MAX + 2] = {"threshold", "x"};
    for (int i = 0; i < SET_MAX; i++)
        words[2 + i] = "limit=1";
    assert_true(read_words(ASSIGN_CHANGE, words));
    words[2 + SET_MAX] = "limit=1";
    assert_false(read_words(ASSIGN_CHANGE, words));
    assert_string_equal(error, "more than 40 values");
}

/* -- Values ---------------------------------------------------------------------------------- */

static struct cell cell;

static bool value(enum mib_object object, const char *text)
{
    error[0] = '\0';
    cell_start(&cell, object);
    return assign_value(&cell, text, error);
}

static void assert_octets(const char *octets, size_t len)
{
    assert_int_equal(cell.kind, CELL_TEXT);
    assert_int_equal(cell.text_len, len);
    assert_memory_equal(cell.text, octets, len);
}

static void labels_and_bits(void **state)
{
    (void)state;
    assert_true(value(MIB_dcampThresholdNotify, "yes") && cell.number == 1);
    assert_true(value(MIB_dcampThresholdNotify, "FALSE") && cell.number == 2);
    assert_true(value(MIB_dcampThresholdNotify, "2") && cell.number == 2);
    assert_false(value(MIB_dcampThresholdNotify, "3"));
    assert_false(value(MIB_dcampThresholdSeverity, "no"));
    assert_string_equal(error,
                        "dcampThresholdSeverity no: expected clear, info, warning, critical");
    assert_true(value(MIB_dcampMaintenanceDays, "sun, mon,sat"));
    assert_octets("\xc2", 1);
    assert_true(value(MIB_dcampMaintenanceDays, ""));
    assert_octets("\0", 1);
    assert_false(value(MIB_dcampMaintenanceDays, "sun,moon"));
    assert_non_null(strstr(error, "moon: expected sun, mon,"));
}

static void numbers_and_times(void **state)
{
    (void)state;
    assert_true(value(MIB_dcampThresholdDuration, "0") && cell.number == 0);
    assert_true(value(MIB_dcampThresholdDuration, "86400000") && cell.number == 86400000);
    assert_true(value(MIB_dcampThresholdDuration, "1d") && cell.number == 86400000);
    assert_false(value(MIB_dcampThresholdDuration, "25h"));
    assert_string_equal(error, "dcampThresholdDuration 25h: expected 0 to 86400000 milliseconds, "
                               "or a time such as 10s");
    assert_false(value(MIB_dcampThresholdMatch, "5s"));
    assert_string_equal(error, "dcampThresholdMatch 5s: expected 1 to 64 samples");
    assert_false(value(MIB_dcampThresholdMatch, "0"));
    assert_false(value(MIB_dcampThresholdMatch, ""));
    assert_false(value(MIB_dcampThresholdMatch, "-1"));
    assert_false(value(MIB_dcampThresholdMatch, "1-"));
    assert_false(value(MIB_dcampThresholdMatch, "99999999999999999999"));
    assert_true(value(MIB_dcampSensorInterval, "0") && value(MIB_dcampSensorInterval, "100"));
    assert_false(value(MIB_dcampSensorInterval, "99"));
    assert_string_equal(error, "dcampSensorInterval 99: expected 0 or 100 to 86400000 "
                               "milliseconds, or a time such as 10s");
}

static void texts_dates_and_identifiers(void **state)
{
    (void)state;
    char text[MESSAGE_SIZE + 1];
    memset(text, 'a', MESSAGE_SIZE);
    text[MESSAGE_SIZE] = '\0';
    assert_false(value(MIB_dcampThresholdDescription, text));
    assert_string_equal(error, "dcampThresholdDescription: expected at most 255 octets");
    assert_true(value(MIB_dcampThresholdDescription, text + 1));
    assert_true(value(MIB_dcampMaintenanceBegin, "2026-11-21T23:31:25+01:00"));
    assert_octets("\x07\xea\x0b\x15\x16\x1f\x19\0+\0\0", 11);
    assert_true(value(MIB_dcampMaintenanceBegin, "none"));
    assert_octets("\0\0\0\0\0\0\0\0", 8);
    assert_false(value(MIB_dcampMaintenanceBegin, "tomorrow"));
    assert_true(value(MIB_dcampObjectOid, "2.999.4"));
    assert_string_equal(cell.text, "2.999.4");
    assert_false(value(MIB_dcampObjectOid, "ifInOctets"));
    assert_string_equal(error,
                        "dcampObjectOid ifInOctets: expected an object identifier in numbers");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields),
                                       cmocka_unit_test(rows_that_come_and_go),
                                       cmocka_unit_test(objects),
                                       cmocka_unit_test(wrong_words),
                                       cmocka_unit_test(as_many_as_a_set_takes),
                                       cmocka_unit_test(several_indexes),
                                       cmocka_unit_test(labels_and_bits),
                                       cmocka_unit_test(numbers_and_times),
                                       cmocka_unit_test(texts_dates_and_identifiers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
