/* Tree documents and shares, when some allocation fails: whole or not at all, with a reason. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlmemory.h>

#include "documents.h"
#include "scarce.h"

static const char document[] = TREE_OF(
    TREE_NODE "<node name=\"a\" address=\"udp:192.0.2.2:161\"/><range network=\"10.0.0.0/24\"/>",
    "<rules fanout=\"7\"/>"
    "<sensors><sensor name=\"busy\" metric=\"cpu.busy\" filter=\"calm\"/></sensors>"
    "<filters><filter name=\"calm\" throttle=\"10s\"/></filters>"
    "<aggregates><aggregate name=\"all\" sensor=\"busy\" function=\"sum\"/></aggregates>"
    "<groups><group name=\"web\"><sensors><sensor name=\"twice\" expression=\"busy * 2\"/>"
    "</sensors></group></groups>");

static const struct assignment root = {
    .role = SHARE_ROOT, .group = "web", .root = "r1", .serial = 7, .digest = TREE_DIGEST};

static const struct share_child child = {
    .name = "a",
    .address = "udp:192.0.2.7:161",
    .group = "web",
    .engine = "80001f8880aa",
    .auth_key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
    .priv_key = "00112233445566778899aabbccddeeff"};

static struct tree_config *make_tree(void)
{
    char error[CONFIG_ERROR_SIZE];
    struct tree_config *tree = load_tree(document, error);
    if (!tree)
        fail_msg("%s", error);
    return tree;
}

static void assert_whole(const struct tree_config *tree)
{
    assert_int_equal(tree->rules.fanout, 7);
    assert_int_equal(tree->n_candidates, 1);
    assert_int_equal(tree->n_nodes, 2);
    assert_int_equal(tree->n_ranges, 1);
    assert_int_equal(tree->n_groups, 1);
    assert_non_null(config_find(tree->common, ROW_SENSOR, "busy"));
    assert_non_null(config_find(tree->common, ROW_FILTER, "calm"));
    assert_non_null(config_find(tree->common, ROW_AGGREGATE, "all"));
    assert_non_null(config_find(tree->groups[0].rows, ROW_SENSOR, "twice"));
}

static void a_tree_is_read_whole(void **state)
{
    (void)state;
    size_t refused = 0;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        char error[CONFIG_ERROR_SIZE] = "";
        scarce_fail(nth);
        struct tree_config *tree = load_tree(document, error);
        failed = scarce_stop();
        if (tree)
            assert_whole(tree);
        else if (!strstr(error, "memory"))
            fail_msg("allocation %zu: \"%s\"", nth, error);
        refused += !tree;
        tree_config_free(tree);
    }
    assert_true(refused > 20);
}

static void say_nothing(void *context, const char *format, ...)
{
    (void)context, (void)format;
}

/* What the library allocates for itself counts and fails, too: a text that is longer than its
 * buffers is whole, or not there. */
static void a_share_is_made_whole(void **state)
{
    (void)state;
    enum { N = 100 };
    static struct share_child children[N];
    struct tree_config *tree = make_tree();
    size_t whole, len, refused = 0;
    for (int i = 0; i < N; i++) {
        children[i] = child;
        snprintf(children[i].name, sizeof children[i].name, "n%d", i);
    }
    char *text = share_make(tree, &root, children, N, &whole);
    assert_non_null(text);
    xmlMemSetup(free, malloc, realloc, strdup); /* those that the linker has put there */
    xmlSetGenericErrorFunc(NULL, say_nothing);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        scarce_fail(nth);
        char *again = share_make(tree, &root, children, N, &len);
        failed = scarce_stop();
        assert_true(again || failed);
        if (again && (len != whole || strcmp(again, text) != 0))
            fail_msg("allocation %zu: %zu of %zu octets", nth, len, whole);
        refused += !again;
        free(again);
    }
    assert_true(refused > 100);
    free(text);
    tree_config_free(tree);
}

static void a_share_is_read_whole(void **state)
{
    (void)state;
    struct tree_config *tree = make_tree();
    size_t len, refused = 0;
    char *text = share_make(tree, &root, &child, 1, &len);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        char error[CONFIG_ERROR_SIZE] = "";
        struct assignment assignment;
        scarce_fail(nth);
        struct config *config = load_share(text, &assignment, error);
        failed = scarce_stop();
        if (!config && !strstr(error, "memory"))
            fail_msg("allocation %zu: \"%s\"", nth, error);
        if (config) {
            assert_int_equal(assignment.role, SHARE_ROOT);
            assert_int_equal(config->rows[ROW_SENSOR].count, 2);
            assert_int_equal(config->rows[ROW_CHILD].count, 1);
            assert_int_equal(config->rows[ROW_AGGREGATE].count, 1);
        }
        refused += !config;
        config_free(config);
    }
    assert_true(refused > 10);
    free(text);
    tree_config_free(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_read_whole),
        cmocka_unit_test(a_share_is_read_whole),
        cmocka_unit_test(a_share_is_made_whole),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
