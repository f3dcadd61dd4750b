/* Lines, words and numbers of the text of a file, at the limits of each. */
#include <string.h>

#include "sample/scan.h"

#include "unit.h"

static struct procfile file_of(char *text)
{
    return (struct procfile){.fd = -1, .text = text, .length = strlen(text)};
}

/* A last line without its newline was cut off. */
static void lines(void **state)
{
    static const struct {
        const char *text;
        size_t n;
    } rows[] = {{"", 0},     {"a", 0},      {"a\n", 1},     {"\n", 1},
                {"a\nb", 1}, {"a\nb\n", 2}, {"a\n\nc\n", 3}};
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        char text[16];
        size_t n = 0;
        struct line line;
        strcpy(text, rows[i].text);
        const struct procfile file = file_of(text);
        for (bool more = line_first(&file, &line); more; more = line_next(&file, &line), n++)
            assert_int_equal(*line.end, '\n');
        assert_int_equal(n, rows[i].n);
    }
}

static void words(void **state)
{
    static const char text[] = " \t ab\tc\n";
    (void)state;
    assert_ptr_equal(scan_blanks(text), text + 3);
    assert_ptr_equal(scan_blanks(text + 3), text + 3);
    assert_ptr_equal(scan_word(text + 3), text + 5);
    assert_ptr_equal(scan_word(text + 5), text + 5);
    assert_ptr_equal(scan_word(text + 6), text + 7);
    assert_ptr_equal(scan_blanks(text + 7), text + 7);
}

static void digits(void **state)
{
    static const struct {
        const char *text;
        size_t len;
        bool good;
        uint64_t number;
    } rows[] = {
        {"0 ", 1, true, 0},
        {"007x", 3, true, 7},
        {"9/", 1, true, 9},
        {"1:", 1, true, 1},
        {"", 0, false, 0},
        {"-1", 0, false, 0},
        {"x1", 0, false, 0},
        {"9999999999999999999", 19, true, UINT64_C(9999999999999999999)},
        {"18446744073709551615", 20, true, UINT64_MAX},
        {"18446744073709551616", 20, false, 0},
        {"20000000000000000000", 20, false, 0},
        {"00000000000000000000000000001", 29, true, 1},
        {"99999999999999999999999999999", 29, false, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        const char *at = rows[i].text;
        uint64_t number;
        if (scan_digits(&at, &number) != rows[i].good)
            fail_msg("\"%s\"", rows[i].text);
        assert_int_equal(at - rows[i].text, rows[i].len);
        if (rows[i].good)
            assert_int_equal(number, rows[i].number);
    }
}

static void hundredths(void **state)
{
    static const struct {
        const char *text;
        bool good;
        uint64_t number;
    } rows[] = {
        {"12.34 ", true, 1234},        {"0.00\n", true, 0},
        {"0.05\t", true, 5},           {"4294967295.99\n", true, UINT64_C(429496729599)},
        {"4294967296.00\n", false, 0}, {"1.2\n", false, 0},
        {"1.234\n", false, 0},         {"1.\n", false, 0},
        {".12\n", false, 0},           {"1,23\n", false, 0},
        {"1.23x\n", false, 0},         {"x\n", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        uint64_t number = 0;
        if (scan_hundredths(rows[i].text, &number) != rows[i].good)
            fail_msg("\"%s\"", rows[i].text);
        if (rows[i].good)
            assert_int_equal(number, rows[i].number);
    }
}

static const struct scan_key keys[] = {SCAN_KEY("one", 3), SCAN_KEY("two:", 0), SCAN_KEY("on", 31)};

static void keyed_lines(void **state)
{
    char text[] = "on 1\none 11\none 12\ntwo: x\ntwo:  \t7 kB\nthree 3\ntwo 9\none1 5\n";
    (void)state;
    uint64_t field[32] = {0};
    const struct procfile file = file_of(text);
    assert_int_equal(scan_keys_fields(keys, SCAN_KEYS(keys)), 0x80000009u);
    assert_int_equal(scan_keyed_file(&file, keys, SCAN_KEYS(keys), field), 0x80000009u);
    assert_int_equal(field[31], 1);
    assert_int_equal(field[3], 11); /* the first one counts */
    assert_int_equal(field[0], 7);
    assert_int_equal(scan_keyed_file(&file, keys, 1, field), 8);
    char bad[] = "one\none 5x\none -1\non 18446744073709551616\n";
    const struct procfile broken = file_of(bad);
    assert_int_equal(scan_keyed_file(&broken, keys, SCAN_KEYS(keys), field), 0);
    assert_ptr_equal(scan_key_find(keys, 3, "on", 2), keys + 2);
    assert_null(scan_key_find(keys, 2, "on", 2));
    assert_null(scan_key_find(keys, 3, "oNe", 3));
}

static void columns(void **state)
{
    static const struct {
        const char *text;
        unsigned max, count;
        uint32_t valid;
        uint64_t number[3];
    } rows[] = {
        {"1 2 3\n", 3, 3, 7, {1, 2, 3}},
        {"  1\t2   3  \n", 3, 3, 7, {1, 2, 3}},
        {"1 2 3\n", 2, 2, 3, {1, 2}},
        {"1 2\n", 3, 2, 3, {1, 2}},
        {"\n", 3, 0, 0, {0}},
        {"1 2\n", 0, 0, 0, {0}},
        {"1 x 3\n", 3, 3, 5, {1, 0, 3}},
        {"1 2x 3\n", 3, 3, 5, {1, 0, 3}},
        {"- 2 99999999999999999999\n", 3, 3, 2, {0, 2}},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct columns got;
        scan_columns(rows[i].text, rows[i].max, &got);
        if (got.count != rows[i].count || got.valid != rows[i].valid)
            fail_msg("row %zu: %u columns, %x", i, got.count, got.valid);
        for (unsigned k = 0; k < 3; k++)
            if (rows[i].valid >> k & 1)
                assert_int_equal(got.number[k], rows[i].number[k]);
    }
}

static void columns_in_another_order(void **state)
{
    static const uint8_t map[] = {2, 0, 1};
    (void)state;
    const struct columns all = {.count = 3, .valid = 5, .number = {10, 20, 30}};
    uint64_t field[4] = {77, 77, 77, 77};
    assert_int_equal(columns_pick(&all, map, 3, field), 3);
    assert_int_equal(field[0], 30);
    assert_int_equal(field[1], 10);
    assert_int_equal(field[2], 0);
    assert_int_equal(field[3], 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(words),
        cmocka_unit_test(digits),
        cmocka_unit_test(hundredths),
        cmocka_unit_test(keyed_lines),
        cmocka_unit_test(columns),
        cmocka_unit_test(columns_in_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
