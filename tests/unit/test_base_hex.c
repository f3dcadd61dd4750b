/* Octets as hexadecimal digits. */
#include <string.h>

#include "base/hex.h"

#include "unit.h"

static void digits(void **state)
{
    (void)state;
    static const char all[] = "0123456789ABCDEFabcdef";
    for (int c = -128; c < 128; c++) {
        const char *at = c ? strchr(all, c) : NULL;
        int value = !at ? -1 : at - all < 16 ? (int)(at - all) : (int)(at - all) - 6;
        assert_int_equal(hex_digit((char)c), value);
    }
}

static void there_and_back(void **state)
{
    (void)state;
    uint8_t octets[256], again[256];
    char text[2 * sizeof octets + 1];
    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = (uint8_t)i;
    hex_from_octets(text, octets, sizeof octets, HEX_UPPER);
    assert_memory_equal(text + 2 * 0xA9, "A9AAABACADAEAFB0", 16);
    assert_int_equal(hex_to_octets(text, again, sizeof again), sizeof again);
    assert_memory_equal(octets, again, sizeof octets);
    hex_from_octets(text, octets + 0xfe, 2, HEX_LOWER);
    assert_string_equal(text, "feff");
    hex_from_octets(text, octets, 0, HEX_LOWER);
    assert_string_equal(text, "");
}

static void where_it_ends(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
    } cases[] = {{"", 0},   {"0", 0},   {"0g", 0},      {"g0", 0},
                 {"00", 1}, {"fFx", 1}, {"0123456", 3}, {"01234567", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t octets[4] = {9, 9, 9, 9};
        assert_int_equal(hex_to_octets(cases[i].text, octets, 3), cases[i].n);
        assert_int_equal(octets[cases[i].n], 9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(digits), cmocka_unit_test(there_and_back),
                                       cmocka_unit_test(where_it_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
