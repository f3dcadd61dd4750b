/* What is filled in for each operation, and the words of commands. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/action.h"
#include "scarce.h"
#include "unit.h"

static void filled(const char *text, const char *data, bool is_url, const char *expected)
{
    const struct call call = {.sequence = 18446744073709551615u, .worker = 7, .data = data};
    char *said = action_fill(text, &call, is_url);
    assert_string_equal(said, expected);
    free(said);
}

static void words_in_braces_are_filled_in(void **state)
{
    (void)state;
    filled("", "d", false, "");
    filled("a", "d", false, "a");
    filled("{sequence}/{worker}/{data}", "d", false, "18446744073709551615/7/d");
    filled("{data}{data}", "a b", false, "a ba b");
    filled("{{data}}", "x", false, "{x}");
    filled("{Data}{dat}{", "x", false, "{Data}{dat}{");
    filled("%s{data}%n", "%s", false, "%s%s%n");
    filled("{data}", "{worker}", false, "{worker}");
    assert_true(action_varies("a{{worker}"));
    assert_false(action_varies("{x}{workers"));
}

/* Nothing of the data becomes part of the structure of a URL. */
static void data_in_urls_are_encoded(void **state)
{
    (void)state;
    filled("http://h/?q={data}&n={sequence}", "a b&c=d/?#%\xc3\xa4\r\n~-._Z9", true,
           "http://h/?q=a%20b%26c%3Dd%2F%3F%23%25%C3%A4%0D%0A~-._Z9&n=18446744073709551615");
}

/* The words with '|' behind each, or the error. */
static const char *split(const char *command)
{
    static char said[512];
    int error;
    char **words = action_split(command, &error);
    said[0] = '\0';
    if (!words)
        snprintf(said, sizeof said, "%s", strerror(error));
    for (size_t i = 0; words && words[i]; i++)
        strcat(strcat(said, words[i]), "|");
    action_free_words(words);
    return said;
}

static void commands_have_words(void **state)
{
    const char *bad = strerror(EINVAL);
    (void)state;
    assert_string_equal(split("true"), "true|");
    assert_string_equal(split("  a\tb \n c  "), "a|b|c|");
    assert_string_equal(split("a b c d e"), "a|b|c|d|e|");
    assert_string_equal(split("sh -c 'a b; c' \"d e\" f\\ g"), "sh|-c|a b; c|d e|f g|");
    assert_string_equal(split("'' \"\" x''y"), "||xy|");
    assert_string_equal(split("\"a\\\"b\\\\c\\$d\\e\" 'f\\g'"), "a\"b\\c$d\\e|f\\g|");
    assert_string_equal(split("$HOME * ; `x` #"), "$HOME|*|;|`x`|#|");
    assert_string_equal(split("a\\"), "a\\|");
    assert_string_equal(split(""), bad);
    assert_string_equal(split("  "), bad);
    assert_string_equal(split("a 'b"), bad);
    assert_string_equal(split("a \"b"), bad);
    assert_string_equal(split("a \"b\\\""), bad);
}

/* Only where something is filled in; so not in the address of a socket, and not in a header. */
static void some_take_data(void **state)
{
    char *words[] = {(char[]){"a"}, (char[]){"b{data}"}, NULL};
    const struct action none = {.kind = ACTION_LINE, .target = "{data}:1", .line = "{sequence}"},
                        headers = {.kind = ACTION_URL, .target = "x", .headers = {"a: {data}"}},
                        program = {.kind = ACTION_PROGRAM, .words = words},
                        url = {.kind = ACTION_URL, .target = "http://a/{worker}{data}"},
                        body = {.kind = ACTION_URL, .target = "http://a/", .body = "{data}"},
                        line = {.kind = ACTION_LINE, .target = "a:1", .line = "x {data}"};
    (void)state;
    assert_false(action_takes_data(&none));
    assert_false(action_takes_data(&headers));
    assert_true(action_takes_data(&program));
    assert_true(action_takes_data(&url));
    assert_true(action_takes_data(&body));
    assert_true(action_takes_data(&line));
}

static void memory_may_fail(void **state)
{
    bool has_failed = true;
    (void)state;
    for (size_t nth = 1; has_failed; nth++) {
        int error;
        scarce_fail(nth);
        char **words = action_split("a 'b c' d", &error);
        has_failed = scarce_stop();
        assert_true(has_failed == !words);
        assert_int_equal(error, has_failed ? ENOMEM : 0);
        action_free_words(words);
    }
}

/* The file, and the symbol behind it. */
static void object_has(const char *target, const char *file, const char *symbol)
{
    const char *found;
    size_t len = action_split_object(target, &found);
    assert_int_equal(len, strlen(file));
    assert_memory_equal(target, file, len);
    if (symbol)
        assert_string_equal(found, symbol);
    else
        assert_null(found);
}

static void objects_have_functions(void **state)
{
    (void)state;
    object_has("a.so", "a.so", NULL);
    object_has("a.so:go", "a.so", "go");
    object_has("/x:y/a.so", "/x:y/a.so", NULL);
    object_has("/x:y/a.so:_g0", "/x:y/a.so", "_g0");
    object_has("a.so:", "a.so:", NULL);
    object_has("a.so:0a", "a.so:0a", NULL);
    object_has("a.so:a-b", "a.so:a-b", NULL);
    object_has(":go", "", "go");
    object_has("", "", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_braces_are_filled_in),
        cmocka_unit_test(data_in_urls_are_encoded),
        cmocka_unit_test(commands_have_words),
        cmocka_unit_test(objects_have_functions),
        cmocka_unit_test(some_take_data),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
