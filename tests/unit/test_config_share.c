/* Shares: what is made of a tree document for a node, and what the node makes of that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"

#include "documents.h"

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static const char document[] = TREE(
    "<rules period=\"5s\"/>"
    "<sensors><sensor name=\"busy\" metric=\"cpu.busy\" interval=\"60s\" filter=\"calm\"/>"
    "<sensor name=\"load\" metric=\"load.1\"/></sensors>"
    "<filters><filter name=\"calm\" throttle=\"10s\"/></filters>"
    "<thresholds>"
    "<threshold name=\"all\" sensor=\"all.busy\" operator=\"gt\" limit=\"1\"/>"
    "<threshold name=\"below\" sensor=\"far\" children=\"*\" operator=\"gt\" limit=\"1\"/>"
    "<threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"1\" disabled-by=\"all\"/>"
    "<threshold name=\"low\" sensor=\"load\" operator=\"lt\" limit=\"1\" disabled-by=\"high\"/>"
    "</thresholds>"
    "<aggregates><aggregate name=\"all.busy\" sensor=\"busy\" function=\"sum\"/></aggregates>"
    "<objects><object name=\"uptime\" oid=\"1.3.6.1.2.1.1.3\" type=\"scalar\"/></objects>"
    "<groups><group name=\"web\"><sensors><sensor name=\"load\" metric=\"load.15\"/>"
    "<sensor name=\"own\" metric=\"load.5\"/></sensors></group>"
    "<group name=\"bare\"/></groups>");

static const struct assignment leaf = {.role = SHARE_METRIC,
                                       .parent = "r1",
                                       .level = 1,
                                       .group = "web",
                                       .root = "r1",
                                       .serial = 7,
                                       .digest = TREE_DIGEST,
                                       .reason = "as planned"};

static const struct share_child children[] = {
    {.name = "a",
     .address = "udp:192.0.2.7:161",
     .group = "web",
     .engine = "80001f8880aa",
     .auth_key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
     .priv_key = "00112233445566778899aabbccddeeff"},
    {.name = "b",
     .address = "udp6:[2001:db8::8]:161",
     .group = "default",
     .engine = "80001f8880bb",
     .auth_key = "ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff",
     .priv_key = "ff112233445566778899aabbccddeeff"},
};

static struct tree_config *make_tree(void)
{
    char error[CONFIG_ERROR_SIZE];
    struct tree_config *tree = load_tree(document, error);
    if (!tree)
        fail_msg("%s", error);
    return tree;
}

static char *make_share(const struct tree_config *tree, const struct assignment *assignment,
                        const struct share_child *below, size_t n)
{
    size_t len;
    char *text = share_make(tree, assignment, below, n, &len);
    assert_non_null(text);
    assert_int_equal(len, strlen(text));
    return text;
}

/* -- What is made ---------------------------------------------------------------------------- */

static const char leaf_text[] = HEAD
    "<dcamp version=\"1\">\n"
    " " ASSIGNMENT "\n"
    " <sensors>\n"
    "  <sensor name=\"busy\" metric=\"cpu.busy\" interval=\"1m\" filter=\"calm\"/>\n"
    "  <sensor name=\"load\" metric=\"load.15\"/>\n"
    "  <sensor name=\"own\" metric=\"load.5\"/>\n"
    " </sensors>\n"
    " <filters>\n"
    "  <filter name=\"calm\" throttle=\"10s\"/>\n"
    " </filters>\n"
    " <thresholds>\n"
    "  <threshold name=\"low\" sensor=\"load\" operator=\"lt\" limit=\"1\" disabled-by=\"high\"/>\n"
    "  <threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"1\"/>\n"
    "  <threshold name=\"below\" sensor=\"far\" children=\"*\" operator=\"gt\" limit=\"1\"/>\n"
    " </thresholds>\n"
    "</dcamp>\n";

/* Without what it has no use for: aggregates, objects, and what is on them. */
static void a_leaf(void **state)
{
    (void)state;
    struct tree_config *tree = make_tree();
    char *text = make_share(tree, &leaf, NULL, 0);
    assert_string_equal(text, leaf_text);
    free(text);
    tree_config_free(tree);
}

static const char root_text[] = HEAD
    "<dcamp version=\"1\">\n"
    " <assignment role=\"root\" level=\"0\" group=\"bare\" root=\"r1\" serial=\"7\" "
    "tree=\"" TREE_DIGEST "\"/>\n"
    " <sensors>\n"
    "  <sensor name=\"busy\" metric=\"cpu.busy\" interval=\"1m\" filter=\"calm\"/>\n"
    "  <sensor name=\"load\" metric=\"load.1\"/>\n"
    " </sensors>\n"
    " <filters>\n"
    "  <filter name=\"calm\" throttle=\"10s\"/>\n"
    " </filters>\n"
    " <thresholds>\n"
    "  <threshold name=\"all\" sensor=\"all.busy\" operator=\"gt\" limit=\"1\"/>\n"
    "  <threshold name=\"low\" sensor=\"load\" operator=\"lt\" limit=\"1\" disabled-by=\"high\"/>\n"
    "  <threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"1\" disabled-by=\"all\"/>\n"
    "  <threshold name=\"below\" sensor=\"far\" children=\"*\" operator=\"gt\" limit=\"1\"/>\n"
    " </thresholds>\n"
    " <children>\n"
    "  <child name=\"a\" address=\"udp:192.0.2.7:161\" credential=\"tree\" group=\"web\" "
    "period=\"5s\" engine=\"80001f8880aa\" "
    "auth-key=\"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\" "
    "priv-key=\"00112233445566778899aabbccddeeff\"/>\n"
    "  <child name=\"b\" address=\"udp6:[2001:db8::8]:161\" credential=\"tree\" group=\"default\" "
    "period=\"5s\" engine=\"80001f8880bb\" "
    "auth-key=\"ff112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\" "
    "priv-key=\"ff112233445566778899aabbccddeeff\"/>\n"
    " </children>\n"
    " <aggregates>\n"
    "  <aggregate name=\"all.busy\" sensor=\"busy\" function=\"sum\"/>\n"
    " </aggregates>\n"
    " <objects>\n"
    "  <object name=\"uptime\" oid=\"1.3.6.1.2.1.1.3\" type=\"scalar\"/>\n"
    " </objects>\n"
    " <credentials>\n"
    "  <credential name=\"tree\" user=\"dcampPoll\" auth=\"SHA-256\" priv=\"AES-128\"/>\n"
    " </credentials>\n"
    "</dcamp>\n";

static struct assignment root_assignment(void)
{
    struct assignment root = leaf;
    root.role = SHARE_ROOT;
    root.parent[0] = root.reason[0] = '\0';
    root.level = 0;
    strcpy(root.group, "bare");
    return root;
}

static void a_root(void **state)
{
    (void)state;
    struct tree_config *tree = make_tree();
    struct assignment root = root_assignment();
    char *text = make_share(tree, &root, children, N_OF(children));
    assert_string_equal(text, root_text);
    free(text);
    tree_config_free(tree);
}

/* Somebody who may collect and has nobody below yet needs no credential. */
static void a_collector_without_children(void **state)
{
    (void)state;
    struct tree_config *tree = make_tree();
    struct assignment collector = leaf;
    collector.role = SHARE_COLLECTOR;
    char *text = make_share(tree, &collector, NULL, 0);
    assert_null(strstr(text, "<children"));
    assert_null(strstr(text, "<credential"));
    assert_non_null(strstr(text, "<aggregate "));
    free(text);
    tree_config_free(tree);
}

/* A node of a group that the document says nothing of has the common rows. */
static void a_group_without_rows(void **state)
{
    (void)state;
    struct tree_config *tree = make_tree();
    struct assignment other = leaf;
    strcpy(other.group, "nowhere");
    char *text = make_share(tree, &other, NULL, 0);
    assert_non_null(strstr(text, "metric=\"load.1\""));
    assert_null(strstr(text, "\"own\""));
    free(text);
    tree_config_free(tree);
}

/* Whatever the reason says, the node can read it. */
static void any_reason(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    struct tree_config *tree = make_tree();
    struct assignment odd = leaf, got;
    memset(odd.reason, 'x', sizeof odd.reason);
    memcpy(odd.reason, "a;b|c\n\xff<>&\"' \xe2\x82\xac", 16);
    char *text = make_share(tree, &odd, NULL, 0);
    struct config *config = load_share(text, &got, error);
    assert_string_equal(error, "");
    assert_memory_equal(got.reason, "a b c  <>&\"' \xe2\x82\xac", 16);
    assert_int_equal(strlen(got.reason), sizeof got.reason - 1);
    config_free(config);
    free(text);
    tree_config_free(tree);
}

/* -- What is read ---------------------------------------------------------------------------- */

static void assert_assignment(const struct assignment *got, const struct assignment *expected)
{
    assert_int_equal(got->role, expected->role);
    assert_string_equal(got->parent, expected->parent);
    assert_int_equal(got->level, expected->level);
    assert_string_equal(got->group, expected->group);
    assert_string_equal(got->root, expected->root);
    assert_int_equal(got->serial, expected->serial);
    assert_string_equal(got->digest, expected->digest);
    assert_string_equal(got->reason, expected->reason);
}

static struct config *read_share(const char *text, const struct assignment *expected)
{
    char error[CONFIG_ERROR_SIZE];
    struct assignment got;
    struct config *config = load_share(text, &got, error);
    if (!config)
        fail_msg("%s", error);
    assert_string_equal(error, "");
    assert_assignment(&got, expected);
    return config;
}

static void a_leaf_is_read(void **state)
{
    (void)state;
    struct config *config = read_share(leaf_text, &leaf), *plain = config_new();
    assert_int_equal(config->rows[ROW_SENSOR].count, 3);
    assert_int_equal(config->rows[ROW_THRESHOLD].count, 3);
    const struct row *row = config_find(config, ROW_SENSOR, "load");
    assert_int_equal(row->status, ROW_ACTIVE);
    assert_int_equal(row->storage, STORAGE_PERMANENT);
    assert_int_not_equal(row->origin, 0);
    assert_false(row->changed);
    assert_int_equal(config->serial, 1);
    assert_memory_equal(&config->agentx, &plain->agentx, sizeof plain->agentx);
    assert_string_equal(config->node.name, plain->node.name);
    assert_string_equal(config->state_dir, plain->state_dir);
    config_free(config);
    config_free(plain);
}

static void assert_hex(const uint8_t *field, const char *expected)
{
    char text[200];
    hex_from_octets(text, field + 1, field[0], HEX_LOWER);
    assert_string_equal(text, expected);
}

static void a_root_is_read(void **state)
{
    (void)state;
    struct assignment root = root_assignment();
    struct config *config = read_share(root_text, &root);
    assert_int_equal(config->rows[ROW_CHILD].count, 2);
    const struct credential_row *credential =
        (const struct credential_row *)config_find(config, ROW_CREDENTIAL, "tree");
    assert_non_null(credential);
    assert_string_equal(credential->user, "dcampPoll");
    assert_string_equal(credential->secrets, "");
    for (size_t i = 0; i < N_OF(children); i++) {
        const struct child_row *child =
            (const struct child_row *)config_find(config, ROW_CHILD, children[i].name);
        assert_non_null(child);
        assert_string_equal(child->address, children[i].address);
        assert_string_equal(child->credential, "tree");
        assert_string_equal(child->group, children[i].group);
        assert_int_equal(child->period_ms, 5000);
        assert_int_equal(child->kind, CHILD_OF_DCAMP);
        assert_hex(child->engine, children[i].engine);
        assert_hex(child->auth_key, children[i].auth_key);
        assert_hex(child->priv_key, children[i].priv_key);
    }
    config_free(config);
}

static void the_least(void **state)
{
    (void)state;
    config_free(read_share(SHARE(""), &leaf));
}

#define WITH(attributes) "<dcamp version=\"1\">\n<assignment " attributes "/></dcamp>"
#define PLACE "parent=\"r1\" level=\"1\" group=\"web\" root=\"r1\" "
#define OF_TREE "serial=\"7\" tree=\"" TREE_DIGEST "\""

static const struct bad_document bad_shares[] = {
    {"", "1: the file is empty; it must be an XML text file"},
    {"<tree version=\"1\"/>", "1: the root element is tree; it must be <dcamp version=\"1\">"},
    {"<dcamp version=\"1\"/>", "1: dcamp: assignment is missing; a share says what its node is"},
    {SHARE("\n" ASSIGNMENT), "2: assignment is there already, in line 1; make one of the two"},
    {SHARE("\n<node name=\"x\"/>"),
     "2: dcamp: a share has no node: settings are those of the node's own file; remove it"},
    {SHARE("\n<agentx/>"),
     "2: dcamp: a share has no agentx: settings are those of the node's own file; remove it"},
    {SHARE("\n<sensor/>"), "2: dcamp: there is no element sensor; did you mean sensors?"},
    {SHARE("\n<assignement/>"),
     "2: dcamp: there is no element assignement; did you mean assignment?"},
    {SHARE("\n<xyzzy/>"), "2: dcamp: there is no element xyzzy; see dcamp.xml(5)"},
    {SHARE("<sensors/>\n<sensors/>"),
     "2: sensors is there already, in line 1; make one of the two"},
    {SHARE("\n<sensors><sensor name=\"s\" metric=\"cpu.busy\" filter=\"f\"/></sensors>"),
     "2: sensor \"s\": filter=\"f\" is not a filter of this file; add it or name another"},
    {SHARE("\nhello"), "1: Element 'dcamp': Character content other than whitespace*"},
    {"<dcamp version=\"1\" x=\"1\"/>", "1: dcamp: there is no attribute x; there are version"},
    {WITH(PLACE OF_TREE),
     "2: assignment: role is missing; it must be one of metric, collector, root"},
    {WITH("role=\"base\" " PLACE OF_TREE),
     "2: assignment: role=\"base\" is not one of metric, collector, root"},
    {WITH("role=\"metric\" level=\"1\" group=\"web\" root=\"r1\" " OF_TREE),
     "2: assignment: every node but the root has a parent"},
    {WITH("role=\"root\" parent=\"r2\" level=\"0\" group=\"web\" root=\"r1\" " OF_TREE),
     "2: assignment: every node but the root has a parent"},
    {WITH("role=\"root\" level=\"1\" group=\"web\" root=\"r1\" " OF_TREE),
     "2: assignment: level 0 is that of the root, and of no other node"},
    {WITH("role=\"collector\" parent=\"r1\" level=\"0\" group=\"web\" root=\"r1\" " OF_TREE),
     "2: assignment: level 0 is that of the root, and of no other node"},
    {WITH("role=\"metric\" parent=\"r1\" level=\"256\" group=\"web\" root=\"r1\" " OF_TREE),
     "2: assignment: level=\"256\" is not a number of steps from the root, from 0 to 255"},
    {WITH("role=\"metric\" parent=\"r1\" group=\"web\" root=\"r1\" " OF_TREE),
     "2: assignment: level is missing; it must be a number of steps from the root, from 0 to 255"},
    {WITH("role=\"metric\" parent=\"r1\" level=\"1\" root=\"r1\" " OF_TREE),
     "2: assignment: group is missing; it must be a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {WITH("role=\"metric\" parent=\"r1\" level=\"1\" group=\"web\" " OF_TREE),
     "2: assignment: root is missing; it must be a name of 1 to 32 of A-Z a-z 0-9 . _ -"},
    {WITH("role=\"metric\" " PLACE "tree=\"" TREE_DIGEST "\""),
     "2: assignment: serial is missing; it must be a number from 0 to 4294967295"},
    {WITH("role=\"metric\" " PLACE "tree=\"" TREE_DIGEST "\" serial=\"4294967296\""),
     "2: assignment: serial=\"4294967296\" is not a number from 0 to 4294967295"},
    {WITH("role=\"metric\" " PLACE "serial=\"7\""),
     "2: assignment: tree is missing; it must be a SHA-256: 64 hexadecimal digits"},
    {WITH("role=\"metric\" " PLACE "serial=\"7\" tree=\"00\""),
     "2: assignment: tree is not a SHA-256: 64 hexadecimal digits"},
    {WITH("role=\"metric\" " PLACE "serial=\"7\" tree=\"" TREE_DIGEST "0\""),
     "2: assignment: tree=\"" TREE_DIGEST "0\" is not a SHA-256: 64 hexadecimal digits"},
    {WITH("role=\"metric\" " PLACE
          "serial=\"7\" tree=\"g123456789abcdef0123456789ABCDEF0123456789abcdef0123456789abcdef\""),
     "2: assignment: tree is not a SHA-256: 64 hexadecimal digits"},
    {WITH("role=\"metric\" " PLACE OF_TREE " reason=\"a;b\""),
     "2: assignment: reason=\"a;b\" is not up to 127 octets of printable text without ; and |"},
    {WITH("role=\"metric\" " PLACE OF_TREE " why=\"x\""),
     "2: assignment: there is no attribute why; there are role, parent, level, group, root, "
     "serial, "
     "tree, reason"},
    {"<dcamp version=\"1\">\n<assignment role=\"metric\" " PLACE OF_TREE
     "><a/></assignment></dcamp>",
     "2: Element 'assignment': Element content is not allowed*"},
};

static void shares_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(bad_shares); i++) {
        char error[CONFIG_ERROR_SIZE];
        struct assignment assignment;
        if (load_share(bad_shares[i].text, &assignment, error))
            fail_msg("this is taken: %s", bad_shares[i].text);
        assert_refused(&bad_shares[i], error);
    }
    char error[CONFIG_ERROR_SIZE], *large = calloc(1, (8u << 20) + 1);
    struct assignment assignment;
    assert_null(share_load("f.xml", large, (8u << 20) + 1, &assignment, error));
    assert_string_equal(error, "f.xml: is too large; the most that is read is 8 MiB");
    free(large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_leaf),
        cmocka_unit_test(a_root),
        cmocka_unit_test(a_collector_without_children),
        cmocka_unit_test(a_group_without_rows),
        cmocka_unit_test(any_reason),
        cmocka_unit_test(a_leaf_is_read),
        cmocka_unit_test(a_root_is_read),
        cmocka_unit_test(the_least),
        cmocka_unit_test(shares_are_refused),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
