#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#include "unit.h"

static void names(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a", "Z", "0", ".", "_", "-", "cpu.busy", "a-b_c.9", "abcdefghijklmnopqrstuvwxyz012345"};
    static const char *const bad[] = {
        "",    " ",     "a b", "a/b", "a:b", "\xc3\xa4", "a\n",
        "a\t", "a\x7f", "*",   "!a",  "a@",  "a[",       "a`",
        "a{",  "cpu,1", "a\\", "a;b", "a|b", "\xff",     "abcdefghijklmnopqrstuvwxyz0123456"};
    for (size_t i = 0; i < N_OF(good); i++)
        assert_true(text_is_name(good[i], strlen(good[i])));
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_false(text_is_name(bad[i], strlen(bad[i])));
    assert_false(text_is_name("a\0b", 3));
    assert_true(text_is_name("ab cd", 2));
    for (int c = 0; c < 256; c++) {
        char text = (char)c;
        bool expected =
            c < 128 && c > 0 &&
            strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", c) != NULL;
        assert_int_equal(text_is_name(&text, 1), expected);
    }
}

static void printable(void **state)
{
    (void)state;
    static const char *const good[] = {
        "",
        " ",
        "~",
        "> 90 & \"quoted\" <b>",
        "\xc2\xa0",         /* U+00A0, the first after the control characters */
        "\xc3\xa4\xc3\xb6", /* two letters of Latin-1 */
        "\xe2\x82\xac",     /* U+20AC */
        "\xed\x9f\xbf",     /* U+D7FF, before the surrogates */
        "\xee\x80\x80",     /* U+E000, after them */
        "\xef\xbf\xbd",     /* U+FFFD */
        "\xf0\x9f\x98\x80", /* U+1F600 */
        "\xf4\x8f\xbf\xbd", /* U+10FFFD */
    };
    static const char *const bad[] = {
        "a;b",
        "a|b",
        "a\nb",
        "\t",
        "\x1f",
        "\x7f",
        "\xc2\x80",         /* U+0080 */
        "\xc2\x9f",         /* U+009F */
        "\xe2\x80\xa8",     /* U+2028 */
        "\xe2\x80\xa9",     /* U+2029 */
        "\xef\xbf\xbe",     /* U+FFFE */
        "\xef\xbf\xbf",     /* U+FFFF */
        "\xed\xa0\x80",     /* U+D800 */
        "\xed\xbf\xbf",     /* U+DFFF */
        "\xc0\xaf",         /* overlong */
        "\xc1\xbf",         /* overlong */
        "\xe0\x9f\xbf",     /* overlong */
        "\xf0\x8f\xbf\xbf", /* overlong */
        "\xf4\x90\x80\x80", /* U+110000 */
        "\xf5\x80\x80\x80",
        "\xf8\x88\x80\x80\x80",
        "\xfe",
        "\xff",
        "\x80",
        "\xc3",
        "\xe2\x82",
        "\xf0\x9f\x98",
        "\xc3(",
        "\xe2\x82(",
    };
    for (size_t i = 0; i < N_OF(good); i++)
        assert_true(text_is_printable(good[i], strlen(good[i])));
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_false(text_is_printable(bad[i], strlen(bad[i])));
    assert_false(text_is_printable("a\0b", 3));
    assert_int_equal(text_utf8_length("", 0), 0);
    for (int octet = 0; octet < 256; octet++) {
        const char alone = (char)octet;
        assert_int_equal(text_utf8_length(&alone, 1), octet < 0x80);
    }
}

/* What is printable stays; of what is not, each octet is another character. */
static void cleaned(void **state)
{
    (void)state;
    static const struct {
        char text[12];
        const char *clean;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"a;b|c\n", "a_b_c_"},
        {"\xe2\x82\xac \xc3\xa9", "\xe2\x82\xac \xc3\xa9"},
        {"\xff\xe2\x82(", "___("},
        {"01234567890\xe2", "01234567890"},
        {"012345678\xe2\x82\xac", "012345678__"}, /* it does not fit, and is cut */
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[12];
        memcpy(text, cases[i].text, sizeof text);
        text_clean(text, sizeof text, '_');
        assert_string_equal(text, cases[i].clean);
        assert_true(text_is_printable(text, strlen(text)));
    }
}

/* Only control characters and what is no UTF-8 go, octet by octet. */
static void instances_cleaned(void **state)
{
    (void)state;
    static const struct {
        const char *text, *clean;
        size_t len;
    } cases[] = {
        {"", "", 0},
        {"GET|HEAD;x \\'\"", "GET|HEAD;x \\'\"", 14},
        {"\xe2\x80\xa8\xe2\x80\xa9\xef\xbf\xbf\xf0\x9f\x98\x80",
         "\xe2\x80\xa8\xe2\x80\xa9\xef\xbf\xbf\xf0\x9f\x98\x80", 13},
        {"\xc2\xa0\xc3\xa4", "\xc2\xa0\xc3\xa4", 4},
        {"a\0b\n\x1f\x7f", "a?b???", 6},
        {"\xc2\x80z\xc2\x9f", "??z??", 5},
        {"\xff\xe2\x82[\xed\xa0\x80", "???[???", 7},
        {"\xe2\x82\xac\xe2\x82", "\xe2\x82\xac??", 5},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char name[INSTANCE_SIZE], same[INSTANCE_SIZE];
        memcpy(same, cases[i].text, cases[i].len);
        text_clean_instance(name, cases[i].text, cases[i].len);
        text_clean_instance(same, same, cases[i].len);
        assert_string_equal(name, cases[i].clean);
        assert_string_equal(same, cases[i].clean);
    }
    char longest[INSTANCE_SIZE - 1], name[INSTANCE_SIZE];
    memset(longest, '\n', sizeof longest);
    text_clean_instance(name, longest, sizeof longest);
    assert_int_equal(strspn(name, "?"), INSTANCE_SIZE - 1);
}

static void tails(void **state)
{
    (void)state;
    static const char text[] = "a\xc3\xa4\xe2\x82\xac";
    static const size_t begins[] = {6, 6, 6, 3, 3, 1, 0, 0};
    for (size_t most = 0; most < N_OF(begins); most++)
        assert_int_equal(text_tail(text, 6, most) - text, begins[most]);
}

struct decimal_case {
    const char *text;
    double value;
};

static void decimals_good(void **state)
{
    (void)state;
    static const struct decimal_case cases[] = {
        {"0", 0},
        {"-0", 0},
        {"+0", 0},
        {"0.0", 0},
        {"1", 1},
        {"+1", 1},
        {"-1", -1},
        {"12.5", 12.5},
        {"-12.5", -12.5},
        {"007", 7},
        {"0.000001", 0.000001},
        {"123456789012345", 123456789012345},
        {"0.123456789012345", 0.123456789012345},
        {"123456789.012345", 123456789.012345},
        {"1000000000000000000", 1e18},
        {"12345678901234500000000000000000", 123456789012345e17},
        {"0000000000000000000000000000000.", NAN},
        {"1.00000000000000000000000000000", 1},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        double value = 77;
        bool good = text_to_decimal(cases[i].text, strlen(cases[i].text), &value);
        assert_int_equal(good, !isnan(cases[i].value));
        if (good)
            assert_true(value == cases[i].value && !(value == 0 && signbit(value)));
    }
}

static void decimals_bad(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",
        " ",
        "+",
        "-",
        ".",
        ".5",
        "5.",
        "1e3",
        "0x10",
        "inf",
        "nan",
        "1 ",
        " 1",
        "1,5",
        "--1",
        "+-1",
        "1.2.3",
        "1..2",
        "1-",
        "1.+2",
        "abc",
        "1a",
        "a1",
        "\xd9\xa1",
        "1.5e0",
        "1\n",
        "1_000",
        "-.5",
        "1234567890123456",
        "0.1234567890123456",
        "123456789.0123456",
        "000000000000000000000000000000001",
    };
    for (size_t i = 0; i < N_OF(bad); i++) {
        double value = 77;
        assert_false(text_to_decimal(bad[i], strlen(bad[i]), &value));
        assert_true(value == 77);
    }
    double value = 77;
    assert_false(text_to_decimal("1\0", 2, &value));
    assert_true(text_to_decimal("125", 2, &value));
    assert_true(value == 12);
}

static void decimals_printed(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {NAN, "0"},
        {INFINITY, "1000000000000000000"},
        {-INFINITY, "-1000000000000000000"},
        {1e300, "1000000000000000000"},
        {-1e19, "-1000000000000000000"},
        {1e18, "1000000000000000000"},
        {999999999999999999.0, "1000000000000000000"},
        {9007199254740993.0, "9007199254740992"},
        {12.5, "12.5"},
        {-3, "-3"},
        {10, "10"},
        {100.10, "100.1"},
        {1.0 / 3, "0.333333"},
        {-2.0 / 3, "-0.666667"},
        {0.0000004, "0"},
        {-0.0000004, "0"},
        {0.0000006, "0.000001"},
        {-0.0000006, "-0.000001"},
        {0.9999996, "1"},
        {999999999.999999, "999999999.999999"},
        {999999999.9999996, "1000000000"},
        {1000000000.12345, "1000000000.12345"},
        {123456789012.345, "123456789012.345"},
        {12345678901234.5, "12345678901234.5"},
        {123456789012345.5, "123456789012346"},
        {18446744073709551615.0, "1000000000000000000"},
    };
    char text[DECIMAL_SIZE];
    for (size_t i = 0; i < N_OF(cases); i++) {
        assert_int_equal(text_from_decimal(text, cases[i].value), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
}

/* Any decimal of 15 significant digits, six of them decimals at most, survives the way through a
 * double. The generator is the one of POSIX, so that a failure repeats. */
static void rounded_for_people(void **state)
{
    (void)state;
    static const struct {
        double value, limit;
        const char *text;
    } cases[] = {
        {611393438, 50, "611400000"},
        {99.87654, 90, "99.88"},
        {-0.00123456, NAN, "-0.001235"},
        {0.3333333, NAN, "0.3333"},
        {10, 50, "10"},
        {0, 0, "0"},
        {12346, NAN, "12350"},
        {99999, NAN, "100000"},
        {NAN, NAN, "0"},
        /* What a limit tells apart stays apart. */
        {90.004, 90, "90.004"},
        {89.9996, 90, "89.9996"},
        {90, 90, "90"},
        {100000001, 100000000, "100000001"},
        {123456, 123450, "123500"},
        {123456, 123500, "123460"},
        {18446744073709551615.0, NAN, "1000000000000000000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[DECIMAL_SIZE];
        text_from_rounded(text, cases[i].value, cases[i].limit);
        assert_string_equal(text, cases[i].text);
    }
}

static void decimals_round_trip(void **state)
{
    (void)state;
    unsigned short seed[3] = {1, 2, 3};
    for (int i = 0; i < 200000; i++) {
        int places = (int)(nrand48(seed) % 7), digits = 1 + (int)(nrand48(seed) % 15);
        uint64_t number = ((uint64_t)nrand48(seed) << 31) | (uint64_t)nrand48(seed);
        uint64_t limit = 1, scale = 1;
        for (int d = 0; d < digits; d++)
            limit *= 10;
        for (int d = 0; d < places; d++)
            scale *= 10;
        number %= limit;
        char written[64], printed[DECIMAL_SIZE];
        int len = snprintf(written, sizeof written, "%s%" PRIu64, i % 2 && number ? "-" : "",
                           number / scale);
        if (number % scale) {
            len += snprintf(written + len, sizeof written - (size_t)len, ".%0*" PRIu64, places,
                            number % scale);
            while (written[len - 1] == '0')
                written[--len] = '\0';
        }
        double value;
        assert_true(text_to_decimal(written, (size_t)len, &value));
        text_from_decimal(printed, value);
        assert_string_equal(printed, written);
    }
}

/* Whatever the double, the text is a decimal that is near and within its buffer. */
static void decimals_any_double(void **state)
{
    (void)state;
    unsigned short seed[3] = {4, 5, 6};
    for (int i = 0; i < 200000; i++) {
        uint64_t bits =
            (uint64_t)mrand48() << 32 ^ (uint64_t)jrand48(seed) << 11 ^ (uint64_t)nrand48(seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        char text[DECIMAL_SIZE];
        size_t len = text_from_decimal(text, value);
        assert_int_equal(len, strlen(text));
        assert_in_range(len, 1, DECIMAL_SIZE - 1);
        assert_int_equal(strspn(text, "-0123456789."), len);
        assert_string_not_equal(text, "-0");
        double expected = isnan(value) ? 0 : fmax(-1e18, fmin(1e18, value));
        double error = fabs(strtod(text, NULL) - expected);
        assert_true(error <= 0.00000051 || error <= fabs(expected) * 1e-14);
    }
}

static void durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t millis;
        const char *printed;
    } good[] = {
        {"0ms", 0, "0s"},        {"0s", 0, "0s"},
        {"0d", 0, "0s"},         {"1ms", 1, "1ms"},
        {"500ms", 500, "500ms"}, {"1000ms", 1000, "1s"},
        {"10s", 10000, "10s"},   {"60s", 60000, "1m"},
        {"61s", 61000, "61s"},   {"5m", 300000, "5m"},
        {"60m", 3600000, "1h"},  {"90m", 5400000, "90m"},
        {"24h", 86400000, "1d"}, {"49d", 4233600000, "49d"},
        {"007s", 7000, "7s"},    {"4294967295ms", UINT32_MAX, "4294967295ms"},
    };
    static const char *const bad[] = {
        "",
        "1",
        "s",
        "ms",
        "1 s",
        " 1s",
        "1s ",
        "-1s",
        "+1s",
        "1.5s",
        "1S",
        "1min",
        "1w",
        "1us",
        "1mss",
        "1m s",
        "1parsec",
        "0x1s",
        "1e3s",
        "s1",
        "1sm",
        "4294967296ms",
        "4294968s",
        "50d",
        "99999999999999999999999999s",
    };
    char text[DECIMAL_SIZE];
    for (size_t i = 0; i < N_OF(good); i++) {
        uint32_t millis = 77;
        assert_true(text_to_millis(good[i].text, strlen(good[i].text), &millis));
        assert_int_equal(millis, good[i].millis);
        assert_int_equal(text_from_millis(text, millis), strlen(good[i].printed));
        assert_string_equal(text, good[i].printed);
    }
    for (size_t i = 0; i < N_OF(bad); i++) {
        uint32_t millis = 77;
        assert_false(text_to_millis(bad[i], strlen(bad[i]), &millis));
        assert_int_equal(millis, 77);
    }
    uint32_t millis;
    assert_true(text_to_millis("10sx", 3, &millis));
    assert_false(text_to_millis("10s\0", 4, &millis));
}

static void durations_round_trip(void **state)
{
    (void)state;
    unsigned short seed[3] = {7, 8, 9};
    for (int i = 0; i < 100000; i++) {
        uint32_t millis = (uint32_t)jrand48(seed) >> (i % 32), back;
        char text[DECIMAL_SIZE];
        size_t len = text_from_millis(text, millis);
        assert_true(text_to_millis(text, len, &back));
        assert_int_equal(back, millis);
    }
}

static void seconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t seconds;
        const char *printed;
    } good[] = {
        {"0s", 0, "0s"},
        {"1s", 1, "1s"},
        {"60s", 60, "1m"},
        {"36h", 129600, "36h"},
        {"2d", 172800, "2d"},
        {"730d", 63072000, "730d"},
        {"61m", 3660, "61m"},
        {"17520h", 63072000, "730d"},
        {"4294967295s", UINT32_MAX, "4294967295s"},
        {"49710d", 4294944000, "49710d"},
    };
    static const char *const bad[] = {"",       "1",           "d",      "1ms",
                                      "1000ms", "1.5d",        "-1d",    "1 d",
                                      "2dd",    "4294967296s", "49711d", "99999999999999999999d"};
    char text[DECIMAL_SIZE];
    for (size_t i = 0; i < N_OF(good); i++) {
        uint32_t value = 77;
        assert_true(text_to_seconds(good[i].text, strlen(good[i].text), &value));
        assert_int_equal(value, good[i].seconds);
        assert_int_equal(text_from_seconds(text, value), strlen(good[i].printed));
        assert_string_equal(text, good[i].printed);
    }
    for (size_t i = 0; i < N_OF(bad); i++) {
        uint32_t value = 77;
        assert_false(text_to_seconds(bad[i], strlen(bad[i]), &value));
        assert_int_equal(value, 77);
    }
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t octets;
        const char *printed;
    } good[] = {
        {"0", 0, "0"},
        {"0k", 0, "0"},
        {"1", 1, "1"},
        {"1024", 1024, "1k"},
        {"1025", 1025, "1025"},
        {"16M", 16777216, "16M"},
        {"1024M", 1073741824, "1G"},
        {"2048G", INT64_C(2199023255552), "2048G"},
        {"9223372036854775807", INT64_MAX, "9223372036854775807"},
        {"8589934591G", INT64_C(8589934591) << 30, "8589934591G"},
    };
    static const char *const bad[] = {"",
                                      "k",
                                      "1K",
                                      "1m",
                                      "1kB",
                                      "1 k",
                                      "-1",
                                      "1.5",
                                      "0x10",
                                      "1kk",
                                      "16MB",
                                      "1T",
                                      " 1",
                                      "9223372036854775808",
                                      "8589934592G",
                                      "99999999999999999999999G"};
    char text[DECIMAL_SIZE];
    for (size_t i = 0; i < N_OF(good); i++) {
        uint64_t octets = 77;
        assert_true(text_to_size(good[i].text, strlen(good[i].text), &octets));
        assert_true(octets == good[i].octets);
        assert_int_equal(text_from_size(text, octets), strlen(good[i].printed));
        assert_string_equal(text, good[i].printed);
    }
    for (size_t i = 0; i < N_OF(bad); i++) {
        uint64_t octets = 77;
        assert_false(text_to_size(bad[i], strlen(bad[i]), &octets));
        assert_int_equal(octets, 77);
    }
    uint64_t octets = 77;
    assert_false(text_to_size("1\0", 2, &octets));
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"*", "anything", true},
        {"*", "", true},
        {"", "eth0", false},
        {"   ", "eth0", false},
        {"eth0", "eth0", true},
        {"eth0", "eth01", false},
        {"eth0", "ETH0", false},
        {"eth*", "eth12", true},
        {"eth?", "eth1", true},
        {"eth?", "eth12", false},
        {"sd[a-c]", "sdb", true},
        {"sd[a-c]", "sdd", false},
        {"sd[!a-c]", "sdd", true},
        {"eth0 eth1", "eth1", true},
        {"eth0 eth1", "eth2", false},
        {"  eth0 \t eth1  ", "eth1", true},
        {"!lo", "lo", false},
        {"!lo", "eth0", true},
        {"!lo !docker*", "docker0", false},
        {"!lo !docker*", "eth0", true},
        {"!lo *", "lo", false},
        {"!lo *", "eth0", true},
        {"!lo eth*", "wlan0", false},
        {"* !lo", "lo", true},
        {"eth* !lo", "wlan0", false},
        {"!loop* !ram* *", "loop7", false},
        {"!loop* !ram* *", "ram0", false},
        {"!loop* !ram* *", "sda1", true},
        {"!*", "eth0", false},
        {"!", "eth0", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"*", ".hidden/slash", true},
        {"[", "a", false},
        {"lo!", "lo!", true},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(text_matches(cases[i].pattern, cases[i].text), cases[i].matches);

    char longest[400];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_false(text_matches(longest, longest));
    longest[PATTERN_SIZE - 1] = '\0';
    assert_true(text_matches(longest, longest));
}

/* Names of instances: without blanks around them or control characters, and of one that is too long
 * the end, which is what differs. */
static void instances(void **state)
{
#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN
    static const struct {
        const char *text, *name;
    } rows[] = {
        {"", ""},
        {" ", ""},
        {"   ", ""},
        {"a", "a"},
        {"  a b  ", "a b"},
        {"\ta\x1f\x7f~", "?a??~"},
        {"\xc3\xa4", "\xc3\xa4"},
        {"x" SIXTY "abc", "x" SIXTY "abc"},
        {" x" SIXTY "abc ", "x" SIXTY "abc"},
        {"xy" SIXTY "abc", "~" SIXTY "abc"},
        {"xyz" SIXTY "abc", "~" SIXTY "abc"},
        {"x\xc3\xa4" SIXTY "ab", "~" SIXTY "ab"}, /* no half of a character */
        {"\xc3\xa4" SIXTY "abc", "~" SIXTY "abc"},
        {"\xf0\x9f\x98\x80" SIXTY "a", "~" SIXTY "a"},
        {"y\xf0\x9f\x98\x80" SIXTY, "~" SIXTY},
        {"\xf0\x9f\x98\x80" SIXTY, "\xf0\x9f\x98\x80" SIXTY},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct {
            char before, name[INSTANCE_SIZE], behind;
        } at = {'<', "", '>'};
        text_instance(at.name, rows[i].text, strlen(rows[i].text));
        assert_string_equal(at.name, rows[i].name);
        assert_int_equal(at.before, '<');
        assert_int_equal(at.behind, '>');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances),
        cmocka_unit_test(names),
        cmocka_unit_test(printable),
        cmocka_unit_test(cleaned),
        cmocka_unit_test(instances_cleaned),
        cmocka_unit_test(tails),
        cmocka_unit_test(decimals_good),
        cmocka_unit_test(decimals_bad),
        cmocka_unit_test(decimals_printed),
        cmocka_unit_test(rounded_for_people),
        cmocka_unit_test(decimals_round_trip),
        cmocka_unit_test(decimals_any_double),
        cmocka_unit_test(durations),
        cmocka_unit_test(durations_round_trip),
        cmocka_unit_test(seconds),
        cmocka_unit_test(sizes),
        cmocka_unit_test(patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
