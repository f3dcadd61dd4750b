#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/sheet.h"

#include "unit.h"

static const struct sheet_column columns[] = {{"number", "NUMBER", SHEET_NUMBER},
                                              {"when", "WHEN", SHEET_TIME},
                                              {"hidden", NULL, SHEET_TRUTH},
                                              {"text", "TEXT", SHEET_TEXT},
                                              {"more", "MORE", SHEET_TEXT}};

#define TEXT(t)                                                                                    \
    {                                                                                              \
        .given = true, .text = (t), .len = sizeof(t) - 1                                           \
    }
#define NUMBER(n)                                                                                  \
    {                                                                                              \
        .given = true, .number = (n)                                                               \
    }
#define NOTHING                                                                                    \
    {                                                                                              \
        .given = false                                                                             \
    }
#define ROW(...) assert_true(sheet_add(sheet, (const struct sheet_value[]){__VA_ARGS__}))

static struct sheet *sheet;

static int make_sheet(void **state)
{
    (void)state;
    setenv("TZ", "XYZ-5:30", 1);
    tzset();
    sheet = sheet_new(columns, sizeof columns / sizeof *columns);
    return sheet ? 0 : -1;
}

static int free_sheet(void **state)
{
    (void)state;
    sheet_free(sheet);
    return 0;
}

static void expect(enum sheet_format format, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_true(sheet_print(sheet, format, to));
    fclose(to);
    assert_string_equal(text, expected);
    free(text);
}

static void no_rows(void **state)
{
    (void)state;
    expect(SHEET_TABLE, "");
    expect(SHEET_TSV, "number\twhen\thidden\ttext\tmore\n");
    expect(SHEET_JSON, "");
}

static void two_rows(void)
{
    ROW(NUMBER(4294967295), NUMBER(1795289485300), NUMBER(1), TEXT("gr\xc3\xbc\xc3\x9f"),
        TEXT("a \"b\" \\"));
    ROW(NUMBER(7), NOTHING, NUMBER(0), TEXT(""), NOTHING);
}

/* What comes after rows that were printed stands below them. */
static void rows_that_follow(void **state)
{
    (void)state;
    sheet_clear(sheet);
    expect(SHEET_TABLE, "");
    ROW(NUMBER(7), NOTHING, NOTHING, TEXT("abcdef"), TEXT("x"));
    expect(SHEET_TABLE, "NUMBER  WHEN  TEXT    MORE\n"
                        "     7  -     abcdef  x\n");
    sheet_clear(sheet);
    ROW(NUMBER(123), NOTHING, NOTHING, TEXT("a"), TEXT("y"));
    expect(SHEET_TABLE, "   123  -     a       y\n");
    expect(SHEET_TSV, "123\t\t\ta\ty\n");
    sheet_clear(sheet);
    expect(SHEET_TABLE, "");
}

static void spans(void **state)
{
    (void)state;
    static const struct sheet_column one[] = {{"age", "AGE", SHEET_SPAN}};
    struct sheet *kept = sheet;
    sheet = sheet_new(one, 1);
    ROW(NUMBER(61000));
    ROW(NUMBER(7200000));
    ROW(NOTHING);
    expect(SHEET_TABLE, " AGE\n61 s\n 2 h\n   -\n");
    expect(SHEET_TSV, "age\n61000\n7200000\n\n");
    expect(SHEET_JSON, "{\"age\":61000}\n{\"age\":7200000}\n{\"age\":null}\n");
    sheet_free(sheet);
    sheet = kept;
}

/* Numbers on the right, characters counted and not octets, nothing behind the last column. */
static void a_table(void **state)
{
    (void)state;
    two_rows();
    expect(SHEET_TABLE, "    NUMBER  WHEN                      TEXT  MORE\n"
                        "4294967295  2026-11-22 01:01:25+0530  gr\xc3\xbc\xc3\x9f  a \"b\" \\\n"
                        "         7  -                         -     -\n");
}

static void tab_separated(void **state)
{
    (void)state;
    two_rows();
    expect(SHEET_TSV, "number\twhen\thidden\ttext\tmore\n"
                      "4294967295\t2026-11-22 01:01:25+0530\tyes\tgr\xc3\xbc\xc3\x9f\ta \"b\" \\\n"
                      "7\t\tno\t\t\n");
}

static void json(void **state)
{
    (void)state;
    two_rows();
    expect(SHEET_JSON,
           "{\"number\":4294967295,\"when\":\"2026-11-21T19:31:25.3Z\",\"hidden\":true,"
           "\"text\":\"gr\xc3\xbc\xc3\x9f\",\"more\":\"a \\\"b\\\" \\\\\"}\n"
           "{\"number\":7,\"when\":null,\"hidden\":false,\"text\":null,\"more\":null}\n");
}

/* Escape sequences of terminals in seven and in eight bits, line ends, NUL, and octets that are no
 * UTF-8. */
static void what_agents_may_not_say(void **state)
{
    (void)state;
    ROW(NUMBER(1), NOTHING, NUMBER(1), TEXT("\x1b[2J\a\r\n\t\x7f\0z"),
        TEXT(";|\xc2\x9b"
             "31m\xe2\x80\xa8"));
    ROW(NUMBER(2), NOTHING, NUMBER(1), TEXT("\x9b\xc3"), TEXT("\xed\xa0\x80\xf4\x90\x80\x80."));
    expect(SHEET_TSV, "number\twhen\thidden\ttext\tmore\n"
                      "1\t\tyes\t?[2J??????z\t;|?31m?\n"
                      "2\t\tyes\t??\t???????.\n");
    expect(SHEET_TABLE, "NUMBER  WHEN  TEXT         MORE\n"
                        "     1  -     ?[2J??????z  ;|?31m?\n"
                        "     2  -     ??           ???????.\n");
    expect(SHEET_JSON,
           "{\"number\":1,\"when\":null,\"hidden\":true,\"text\":\"?[2J??????z\","
           "\"more\":\";|?31m?\"}\n"
           "{\"number\":2,\"when\":null,\"hidden\":true,\"text\":\"??\",\"more\":\"???????.\"}\n");
}

static void times_before_1970_and_after_all(void **state)
{
    (void)state;
    ROW(NUMBER(1), NUMBER(-100), NUMBER(1), NOTHING, NOTHING);
    ROW(NUMBER(2), NUMBER(INT64_MAX), NUMBER(1), NOTHING, NOTHING);
    ROW(NUMBER(3), NUMBER(-2000), NUMBER(1), NOTHING, NOTHING);
    expect(SHEET_JSON,
           "{\"number\":1,\"when\":\"1969-12-31T23:59:59.9Z\",\"hidden\":true,\"text\":null,"
           "\"more\":null}\n"
           "{\"number\":2,\"when\":\"292278994-08-17T07:12:55.8Z\",\"hidden\":true,\"text\":null,"
           "\"more\":null}\n"
           "{\"number\":3,\"when\":\"1969-12-31T23:59:58.0Z\",\"hidden\":true,\"text\":null,"
           "\"more\":null}\n");
}

static void many_rows(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0, lines = 0;
    for (int i = 0; i < 1000; i++)
        ROW(NUMBER(i), NOTHING, NUMBER(0), TEXT("x"), NOTHING);
    FILE *to = open_memstream(&text, &size);
    assert_true(sheet_print(sheet, SHEET_JSON, to));
    fclose(to);
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    assert_int_equal(lines, 1000);
    assert_non_null(strstr(text, "{\"number\":999,"));
    free(text);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, make_sheet, free_sheet)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(no_rows),
                                       TEST(rows_that_follow),
                                       TEST(spans),
                                       TEST(a_table),
                                       TEST(tab_separated),
                                       TEST(json),
                                       TEST(what_agents_may_not_say),
                                       TEST(times_before_1970_and_after_all),
                                       TEST(many_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
