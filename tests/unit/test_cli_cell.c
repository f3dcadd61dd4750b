#include <string.h>

#include "cli/cell.h"

#include "unit.h"

static void names(void **state)
{
    (void)state;
    struct cell cell;
    size_t base = mib_objects[MIB_dcampValueText].oid_len;
    cell_start(&cell, MIB_dcampValueText);
    assert_int_equal(cell.len, base);
    assert_memory_equal(cell.oid, mib_objects[MIB_dcampValueText].oid, base * sizeof *cell.oid);
    cell_add_text(&cell, "ab");
    cell_add_text(&cell, "\xc3");
    static const uint32_t indexes[] = {2, 'a', 'b', 1, 0xc3};
    assert_int_equal(cell.len, base + 5);
    assert_memory_equal(cell.oid + base, indexes, sizeof indexes);
    assert_int_equal(cell.kind, CELL_MISSING);
    cell_scalar(&cell, MIB_dcampNodeName);
    assert_int_equal(cell.len, mib_objects[MIB_dcampNodeName].oid_len + 1);
    assert_int_equal(cell.oid[cell.len - 1], 0);
}

static void indexes_are_read_back(void **state)
{
    (void)state;
    struct cell cell;
    char text[INSTANCE_SIZE];
    uint32_t number;
    size_t at = 0;
    cell_start(&cell, MIB_dcampValueText);
    cell_add_text(&cell, "cpu.busy");
    cell_add_number(&cell, 4294967295);
    cell_add_text(&cell, "");
    assert_true(cell_index_text(&cell, &at, text, sizeof text));
    assert_string_equal(text, "cpu.busy");
    assert_true(cell_index_number(&cell, &at, &number));
    assert_true(number == 4294967295);
    assert_true(cell_index_text(&cell, &at, text, sizeof text));
    assert_string_equal(text, "");
    assert_false(cell_index_text(&cell, &at, text, sizeof text));
    assert_false(cell_index_number(&cell, &at, &number));
}

static void refuse(const uint32_t *indexes, size_t n, size_t size)
{
    struct cell cell;
    char text[INSTANCE_SIZE] = "kept";
    size_t at = 0;
    cell_start(&cell, MIB_dcampValueText);
    for (size_t i = 0; i < n; i++)
        cell_add_number(&cell, indexes[i]);
    assert_false(cell_index_text(&cell, &at, text, size));
    assert_int_equal(at, 0);
}

/* What an agent may send in place of a name. */
static void indexes_that_are_no_text(void **state)
{
    (void)state;
    refuse(NULL, 0, 10);
    refuse((const uint32_t[]){3, 'a', 'b'}, 3, 10);
    refuse((const uint32_t[]){2, 'a', 0}, 3, 10);
    refuse((const uint32_t[]){2, 'a', 256}, 3, 10);
    refuse((const uint32_t[]){4294967295, 'a'}, 2, 10);
    refuse((const uint32_t[]){3, 'a', 'b', 'c'}, 4, 3);
}

static void names_that_are_too_long(void **state)
{
    (void)state;
    struct cell cell;
    cell_start(&cell, MIB_dcampValueText);
    for (int i = 0; i < 200; i++)
        cell_add_number(&cell, 1);
    assert_int_equal(cell.len, OID_MAX);
}

static void labels(void **state)
{
    (void)state;
    struct cell cell;
    cell_start(&cell, MIB_dcampChildState);
    assert_string_equal(cell_label(&cell), "?");
    cell.kind = CELL_NUMBER;
    cell.number = dcampChildState_wrongKey;
    assert_string_equal(cell_label(&cell), "wrongKey");
    cell.number = 99;
    assert_string_equal(cell_label(&cell), "?");
    cell_start(&cell, MIB_dcampValueAge);
    cell.kind = CELL_NUMBER;
    assert_string_equal(cell_label(&cell), "?");
}

#define DATE(text) date_of(text, sizeof(text) - 1)
#define NO_DATE INT64_MIN

static int64_t date_of(const char *octets, size_t len)
{
    struct cell cell;
    int64_t wall_ms = NO_DATE;
    cell_start(&cell, MIB_dcampAlarmSince);
    cell.kind = CELL_TEXT;
    memcpy(cell.text, octets, len);
    cell.text_len = len;
    return cell_date(&cell, &wall_ms) ? wall_ms : NO_DATE;
}

static void dates(void **state)
{
    (void)state;
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x19\x03+\0\0"), 1795289485300);
    assert_int_equal(DATE("\x07\xea\x0b\x16\x01\x01\x19\x03+\x05\x1e"), 1795289485300);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x0e\x1f\x19\x03-\x05\0"), 1795289485300);
    assert_int_equal(DATE("\x07\xe8\x02\x1d\0\0\0\0+\0\0"), 1709164800000);
    assert_int_equal(DATE("\x07\xb2\x01\x01\0\0\0\0+\0\0"), 0);
    assert_int_equal(DATE("\x07\xe0\x0c\x1f\x17\x3b\x3c\0+\0\0"), 1483228800000);
}

static void what_is_no_date(void **state)
{
    (void)state;
    struct cell missing;
    int64_t wall_ms;
    assert_int_equal(DATE(""), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x19\x03"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x19\x03*\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\0\x15\x13\x1f\x19\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0d\x15\x13\x1f\x19\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x02\x1d\x13\x1f\x19\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x1f\x13\x1f\x19\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x18\x1f\x19\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x3c\x19\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x3d\x03+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x19\x0a+\0\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x19\x03+\x0f\0"), NO_DATE);
    assert_int_equal(DATE("\x07\xea\x0b\x15\x13\x1f\x19\x03+\0\x3c"), NO_DATE);
    cell_start(&missing, MIB_dcampAlarmSince);
    assert_false(cell_date(&missing, &wall_ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names),
                                       cmocka_unit_test(indexes_are_read_back),
                                       cmocka_unit_test(indexes_that_are_no_text),
                                       cmocka_unit_test(names_that_are_too_long),
                                       cmocka_unit_test(labels),
                                       cmocka_unit_test(dates),
                                       cmocka_unit_test(what_is_no_date)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
