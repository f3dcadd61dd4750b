/* In which order nodes are shown, whatever they say of their parents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/forest.h"

#include "unit.h"

#define MANY 20000

/* "name<parent" for each node; what comes is "depth name" each, with '!' for those astray. */
static void assert_layout(const char *expected, size_t n, const char *const pairs[][2])
{
    struct forest_node nodes[16] = {{NULL, NULL}};
    struct forest_place places[16];
    char shown[400] = "";
    for (size_t i = 0; i < n; i++)
        nodes[i] = (struct forest_node){pairs[i][0], pairs[i][1]};
    assert_true(forest_layout(nodes, n, places));
    for (size_t i = 0; i < n; i++) {
        char one[40];
        snprintf(one, sizeof one, "%s%zu %s%s", i ? ", " : "", places[i].depth,
                 nodes[places[i].node].name, places[i].astray ? "!" : "");
        strcat(shown, one);
    }
    assert_string_equal(shown, expected);
}

#define LAYOUT(expected, ...)                                                                      \
    do {                                                                                           \
        static const char *const pairs[][2] = {__VA_ARGS__};                                       \
        assert_layout(expected, N_OF(pairs), pairs);                                               \
    } while (0)

static void a_tree(void **state)
{
    (void)state;
    assert_layout("", 0, NULL);
    LAYOUT("0 a", {"a", ""});
    LAYOUT("0 r, 1 c1, 2 n2, 2 n10, 1 c2, 2 n3", {"n10", "c1"}, {"n2", "c1"}, {"n3", "c2"},
           {"c2", "r"}, {"c1", "r"}, {"r", ""});
    LAYOUT("0 a, 1 z, 0 b", {"b", ""}, {"z", "a"}, {"a", ""});
}

static void orphans(void **state)
{
    (void)state;
    LAYOUT("0 r, 0 n!, 1 m", {"m", "n"}, {"n", "gone"}, {"r", ""});
    LAYOUT("0 a!", {"a", "b"});
}

static void circles(void **state)
{
    (void)state;
    LAYOUT("0 a!", {"a", "a"});
    LAYOUT("0 a!, 1 b", {"a", "b"}, {"b", "a"});
    LAYOUT("0 r, 0 a!, 1 b, 2 c, 3 d, 2 x", {"a", "c"}, {"b", "a"}, {"c", "b"}, {"d", "c"},
           {"x", "b"}, {"r", ""});
    LAYOUT("0 a!, 1 b, 2 z, 0 c!, 1 d", {"a", "b"}, {"b", "a"}, {"c", "d"}, {"d", "c"}, {"z", "b"});
}

/* Each node has a place even where two say that they are the same. */
static void twins(void **state)
{
    (void)state;
    LAYOUT("0 a, 0 a, 1 b", {"a", ""}, {"b", "a"}, {"a", ""});
    LAYOUT("0 a!, 0 a!", {"a", "a"}, {"a", "a"});
}

/* A chain, which no recursion would survive, and a circle of the same length. */
static void very_deep(void **state)
{
    (void)state;
    static struct forest_node nodes[MANY];
    static struct forest_place places[MANY];
    static char names[MANY][16];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "n%zu", i);
        nodes[i] = (struct forest_node){names[i], i ? names[i - 1] : ""};
    }
    assert_true(forest_layout(nodes, MANY, places));
    for (size_t i = 0; i < MANY; i++)
        assert_true(places[i].node == i && places[i].depth == i && !places[i].astray);
    nodes[0].parent = names[MANY - 1];
    assert_true(forest_layout(nodes, MANY, places));
    for (size_t i = 0; i < MANY; i++)
        assert_true(places[i].node == i && places[i].depth == i && places[i].astray == (i == 0));
}

static void indents(void **state)
{
    (void)state;
    char text[FOREST_INDENT_SIZE];
    forest_indent(text, 0);
    assert_string_equal(text, "");
    forest_indent(text, 2);
    assert_string_equal(text, "    ");
    forest_indent(text, 9);
    assert_int_equal(strlen(text), 18);
    forest_indent(text, SIZE_MAX);
    assert_string_equal(text, "                    18446744073709551615: ");
}

static void cuts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t columns;
        const char *cut;
    } cases[] = {{"", 3, ""},
                 {"abc", 3, "abc"},
                 {"abcd", 3, "ab~"},
                 {"abcd", 1, "~"},
                 {"abcd", 0, ""},
                 {"\u00e4\u00f6\u00fc", 3, "\u00e4\u00f6\u00fc"},
                 {"\u00e4\u00f6\u00fc", 2, "\u00e4~"},
                 {"\u00e4\u00f6\u00fc", 1, "~"}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[16];
        strcpy(text, cases[i].text);
        forest_cut(text, cases[i].columns);
        assert_string_equal(text, cases[i].cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_tree),    cmocka_unit_test(orphans),
                                       cmocka_unit_test(circles),   cmocka_unit_test(twins),
                                       cmocka_unit_test(very_deep), cmocka_unit_test(indents),
                                       cmocka_unit_test(cuts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
