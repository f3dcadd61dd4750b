/* What may stand in cells: every one has the syntax, size and range of its object, keys are those
 * of the index columns, dates and thousandths those of all values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "agent/engine.h"
#include "agent/tables.h"
#include "base/text.h"

#include "full.h"
#include "walk.h"

static bool in_ranges(const struct mib_info *info, int64_t number)
{
    for (size_t i = 0; i < info->n_ranges; i++)
        if (number >= info->ranges[i].low && number <= info->ranges[i].high)
            return true;
    return info->n_ranges == 0;
}

static bool has_label(const struct mib_info *info, int64_t number)
{
    for (size_t i = 0; i < info->n_labels; i++)
        if (info->labels[i].value == number)
            return true;
    return info->n_labels == 0;
}

/* RFC 2579, DateAndTime. */
static bool is_date(const uint8_t *octets, size_t len)
{
    static const uint8_t low[] = {0, 0, 1, 1, 0, 0, 0, 0, '+', 0, 0};
    static const uint8_t high[] = {255, 255, 12, 31, 23, 59, 60, 9, '+', 0, 0};
    if (len != sizeof low)
        return false;
    for (size_t i = 0; i < len; i++)
        if (octets[i] < low[i] || octets[i] > high[i])
            return false;
    return true;
}

static bool is_one_of(const int *objects, size_t n, int object)
{
    for (size_t i = 0; i < n; i++)
        if (objects[i] == object)
            return true;
    return false;
}

/* Octets that are no text. */
static bool is_binary(int object)
{
    static const int binary[] = {MIB_dcampNodeConfigDigest, MIB_dcampReportBlock,
                                 MIB_dcampChildEngineId,    MIB_dcampDocumentDigest,
                                 MIB_dcampDocumentInForce,  MIB_dcampTreeDigest,
                                 MIB_dcampKeptDigest,       MIB_dcampKeptOctets};
    return is_one_of(binary, N_OF(binary), object);
}

/* Those of values, which are never empty. */
static bool is_value(int object)
{
    return object == MIB_dcampValueText || object == MIB_dcampChildValueText ||
           object == MIB_dcampAggregateValueText;
}

static bool is_decimal(int object)
{
    return is_value(object) || object == MIB_dcampAggregateParameter ||
           object == MIB_dcampFilterDeadband || object == MIB_dcampFilterDeadbandPercent ||
           object == MIB_dcampFilterGateLimit || object == MIB_dcampThresholdLimit ||
           object == MIB_dcampThresholdClear || object == MIB_dcampAlarmValueText ||
           object == MIB_dcampAlarmLogValueText;
}

/* Why something does not work: a sentence, which may have what the names of alarms may not. */
static bool is_reason(int object)
{
    static const int reasons[] = {MIB_dcampSelfSetError,   MIB_dcampSensorError,
                                  MIB_dcampThresholdError, MIB_dcampAggregateError,
                                  MIB_dcampConditionError, MIB_dcampDeviationError};
    return is_one_of(reasons, N_OF(reasons), object);
}

static bool has_control(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return true;
    return false;
}

static bool is_right_text(int object, const char *text, size_t len)
{
    double ignored;
    static const char no_date[8];
    if (mib_objects[object].convention == MIB_DATE)
        return is_date((const uint8_t *)text, len) ||
               (mib_objects[object].initial && len == sizeof no_date &&
                memcmp(text, no_date, len) == 0);
    if (is_binary(object))
        return true;
    if (mib_objects[object].convention == MIB_BITS)
        return len == (mib_objects[object].n_labels + 7) / 8;
    if (is_decimal(object))
        return (len == 0 && !is_value(object)) || text_to_decimal(text, len, &ignored);
    return is_reason(object) ? !has_control(text, len) : text_is_printable(text, len);
}

static bool is_right(int object, const struct mib_value *value)
{
    const struct mib_info *info = &mib_objects[object];
    if (value->syntax != info->syntax)
        return false;
    switch (info->syntax) {
    case MIB_SYNTAX_OCTETS:
        return in_ranges(info, (int64_t)value->octets.len) &&
               is_right_text(object, value->octets.at, value->octets.len);
    case MIB_SYNTAX_INTEGER:
        return value->integer >= INT32_MIN && value->integer <= INT32_MAX &&
               in_ranges(info, value->integer) && has_label(info, value->integer);
    case MIB_SYNTAX_UNSIGNED:
    case MIB_SYNTAX_TIMETICKS:
        return value->number <= UINT32_MAX && in_ranges(info, (int64_t)value->number);
    case MIB_SYNTAX_COUNTER64:
        return true;
    case MIB_SYNTAX_OID:
        return value->oid.len >= 2 && value->oid.len <= OID_MAX && value->oid.at[0] <= 2;
    default:
        return false;
    }
}

static void cells_hold_what_the_mib_says(void **state)
{
    struct node *node = *state;
    struct cells cells = cells_new();
    cells_walk(node, &cells);
    bool seen[MIB_OBJECTS] = {false};
    for (size_t i = 0; i < cells.n; i++) {
        struct mib_value value;
        size_t rest;
        int object = engine_object(cells.oids[i].id, cells.oids[i].len, &rest);
        seen[object] = true;
        assert_int_equal(node_get(node, &cells.oids[i], &value), ENGINE_OK);
        if (!is_right(object, &value))
            fail_msg("%s at %s has a strange value", mib_objects[object].name,
                     oid_text(&cells.oids[i]));
    }
    /* Nothing that can be read has gone untested. */
    for (int object = 0; object < MIB_OBJECTS; object++)
        if (node->engine.bound[object].table && !seen[object])
            fail_msg("%s has no cell", mib_objects[object].name);
    free(cells.oids);
}

/* -- Keys ------------------------------------------------------------------------------------ */

/* The sub-identifiers of one index column at the beginning of a key; 0 if they are not right. */
static size_t index_length(const struct mib_info *info, const uint32_t *key, size_t len)
{
    if (len == 0)
        return 0;
    if (info->syntax != MIB_SYNTAX_OCTETS)
        return in_ranges(info, key[0]) && has_label(info, key[0]) ? 1 : 0;
    if (key[0] >= len || !in_ranges(info, key[0]))
        return 0;
    for (size_t i = 1; i <= key[0]; i++)
        if (key[i] > 255)
            return 0;
    return 1 + key[0];
}

static void keys_are_those_of_the_index(void **state)
{
    struct node *node = *state;
    for (size_t t = 0; t < dcamp_table_count; t++) {
        const struct table *table = dcamp_tables[t];
        if (!table_has_rows(table))
            continue;
        const struct mib_info *entry = &mib_objects[table->object + 1];
        assert_int_equal(entry->role, MIB_ENTRY);
        for (const void *row = node_next_row(node, table, NULL); row;
             row = node_next_row(node, table, row)) {
            uint32_t key[OID_MAX];
            size_t at = 0, n = 1, len = node_instance(table, row, key);
            assert_true(entry->oid_len + 1 + len <= OID_MAX);
            for (size_t x = 0; x < entry->n_objects && n; x++, at += n)
                n = index_length(&mib_objects[entry->objects[x]], key + at, len - at);
            if (!n || at != len)
                fail_msg("%s has a key that is not as its INDEX says", entry->name);
        }
    }
}

/* -- Getters' helpers ------------------------------------------------------------------------ */

static void dates_of_all_times(void **state)
{
    (void)state;
    static const struct {
        int64_t wall_ms;
        const char *octets; /* NULL: has none */
    } dates[] = {
        {0, "\x07\xb2\x01\x01\x00\x00\x00\x00+\x00\x00"},
        {-1, "\x07\xb1\x0c\x1f\x17\x3b\x3b\x09+\x00\x00"},
        {-1000, "\x07\xb1\x0c\x1f\x17\x3b\x3b\x00+\x00\x00"},
        {951827696789, "\x07\xd0\x02\x1d\x0c\x22\x38\x07+\x00\x00"}, /* 2000-02-29 */
        {INT64_C(2005949145599999), "\xff\xff\x0c\x1f\x17\x3b\x3b\x09+\x00\x00"},
        {INT64_C(2005949145600000), NULL}, /* the year 65536 */
        {INT64_C(-62167219200000), "\x00\x00\x01\x01\x00\x00\x00\x00+\x00\x00"},
        {INT64_C(-62167219200001), NULL},
        {INT64_MAX, NULL},
        {INT64_MIN, NULL},
    };
    for (size_t i = 0; i < N_OF(dates); i++) {
        struct mib_value value;
        bool given = give_date(&value, dates[i].wall_ms);
        assert_int_equal(given, dates[i].octets != NULL);
        if (!given)
            continue;
        assert_int_equal(value.octets.len, 11);
        assert_memory_equal(value.octets.at, dates[i].octets, 11);
        assert_true(is_date(value.octets.at, 11));
    }
}

/* Thousandths are rounded to the nearest; what does not fit is not there: a largest number would be
 * taken for the value. */
static void thousandths(void **state)
{
    (void)state;
    static const struct {
        double value;
        bool there;
        int64_t milli;
    } cases[] = {{0, true, 0},
                 {0.0004, true, 0},
                 {0.0006, true, 1},
                 {-0.0006, true, -1},
                 {1.2344, true, 1234},
                 {1.2346, true, 1235},
                 {-12.5, true, -12500},
                 {2147483.647, true, INT32_MAX},
                 {2147483.6474, true, INT32_MAX},
                 {2147483.6476, false, 0},
                 {2147483.648, false, 0},
                 {1e300, false, 0},
                 {-2147483.648, true, INT32_MIN},
                 {-2147483.6484, true, INT32_MIN},
                 {-2147483.6486, false, 0},
                 {-1e300, false, 0},
                 {INFINITY, false, 0},
                 {NAN, false, 0}};
    struct engine engine;
    assert_null(engine_open(&engine, dcamp_tables, dcamp_table_count));
    const enum mib_object columns[] = {MIB_dcampValueMilli, MIB_dcampAggregateValueMilli,
                                       MIB_dcampChildValueMilli};
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct series series = {.result = {RESULT_VALID, cases[i].value}};
        const struct rollup_value aggregate = {.result = {RESULT_VALID, cases[i].value}};
        const struct child_series child = {.state = RESULT_VALID, .value = cases[i].value};
        const void *const rows[] = {&series, &aggregate, &child};
        for (size_t c = 0; c < N_OF(columns); c++) {
            struct mib_value value;
            bool there = engine.bound[columns[c]].column->get(NULL, rows[c], &value);
            assert_int_equal(there, cases[i].there);
            assert_true(!there || value.integer == cases[i].milli);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        full_test(cells_hold_what_the_mib_says),
        full_test(keys_are_those_of_the_index),
        cmocka_unit_test(dates_of_all_times),
        cmocka_unit_test(thousandths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
