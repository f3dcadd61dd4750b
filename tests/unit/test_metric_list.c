/* The lists of metrics: as a document, which is the one in doc/, and as a table for a terminal. */

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* For where a line is cut. */
#include "metric/list.c"

#include "unit.h"

static char *written(void (*list)(FILE *to))
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    assert_non_null(to);
    list(to);
    fclose(to);
    return text;
}

static void the_document(void **state)
{
    (void)state;
    const char *source = getenv("srcdir");
    char path[512];
    snprintf(path, sizeof path, "%s/doc/metrics.md", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *text = written(metric_list), *at = text, line[1024];
    for (size_t number = 1; fgets(line, sizeof line, file); number++) {
        size_t len = strlen(line);
        if (strncmp(at, line, len) != 0)
            fail_msg("line %zu of doc/metrics.md is another one: %s", number, line);
        at += len;
    }
    assert_string_equal(at, "");
    fclose(file);
    free(text);
}

static char *next_line(char **text)
{
    return strsep(text, "\n");
}

/* The next word of a line, from *at on; "" at its end. */
static const char *next_word(const char **at, char word[128])
{
    size_t len;
    *at += strspn(*at, " ");
    len = strcspn(*at, " ");
    assert_true(len < 128);
    memcpy(word, *at, len);
    word[len] = '\0';
    *at += len;
    return word;
}

/* A line of the table, and those below it that go on with the meaning: the words in their order. */
static void check_metric(const struct metric *metric, char **text, size_t meaning_at)
{
    char *line = next_line(text), word[128], expected[128];
    const char *at = line, *meaning = metric->meaning;
    assert_string_equal(next_word(&at, word), metric->name);
    assert_memory_equal(line + meaning_at, meaning, strcspn(meaning, " "));
    at = line + meaning_at;
    while (next_word(&meaning, expected)[0]) {
        while (!next_word(&at, word)[0]) {
            at = line = next_line(text);
            assert_int_equal(strspn(line, " "), meaning_at);
        }
        assert_string_equal(word, expected);
        assert_true(strlen(line) <= 100);
    }
    assert_string_equal(at, "");
    assert_true(line[strlen(line) - 1] != ' ');
}

static void the_table(void **state)
{
    (void)state;
    char *text = written(metric_table), *rest = text, *titles = next_line(&rest);
    size_t unit_at = (size_t)(strstr(titles, "UNIT") - titles);
    size_t kind_at = (size_t)(strstr(titles, "KIND") - titles);
    size_t meaning_at = (size_t)(strstr(titles, "MEANING") - titles);
    assert_memory_equal(titles, "METRIC ", 7);
    assert_int_equal(unit_at, 27);
    assert_int_equal(kind_at, 40);
    assert_int_equal(meaning_at, 49);
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metric_registry[i];
        size_t unit = strlen(metric->unit);
        assert_memory_equal(rest + unit_at, metric->unit, unit);
        assert_int_equal(rest[unit_at + unit], ' ');
        assert_int_equal(rest[unit_at - 1], ' ');
        assert_true(islower(rest[kind_at]) && rest[kind_at - 1] == ' ');
        check_metric(metric, &rest, meaning_at);
    }
    assert_string_equal(next_line(&rest), "");
    assert_non_null(strstr(rest, "--list-metrics"));
    free(text);
}

/* At the last blank that fits; a word that is longer than the line is cut. */
static void where_a_line_is_cut(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t width, len;
    } cases[] = {
        {"", 3, 0},        {"abc", 3, 3},       {"abc", 4, 3},     {"abcd", 3, 3},
        {"ab cd", 5, 5},   {"ab cd", 4, 2},     {"ab cd", 2, 2},   {"a b c d", 4, 3},
        {"a b c d", 5, 5}, {"abcdef gh", 3, 3}, {"a bcdef", 1, 1}, {" abc", 2, 2},
        {"a ", 1, 1},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        if (fitting(cases[i].text, cases[i].width) != cases[i].len)
            fail_msg("\"%s\" in %zu", cases[i].text, cases[i].width);
}

/* More lines than two, each below the first, and nothing behind the last. */
static void a_row_of_many_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);
    put_row(to, "name", "unit", "kind",
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
            "fifteen sixteen seventeen eighteen nineteen");
    fclose(to);
    assert_string_equal(
        text, "name                       unit         kind     one two three four five six seven "
              "eight nine ten\n"
              "                                                 eleven twelve thirteen fourteen "
              "fifteen sixteen\n"
              "                                                 seventeen eighteen nineteen\n");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document),
        cmocka_unit_test(the_table),
        cmocka_unit_test(where_a_line_is_cut),
        cmocka_unit_test(a_row_of_many_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
