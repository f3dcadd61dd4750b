/* Tree documents that are right: what is said, what is not said, and the limits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "snmpv3/credential.h"
#include "tree/election.h"

#include "documents.h"

static struct tree_config *load_good(const char *text)
{
    char error[CONFIG_ERROR_SIZE];
    struct tree_config *tree = load_tree(text, error);
    if (!tree)
        fail_msg("%s", error);
    assert_string_equal(error, "");
    return tree;
}

static void what_is_not_said(void **state)
{
    (void)state;
    struct tree_config *tree = load_good(TREE(""));
    assert_int_equal(tree->rules.fanout, 100);
    assert_int_equal(tree->rules.heartbeat_ms, 1000);
    assert_int_equal(tree->rules.leaf_heartbeat_ms, 30000);
    assert_int_equal(tree->rules.missed, 3);
    assert_int_equal(tree->rules.period_ms, 1000);
    assert_int_equal(tree->coordination.kind, TREE_COORDINATION_LIST);
    assert_string_equal(tree->coordination.prefix, "dcamp");
    assert_int_equal(tree->coordination.ttl_ms, 9000);
    assert_string_equal(tree->access.admin, "dcampAdmin");
    assert_string_equal(tree->access.poll, "dcampPoll");
    assert_string_equal(tree->access.secrets, "/etc/dcamp/site.secret");
    assert_string_equal(tree->access.poll_secrets, "");
    assert_string_equal(tree->access.next_secrets, "");
    assert_int_equal(tree->access.auth, CREDENTIAL_SHA256);
    assert_int_equal(tree->access.priv, CREDENTIAL_AES128);
    assert_int_equal(tree->n_candidates, 1);
    assert_string_equal(tree->candidates[0], "r1");
    assert_int_equal(tree->n_nodes, 1);
    assert_string_equal(tree->nodes[0].name, "r1");
    assert_string_equal(tree->nodes[0].address, "udp:192.0.2.1:161");
    assert_string_equal(tree->nodes[0].group, "default");
    assert_int_equal(tree->nodes[0].collect, TREE_COLLECT_AUTO);
    assert_int_equal(tree->n_ranges, 0);
    assert_int_equal(tree->n_groups, 0);
    for (int kind = 0; kind < ROW_KINDS; kind++)
        assert_int_equal(tree->common->rows[kind].count, 0);
    tree_config_free(tree);
}

#define REVOKED(keys) TREE("<revoked>" keys "</revoked>")

static void keys_that_are_revoked(void **state)
{
    (void)state;
    static const uint8_t first[] = {0x80, 0, 0x1f, 0x88, 4, 1}, second[] = {0x80, 0, 0x1f, 0x88, 4};
    struct tree_config *tree = load_good(REVOKED("<keys engine=\"80001F880401\" node=\"web2\"/>"
                                                 "<keys engine=\"80001f8804\" back=\"yes\"/>"));
    assert_int_equal(tree->n_revoked, 2);
    assert_string_equal(tree->revoked[0].node, "web2");
    assert_true(tree_revokes(tree, first, sizeof first));
    assert_false(tree_revokes(tree, second, sizeof second));
    assert_false(tree_revokes(tree, first, 4));
    struct tree_config *silent = load_good(TREE("")),
                       *again = load_good(REVOKED("<keys engine=\"80001f880401\"/>")),
                       *back = load_good(REVOKED("<keys engine=\"80001f880401\" back=\"yes\"/>"));
    assert_ptr_equal(tree_forgotten(tree, silent), &tree->revoked[0]);
    assert_null(tree_forgotten(tree, again));
    assert_null(tree_forgotten(tree, back));
    assert_null(tree_forgotten(back, silent));
    assert_null(tree_forgotten(silent, tree));
    tree_config_free(tree);
    tree_config_free(silent);
    tree_config_free(again);
    tree_config_free(back);
}

static void etcd_decides(void **state)
{
    (void)state;
    struct tree_config *tree =
        load_good(TREE("<coordination kind=\"etcd\" ttl=\"3s\" prefix=\"p\" user=\"u\" "
                       "endpoints=\" https://a:2379  https://[::1]:2379\" secrets=\"/s\" "
                       "ca=\"/c\"/>"));
    const struct tree_coordination *coordination = &tree->coordination;
    assert_int_equal(coordination->kind, TREE_COORDINATION_ETCD);
    assert_string_equal(coordination->endpoints, " https://a:2379  https://[::1]:2379");
    assert_string_equal(coordination->prefix, "p");
    assert_string_equal(coordination->user, "u");
    assert_string_equal(coordination->secrets, "/s");
    assert_string_equal(coordination->ca, "/c");
    assert_int_equal(coordination->ttl_ms, 3000);
    tree_config_free(tree);
}

static const char whole[] =
    "<tree version=\"1\">"
    "<groups><group name=\"web\"><sensors><sensor name=\"s\" metric=\"load.5\"/></sensors></group>"
    "<group name=\"empty\"/></groups>"
    "<rules fanout=\"2\" heartbeat=\"500ms\" leaf-heartbeat=\"1h\" missed=\"10\" period=\"100ms\"/>"
    "<nodes><range network=\"198.51.100.0/24\" port=\"1161\" group=\"web\" collect=\"no\"/>"
    "<node name=\"a\" address=\"udp:192.0.2.1:161\" group=\"web\" collect=\"yes\"/>"
    "<range network=\"2001:db8::ff00/120\"/>"
    "<node name=\"b\" address=\"udp6:[2001:db8::7]:161\" collect=\"auto\"/></nodes>"
    "<candidates><candidate node=\"b\"/><candidate node=\"a\"/></candidates>"
    "<sensors><sensor name=\"s\" metric=\"cpu.busy\"/></sensors>"
    "<aggregates><aggregate name=\"all\" sensor=\"s\" function=\"sum\"/></aggregates>"
    "<access admin=\"boss\" poll=\"reader\" auth=\"SHA-512\" priv=\"AES-256\" secrets=\"/a\" "
    "poll-secrets=\"/b\" next-secrets=\"/c\"/>"
    "</tree>";

static void assert_members(const struct tree_config *tree)
{
    static const uint8_t first[16] = {198, 51, 100, 0};
    static const uint8_t second[16] = {0x20, 0x01, 0x0d, 0xb8, [14] = 0xff};
    assert_int_equal(tree->n_nodes, 2);
    assert_string_equal(tree->nodes[0].name, "a");
    assert_string_equal(tree->nodes[0].group, "web");
    assert_int_equal(tree->nodes[0].collect, TREE_COLLECT_YES);
    assert_string_equal(tree->nodes[1].address, "udp6:[2001:db8::7]:161");
    assert_int_equal(tree->nodes[1].collect, TREE_COLLECT_AUTO);
    assert_int_equal(tree->n_ranges, 2);
    assert_memory_equal(tree->ranges[0].network, first, 16);
    assert_false(tree->ranges[0].is_ipv6);
    assert_int_equal(tree->ranges[0].bits, 24);
    assert_int_equal(tree->ranges[0].port, 1161);
    assert_string_equal(tree->ranges[0].group, "web");
    assert_int_equal(tree->ranges[0].collect, TREE_COLLECT_NO);
    assert_memory_equal(tree->ranges[1].network, second, 16);
    assert_true(tree->ranges[1].is_ipv6);
    assert_int_equal(tree->ranges[1].bits, 120);
    assert_int_equal(tree->ranges[1].port, 161);
    assert_string_equal(tree->ranges[1].group, "default");
    assert_int_equal(tree->ranges[1].collect, TREE_COLLECT_AUTO);
}

static void what_is_said(void **state)
{
    (void)state;
    struct tree_config *tree = load_good(whole);
    assert_int_equal(tree->rules.fanout, 2);
    assert_int_equal(tree->rules.heartbeat_ms, 500);
    assert_int_equal(tree->rules.leaf_heartbeat_ms, 3600000);
    assert_int_equal(tree->rules.missed, 10);
    assert_int_equal(tree->rules.period_ms, 100);
    assert_string_equal(tree->access.admin, "boss");
    assert_string_equal(tree->access.poll, "reader");
    assert_int_equal(tree->access.auth, CREDENTIAL_SHA512);
    assert_int_equal(tree->access.priv, CREDENTIAL_AES256);
    assert_string_equal(tree->access.secrets, "/a");
    assert_string_equal(tree->access.poll_secrets, "/b");
    assert_string_equal(tree->access.next_secrets, "/c");
    assert_int_equal(tree->n_candidates, 2);
    assert_string_equal(tree->candidates[0], "b");
    assert_string_equal(tree->candidates[1], "a");
    assert_members(tree);
    assert_non_null(config_find(tree->common, ROW_AGGREGATE, "all"));
    assert_int_equal(tree->n_groups, 2);
    assert_string_equal(tree->groups[0].name, "web");
    const struct sensor_row *row =
        (const struct sensor_row *)config_find(tree->groups[0].rows, ROW_SENSOR, "s");
    assert_non_null(row);
    assert_string_equal(row->metric, "load.5");
    assert_int_equal(row->row.status, ROW_ACTIVE);
    assert_string_equal(tree->groups[1].name, "empty");
    assert_int_equal(tree->groups[1].rows->rows[ROW_SENSOR].count, 0);
    tree_config_free(tree);
}

/* What one part refers to may be in the other: a row of a group to a common one. */
static void groups_and_common_rows(void **state)
{
    (void)state;
    tree_config_free(load_good(
        TREE("<filters><filter name=\"f\"/></filters><sensors><sensor name=\"a\" "
             "metric=\"mem.free\"/></sensors>"
             "<groups><group name=\"g\"><sensors><sensor name=\"s\" metric=\"cpu.busy\" "
             "filter=\"f\"/><sensor name=\"e\" expression=\"a / 2\"/></sensors>"
             "<thresholds><threshold name=\"t\" sensor=\"a\" operator=\"gt\" limit=\"1\"/>"
             "</thresholds></group><group name=\"h\"><filters><filter name=\"f\" "
             "throttle=\"1s\"/></filters></group></groups>")));
}

/* -- Limits ---------------------------------------------------------------------------------- */

#define TEXT_MAX (8u << 20)

typedef char *say_fn(char *at, unsigned i);

static char *say_node(char *at, unsigned i)
{
    return at +
           sprintf(at, "<node name=\"n%u\" address=\"udp:10.0.%u.%u:161\"/>", i, i >> 8, i & 255);
}

static char *say_range(char *at, unsigned i)
{
    return at + sprintf(at, "<range network=\"10.0.%u.%u/32\"/>", i >> 8, i & 255);
}

static char *say_candidate(char *at, unsigned i)
{
    return at + sprintf(at, "<candidate node=\"n%u\"/>", i);
}

static char *say_group(char *at, unsigned i)
{
    return at + sprintf(at, "<group name=\"g%u\"/>", i);
}

static char *say_condition(char *at, unsigned i)
{
    return at + sprintf(at, "<condition name=\"c%u\" thresholds=\"*\"/>", i);
}

/* Loads a document with n of something between the two halves: it is taken up to most of them. */
static void assert_most(unsigned most, const char *before, say_fn *say, const char *after,
                        const char *error)
{
    char said[CONFIG_ERROR_SIZE], *text = malloc(TEXT_MAX);
    assert_non_null(text);
    for (unsigned n = most; n <= most + 1; n++) {
        char *at = text + sprintf(text, "%s", before);
        for (unsigned i = 0; i < n; i++)
            at = say(at, i);
        strcpy(at, after);
        struct tree_config *tree = load_tree(text, said);
        if (n == most && !tree)
            fail_msg("%s", said);
        if (n > most) {
            assert_null(tree);
            assert_string_equal(said, error);
        }
        tree_config_free(tree);
    }
    free(text);
}

#define BEFORE_NODES "<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "<nodes>" TREE_NODE
#define AFTER_NODES "</nodes></tree>"

static void as_many_nodes(void **state)
{
    (void)state;
    assert_most(TREE_NODES_MAX - 1, BEFORE_NODES, say_node, AFTER_NODES,
                "f.xml:1: nodes: there are 65537 of node; the most is 65536");
}

static void as_many_ranges(void **state)
{
    (void)state;
    assert_most(TREE_RANGES_MAX, BEFORE_NODES, say_range, AFTER_NODES,
                "f.xml:1: nodes: there are 257 of range; the most is 256");
}

static void as_many_groups(void **state)
{
    (void)state;
    assert_most(TREE_GROUPS_MAX, BEFORE_NODES "</nodes><groups>", say_group, "</groups></tree>",
                "f.xml:1: groups: there are 257 of group; the most is 256");
}

/* As many rows of a kind as a SET would make. */
static void as_many_rows(void **state)
{
    (void)state;
    assert_most((unsigned)config_rows_max(ROW_CONDITION), BEFORE_NODES "</nodes><conditions>",
                say_condition, "</conditions></tree>",
                "f.xml:1: conditions: there are 101; the most is 100");
}

static char *say_sink(char *at, unsigned i)
{
    return at + sprintf(at, "<sink name=\"s%u\" kind=\"csv\"/>", i);
}

/* Of a node: those of its group and the common ones together, but for those that they replace. */
static void as_many_sinks(void **state)
{
    (void)state;
    char after[1024];
    assert_most(SINKS_MAX, BEFORE_NODES "</nodes><sinks>", say_sink, "</sinks></tree>",
                "f.xml:1: sinks: there are 16; the most is 15");
    sprintf(after, "</sinks></group></groups><sinks>");
    say_sink(after + strlen(after), 0);
    strcat(after, "</sinks></tree>");
    assert_most(SINKS_MAX, BEFORE_NODES "</nodes><groups><group name=\"g\"><sinks>", say_sink,
                after, "f.xml:1: sinks: there are 16; the most is 15");
    sprintf(after, "</sinks></group></groups><sinks>");
    say_sink(after + strlen(after), 100);
    strcat(after, "</sinks></tree>");
    assert_most(SINKS_MAX - 1, BEFORE_NODES "</nodes><groups><group name=\"g\"><sinks>", say_sink,
                after, "f.xml:1: in group \"g\", sinks: there are 16; the most is 15");
}

static void as_many_candidates(void **state)
{
    (void)state;
    char before[8192], *at = before;
    assert_int_equal(TREE_CANDIDATES_MAX, ELECTION_CANDIDATES_MAX);
    at += sprintf(at, "<tree version=\"1\">" TREE_ACCESS "<nodes>");
    for (unsigned i = 0; i <= TREE_CANDIDATES_MAX; i++)
        at = say_node(at, i);
    strcpy(at, "</nodes><candidates>");
    assert_most(TREE_CANDIDATES_MAX, before, say_candidate, "</candidates></tree>",
                "f.xml:1: candidates: there are 17 of candidate; the most is 16");
}

/* -- Files ----------------------------------------------------------------------------------- */

/* The document as shipped, with the schema that lies beside it. */
static void shipped(void **state)
{
    char path[512], error[CONFIG_ERROR_SIZE];
    const char *dir = getenv("srcdir");
    snprintf(path, sizeof path, "%s/conf/tree.xml", dir ? dir : ".");
    unsetenv("DCAMP_SCHEMA_DIR");
    struct tree_config *tree = tree_config_load_file(path, error);
    set_schema_dir(state);
    assert_string_equal(error, "");
    assert_non_null(tree);
    assert_int_equal(tree->n_candidates, 2);
    assert_int_equal(tree->n_nodes, 5);
    assert_int_equal(tree->n_ranges, 1);
    assert_int_equal(tree->n_groups, 2);
    tree_config_free(tree);
}

static void no_file(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    assert_null(tree_config_load_file("/nonexistent/tree.xml", error));
    assert_string_equal(error, "/nonexistent/tree.xml: cannot be read: No such file or directory");
    tree_config_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_revoked),
        cmocka_unit_test(etcd_decides),
        cmocka_unit_test(what_is_not_said),
        cmocka_unit_test(what_is_said),
        cmocka_unit_test(groups_and_common_rows),
        cmocka_unit_test(as_many_nodes),
        cmocka_unit_test(as_many_ranges),
        cmocka_unit_test(as_many_groups),
        cmocka_unit_test(as_many_candidates),
        cmocka_unit_test(as_many_rows),
        cmocka_unit_test(as_many_sinks),
        cmocka_unit_test(shipped),
        cmocka_unit_test(no_file),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
