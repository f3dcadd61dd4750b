#include <string.h>

#include "dcamp_mib.h"
#include "trapd-handlers/value.h"

#include "unit.h"

static struct value_text text_of(const char *text)
{
    return (struct value_text){text, strlen(text)};
}

static void test_octets(void **state)
{
    (void)state;
    static const struct {
        const char *printed, *octets;
        bool hex;
    } cases[] = {
        {"\"abc\"", "abc", false},
        {"STRING: \"abc\"", "abc", false},
        {"STRING: abc", "abc", false},
        {"abc", "abc", false},
        {"", "", false},
        {"\"\"", "", true},
        {"\"q\\\"b\\\\c\"", "q\"b\\c", false},
        {"\"two\nlines\"", "two\nlines", false},
        {"two\nlines", "two\nlines", false},
        {"\"61 62 0A \"", "ab\n", true},
        {"\"61 62 \n63 \"", "abc", true},
        {"Hex-STRING: 61 62 63 ", "abc", true},
        {"Hex-STRING: 61 62 \n63", "abc", true},
        {"\"61 62   [ab]\"", "ab", true},
        {"\"61 62\"", "61 62", false}, /* text: hexadecimal ends with a blank */
        {"\"61 22   [a\"] 62 5D   [b]]\"", "a\"b]", true},
        {"Hex-STRING: 61 62   [ab]\n63   [c]", "abc", true},
        {"\"61 62   [a]\"", "61 62   [a]", false},
        {"\"61 6g \"", "61 6g ", false},
        {"\"a\" is b", "\"a\" is b", false},
        {"Wrong Type (should be OCTET STRING): STRING: \"x\"", "x", false},
        {"\"open", "\"open", false},
        {"\"", "\"", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char octets[64];
        bool hex;
        long len = value_octets(text_of(cases[i].printed), octets, sizeof octets, &hex);
        assert_int_equal(len, strlen(cases[i].octets));
        assert_memory_equal(octets, cases[i].octets, len);
        assert_int_equal(hex, cases[i].hex);
    }
}

static void test_too_many_octets(void **state)
{
    (void)state;
    static const char *const printed[] = {"\"abcde\"", "abcde", "\"61 62 63 64 65 \"",
                                          "Hex-STRING: 61 62 63 64 65"};
    for (size_t i = 0; i < 4; i++) {
        char octets[5];
        bool hex;
        assert_int_equal(value_octets(text_of(printed[i]), octets, 4, &hex), -1);
        assert_int_equal(value_octets(text_of(printed[i]), octets, 5, &hex), 5);
    }
}

static void test_quoted(void **state)
{
    (void)state;
    assert_int_equal(value_quoted(text_of("\"abc\" d")), 5);
    assert_int_equal(value_quoted(text_of("STRING: \"a\\\"\n\"b\n")), 14);
    assert_int_equal(value_quoted(text_of("\"\"")), 2);
    assert_int_equal(value_quoted(text_of("\"abc")), 0);
    assert_int_equal(value_quoted(text_of("STRING: \"abc\\\"")), 0);
    assert_int_equal(value_quoted(text_of("abc\"")), 0);
    assert_int_equal(value_quoted(text_of("STRING: \n\"abc\"")), 0);
    assert_int_equal(value_quoted(text_of("Wrong Type (should be x\n): \"abc\"")), 0);
    assert_int_equal(value_quoted(text_of("")), 0);
}

static void test_numbers(void **state)
{
    (void)state;
    const struct mib_info *severity = &mib_objects[MIB_dcampAlarmSeverity];
    static const struct {
        const char *printed;
        int64_t number;
    } good[] = {{"4", 4},
                {"INTEGER: 4", 4},
                {"critical", 4},
                {"critical(4)", 4},
                {"INTEGER: critical(4)", 4},
                {"Gauge32: 77", 77},
                {"77 things", 77},
                {"-3", -3},
                {"4294967295", 4294967295}};
    int64_t number;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(value_number(text_of(good[i].printed), severity, &number));
        assert_int_equal(number, good[i].number);
    }
    static const char *const bad[] = {"",           "x",           "4x", "critical(",
                                      "critical()", "critical(x)", "-",  "999999999999",
                                      "\"4\"",      "(4"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(value_number(text_of(bad[i]), severity, &number));
}

static void test_dates(void **state)
{
    (void)state;
    static const struct {
        const char *printed;
        int64_t millis;
    } good[] = {
        {"2026-11-21,21:4:1.5,+0:0", 1795295041500},
        {"STRING: 2026-11-21,21:4:1.5", 1795295041500},
        {"2026-11-21,23:4:1.5,+2:0", 1795295041500},
        {"2026-11-21,15:34:1.5,-5:30", 1795295041500},
        {"\"07 EA 0B 15 15 04 01 05 \"", 1795295041500},
        {"\"07 EA 0B 15 17 04 01 05 2B 02 00 \"", 1795295041500},
        {"Hex-STRING: 07 EA 0B 15 0F 22 01 05 2D 05 1E ", 1795295041500},
    };
    int64_t millis;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(value_date(text_of(good[i].printed), &millis));
        assert_int_equal(millis, good[i].millis);
    }
    static const char *const bad[] = {"",
                                      "\".......\"",
                                      "2026-13-21,21:4:1.5",
                                      "2026-11-21",
                                      "2026-11-21,21:4:1.5,+0",
                                      "2026-11-21,21:4:1.5,+0:0x",
                                      "2026-11-21,21:4:1.5,*0:0",
                                      "2026-11-21,25:4:1.5",
                                      "\"07 EA 0B 15 15 04 01 \"",
                                      "\"07 EA 0B 15 15 04 01 05 2A 00 00 \"",
                                      "1969-11-21,21:4:1.5",
                                      "2026-11-21,21:4:1.5,+20:0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(value_date(text_of(bad[i]), &millis));
}

static void test_addresses(void **state)
{
    (void)state;
    char address[16];
    assert_true(value_address(text_of("10.1.2.3"), address));
    assert_string_equal(address, "10.1.2.3");
    assert_true(value_address(text_of("IpAddress: 255.255.255.255"), address));
    static const char *const bad[] = {"",    "10.1.2",          "10.1.2.3.4", "10.1.2.3; x",
                                      "::1", "255.255.255.2555"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(value_address(text_of(bad[i]), address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_octets), cmocka_unit_test(test_too_many_octets),
        cmocka_unit_test(test_quoted), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_dates),  cmocka_unit_test(test_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
