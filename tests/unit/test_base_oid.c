#include <stdio.h>
#include <string.h>

#include "base/oid.h"

#include "unit.h"

static void good(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        uint32_t arcs[10];
    } cases[] = {
        {"0.0", 2, {0, 0}},
        {"1.3", 2, {1, 3}},
        {".1.3", 2, {1, 3}},
        {"0.39", 2, {0, 39}},
        {"1.39.0", 3, {1, 39, 0}},
        {"2.40", 2, {2, 40}},
        {"2.4294967215", 2, {2, 4294967215}},
        {"1.3.4294967295", 3, {1, 3, 4294967295}},
        {"1.3.6.1.2.1.1.3.0", 9, {1, 3, 6, 1, 2, 1, 1, 3, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t arcs[OID_MAX];
        size_t len = strlen(cases[i].text);
        assert_int_equal(oid_from_text(cases[i].text, len, arcs), cases[i].n);
        assert_memory_equal(arcs, cases[i].arcs, cases[i].n * sizeof *arcs);
        assert_int_equal(oid_from_text(cases[i].text, len, NULL), cases[i].n);
    }
}

static void bad(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",      ".",     "1",       ".1",     "1.",      "1.3.",
        "1..3",  "..1.3", "3.0",     "1.40",   "0.40",    "2.4294967216",
        "1.3.x", "1.3x",  "x",       "1.3.-1", "1.3.+1",  "1.3. 1",
        " 1.3",  "1.3 ",  "01.3",    "1.03",   "1.3.00",  "1.3.4294967296",
        "1,3",   "iso.3", "1.3.0x1", "1.3\n",  "1.3.1e1", "1.3.99999999999999999999",
    };
    uint32_t arcs[OID_MAX];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (oid_from_text(cases[i], strlen(cases[i]), arcs) != 0)
            fail_msg("\"%s\" is taken", cases[i]);
    assert_int_equal(oid_from_text("1.3\0.6", 6, arcs), 0);
}

/* 128 arcs are the most; what is behind the length does not count. */
static void lengths(void **state)
{
    (void)state;
    char text[2 * OID_MAX + 4] = "1";
    uint32_t arcs[OID_MAX];
    for (size_t n = 2; n <= OID_MAX + 1; n++) {
        size_t len = 2 * n - 1;
        snprintf(text + len - 2, 4, ".%u", (unsigned)(n % 10));
        assert_int_equal(oid_from_text(text, len, arcs), n <= OID_MAX ? n : 0);
        assert_int_equal(oid_from_text(text, len - 1, arcs), 0);
    }
    text[2 * OID_MAX - 1] = '\0';
    assert_int_equal(strlen(text), OID_TEXT_SIZE - 1);
}

static void to_text(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        uint32_t arcs[10];
        const char *text;
    } cases[] = {
        {2, {0, 0}, "0.0"},
        {2, {2, 4294967215}, "2.4294967215"},
        {9, {1, 3, 6, 1, 2, 1, 1, 3, 0}, "1.3.6.1.2.1.1.3.0"},
        {1, {1}, "1"},
        {0, {0}, ""},
    };
    char text[OID_TEXT_SIZE];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(oid_to_text(cases[i].arcs, cases[i].n, text), strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
    }
    /* 128 arcs of one digit just fit; one of two digits is too much, wherever it is. */
    for (size_t wide = 0; wide <= OID_MAX; wide++) {
        uint32_t arcs[OID_MAX];
        for (size_t i = 0; i < OID_MAX; i++)
            arcs[i] = i == wide ? 10 : 1;
        assert_int_equal(oid_to_text(arcs, OID_MAX, text), wide == OID_MAX ? OID_TEXT_SIZE - 1 : 0);
        assert_true(strlen(text) < OID_TEXT_SIZE);
    }
}

static void order(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        uint32_t arcs[4];
    } ascending[] = {{0, {0}},    {1, {0}},         {2, {0, 0}},    {2, {0, 1}},
                     {1, {1}},    {2, {1, 3}},      {3, {1, 3, 0}}, {3, {1, 3, 4294967295}},
                     {2, {1, 4}}, {1, {4294967295}}};
    for (size_t i = 0; i < N_OF(ascending); i++)
        for (size_t j = 0; j < N_OF(ascending); j++)
            assert_int_equal(
                oid_compare(ascending[i].arcs, ascending[i].n, ascending[j].arcs, ascending[j].n),
                (i > j) - (i < j));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good),    cmocka_unit_test(bad),   cmocka_unit_test(lengths),
        cmocka_unit_test(to_text), cmocka_unit_test(order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
