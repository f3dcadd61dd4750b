#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/expression.h"

#include "unit.h"

struct error_row {
    const char *text;
    size_t column;
    const char *error;
};

#define OPERAND "a number, a sensor, a function or \"(\" is expected"
#define OPERATOR "an operator is expected"
#define CLOSE(column) "an operator or the \")\" for column " column " is expected"
#define HINT "; a minus after a name needs a blank before it"
#define NUMBER " is not a decimal number of at most 15 significant digits"
#define MEANING " has no meaning here"
#define PERCENT "\"%\"" MEANING "; it may follow a number directly, once"
#define CHAIN "comparisons do not chain; put one into parentheses"

static const struct error_row errors[] = {
    {"", 1, "the expression is empty"},
    {" \t ", 1, "the expression is empty"},
    /* what is no token */
    {"&", 1, "\"&\"" MEANING},
    {"a & b", 3, "\"&\"" MEANING},
    {"a ^ 2", 3, "\"^\"" MEANING},
    {"_a", 1, "\"_\"" MEANING},
    {"1 + _a", 5, "\"_\"" MEANING},
    {"a ! b", 3, "\"!\"" MEANING},
    {"!a", 1, "\"!\"" MEANING},
    {"\"a\"", 1, "\"\"\"" MEANING},
    {"a;b", 2, "\";\"" MEANING},
    {"a\n", 2, "the octet 0x0a" MEANING},
    {"a + \xc3\xa4", 5, "the octet 0xc3" MEANING},
    {"\x7f", 1, "the octet 0x7f" MEANING},
    {"\x01", 1, "the octet 0x01" MEANING},
    {"a = b", 3, "\"=\" is not an operator; equality is \"==\""},
    {"a === b", 5, "\"=\" is not an operator; equality is \"==\""},
    {"a =< b", 3, "\"=\" is not an operator; equality is \"==\""},
    /* numbers */
    {"1e5", 1, "\"1e5\"" NUMBER},
    {"1 + 2e-5", 5, "\"2e\"" NUMBER},
    {"1.", 1, "\"1.\"" NUMBER},
    {".5", 1, "\".5\"" NUMBER},
    {".", 1, "\".\"" NUMBER},
    {"1.2.3", 1, "\"1.2.3\"" NUMBER},
    {"0x10", 1, "\"0x10\"" NUMBER},
    {"3a", 1, "\"3a\"" NUMBER},
    {"1_000", 1, "\"1_000\"" NUMBER},
    {"a*1234567890123456", 3, "\"1234567890123456\"" NUMBER},
    {"0.1234567890123456", 1, "\"0.1234567890123456\"" NUMBER},
    {"000000000000000000000000000000001", 1, "\"000000000000000000000000000000001\"" NUMBER},
    {"0000000000000000000000000000000001", 1, "\"000000000000000000000000000000000...\"" NUMBER},
    /* percent */
    {"a % b", 3, PERCENT},
    {"5 %", 3, PERCENT},
    {"5\t%", 3, PERCENT},
    {"1 + 5 % * a", 7, PERCENT},
    {"90%%", 4, PERCENT},
    {"90% %", 5, PERCENT},
    {"cpu.busy > 90%%", 15, PERCENT},
    {"%", 1, PERCENT},
    {"%5", 1, PERCENT},
    {"a%", 2, PERCENT},
    {"1 + %", 5, PERCENT},
    {"(5)%", 4, PERCENT},
    {"abs(5)%", 7, PERCENT},
    {"-%", 2, PERCENT},
    {"5%5", 3, OPERATOR ", not \"5\""},
    {"5%a", 3, OPERATOR ", not \"a\""},
    {"5%(a)", 3, OPERATOR ", not \"(\""},
    {"5%.5", 3, "\".5\"" NUMBER},
    {"a 5%", 3, OPERATOR ", not \"5%\""},
    {"(a 12.5%)", 4, CLOSE("1") ", not \"12.5%\""},
    {"5% -", 5, OPERAND " at the end"},
    {"1.%", 1, "\"1.\"" NUMBER},
    {".5%", 1, "\".5\"" NUMBER},
    {"1e5%", 1, "\"1e5\"" NUMBER},
    {"5%%5", 3, PERCENT},
    /* names */
    {"n23456789012345678901234567890abc", 1,
     "the name \"n23456789012345678901234567890ab...\" is longer than 32 characters"},
    {"1 + n23456789012345678901234567890abc", 5,
     "the name \"n23456789012345678901234567890ab...\" is longer than 32 characters"},
    /* an operand is missing */
    {"+", 1, OPERAND ", not \"+\""},
    {"+1", 1, OPERAND ", not \"+\""},
    {"*a", 1, OPERAND ", not \"*\""},
    {"-", 2, OPERAND " at the end"},
    {"a +", 4, OPERAND " at the end"},
    {"a + ", 5, OPERAND " at the end"},
    {"a + * b", 5, OPERAND ", not \"*\""},
    {"a + + b", 5, OPERAND ", not \"+\""},
    {"a <> b", 4, OPERAND ", not \">\""},
    {"a < = b", 5, "\"=\" is not an operator; equality is \"==\""},
    {"a <== b", 5, "\"=\" is not an operator; equality is \"==\""},
    {"(", 2, OPERAND " at the end"},
    {"()", 2, OPERAND ", not \")\""},
    {"(a + )", 6, OPERAND ", not \")\""},
    {",", 1, OPERAND ", not \",\""},
    {")", 1, OPERAND ", not \")\""},
    {"min(", 5, OPERAND " at the end"},
    {"min()", 5, OPERAND ", not \")\""},
    {"min(,a)", 5, OPERAND ", not \",\""},
    {"min(a,)", 7, OPERAND ", not \")\""},
    {"min(a,,b)", 7, OPERAND ", not \",\""},
    {"abs()", 5, OPERAND ", not \")\""},
    /* an operator is missing */
    {"a b", 3, OPERATOR ", not \"b\""},
    {"a 2", 3, OPERATOR ", not \"2\""},
    {"2 a", 3, OPERATOR ", not \"a\""},
    {"2(3)", 2, OPERATOR ", not \"(\""},
    {"(2)(3)", 4, OPERATOR ", not \"(\""},
    {"(2) a", 5, OPERATOR ", not \"a\""},
    {"a, b", 2, OPERATOR ", not \",\""},
    {"a- b", 4, OPERATOR ", not \"b\"" HINT},
    {"a-b c", 5, OPERATOR ", not \"c\"" HINT},
    {"abs(a) b", 8, OPERATOR ", not \"b\""},
    /* parentheses */
    {"(a", 3, CLOSE("1") " at the end"},
    {"((a)", 5, CLOSE("1") " at the end"},
    {"1 + (a", 7, CLOSE("5") " at the end"},
    {"(a b)", 4, CLOSE("1") ", not \"b\""},
    {"(a- b)", 5, CLOSE("1") ", not \"b\"" HINT},
    {"(a, b)", 3, CLOSE("1") ", not \",\""},
    {"a)", 2, "this \")\" has no \"(\""},
    {"(a))", 4, "this \")\" has no \"(\""},
    {"min(a, b", 9, CLOSE("4") " at the end"},
    {"min(a, b c)", 10, CLOSE("4") ", not \"c\""},
    {"abs(a", 6, CLOSE("4") " at the end"},
    {"abs(a b)", 7, CLOSE("4") ", not \"b\""},
    /* functions */
    {"sin(a)", 1, "there is no function \"sin\"; there are min, max, abs and log"},
    {"1 + Min(a, b)", 5, "there is no function \"Min\"; there are min, max, abs and log"},
    {"a (b)", 1, "there is no function \"a\"; there are min, max, abs and log"},
    {"mi(a, b)", 1, "there is no function \"mi\"; there are min, max, abs and log"},
    {"mins(a, b)", 1, "there is no function \"mins\"; there are min, max, abs and log"},
    {"min(a)", 6, "min takes two or more values"},
    {"1 + max(a)", 10, "max takes two or more values"},
    {"abs(a, b)", 6, "abs takes one value"},
    {"log(a, b)", 6, "log takes one value"},
    /* comparisons */
    {"a < b < c", 7, CHAIN},
    {"a == b == c", 8, CHAIN},
    {"a < b + 1 >= c", 11, CHAIN},
    {"(a < b) < c < 1", 13, CHAIN},
    {"min(a < b < c, 1)", 11, CHAIN},
    /* the first one counts */
    {"a b $", 3, OPERATOR ", not \"b\""},
    {"(a $", 4, "\"$\"" MEANING},
};

static void test_every_error_has_its_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        struct expression *e = (struct expression *)&e;
        struct expression_error error = {0};
        /* A copy that ends where its memory ends: a sanitizer sees any octet too far. */
        char *text = strdup(errors[i].text);
        assert_non_null(text);
        assert_int_equal(expression_parse(text, &e, &error), EINVAL);
        if (error.column != errors[i].column || strcmp(error.text, errors[i].error) != 0)
            fail_msg("\"%s\", column %zu: %s", text, error.column, error.text);
        assert_ptr_equal(e, &e);
        free(text);
    }
}

/* Every text of up to four of these pieces: refused with a column within it, or accepted. */
static void test_all_short_texts(void **state)
{
    (void)state;
    static const char *const pieces[] = {"",  "a", "b-", "1", "1.",  "+",    "-",  "*",  "<", "=",
                                         "(", ")", ",",  " ", "min", "log(", "\n", "<=", "%"};
    const size_t n = sizeof pieces / sizeof pieces[0];
    unsigned accepted = 0;
    for (size_t i = 0; i < n * n * n * n; i++) {
        char text[32] = "";
        for (size_t digit = i; strlen(text) < 20 && digit > 0; digit /= n)
            strcat(text, pieces[digit % n]);
        struct expression *e = NULL;
        struct expression_error error = {0};
        if (expression_parse(text, &e, &error) == 0) {
            accepted++;
            assert_int_equal(error.column, 0);
            expression_free(e);
        } else {
            assert_null(e);
            assert_in_range(error.column, 1, strlen(text) + 1);
            assert_true(error.text[0] != '\0');
        }
    }
    assert_in_range(accepted, 1000, 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_error_has_its_column),
        cmocka_unit_test(test_all_short_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
