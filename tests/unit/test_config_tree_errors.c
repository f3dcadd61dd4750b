/* Tree documents that are refused: one error that names the place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents.h"

#define DURATION "; write for example \"500ms\", \"10s\" or \"5m\""
#define A_NAME "a name of 1 to 32 of A-Z a-z 0-9 . _ -"
#define RULES(attributes) TREE("\n<rules " attributes "/>")
#define ACCESS(attributes)                                                                         \
    "<tree version=\"1\">\n<access " attributes "/>" TREE_CANDIDATES "<nodes>" TREE_NODE           \
    "</nodes></tree>"
#define CANDIDATES(text)                                                                           \
    "<tree version=\"1\">" TREE_ACCESS "<candidates>" text "</candidates><nodes>" TREE_NODE        \
    "<node name=\"leaf\" address=\"udp:192.0.2.2:161\" collect=\"no\"/></nodes></tree>"

static const struct bad_document bad_documents[] = {
    {"", "1: the file is empty; it must be an XML text file"},
    {"<tree version=\"1\">", "1: not well-formed XML: *"},
    {"<!DOCTYPE tree>\n<tree version=\"1\"/>",
     "1: a DOCTYPE; remove it, document types and entities are not used here"},
    {"<dcamp version=\"1\"/>", "1: the root element is dcamp; it must be <tree version=\"1\">"},
    {"<tree/>", "1: tree: version is missing; it must be <tree version=\"1\">"},
    {"<tree version=\"2\"/>", "1: tree: version=\"2\" is not supported; it must be version=\"1\""},
    {"<tree version=\"1\" name=\"x\"/>",
     "1: tree \"x\": there is no attribute name; there are version"},
    {"<tree version=\"1\"/>",
     "1: tree: access is missing; write for example <access secrets=\"/etc/dcamp/site.secret\"/>"},
    {"\n<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "</tree>",
     "2: tree: nodes is missing; write for example <nodes><node name=\"r1\" "
     "address=\"udp:192.0.2.1:161\"/></nodes>"},
    {"<tree version=\"1\">" TREE_ACCESS "<nodes>" TREE_NODE "</nodes></tree>",
     "1: tree: candidates is missing; write for example <candidates><candidate node=\"r1\"/>"
     "</candidates>"},
    {TREE("\n<xyzzy/>"), "2: tree: there is no element xyzzy; see dcamp-tree.xml(5)"},
    {TREE("\n<rule/>"), "2: tree: there is no element rule; did you mean rules?"},
    {TREE("\n<sensor/>"), "2: tree: there is no element sensor; did you mean sensors?"},
    {TREE("\n<agentx/>"), "2: tree: there is no element agentx; see dcamp-tree.xml(5)"},
    {TREE("\n<node name=\"r1\"/>"), "2: tree: there is no element node; did you mean nodes?"},
    {TREE("\n<children/>"), "2: tree: children are made of <nodes> here; remove them"},
    {TREE("\n<credentials/>"), "2: tree: credentials are made of <access> here; remove them"},
    {TREE("<rules/>\n<rules/>"), "2: rules is there already, in line 1; make one of the two"},
    {TREE("<sensors/>\n<sensors/>"), "2: sensors is there already, in line 1; make one of the two"},
    {TREE("\nhello"), "1: Element 'tree': Character content other than whitespace*"},
    {TREE("<rules><a/></rules>"), "1: Element 'rules': Element content is not allowed*"},
    {TREE("<sensors/><assignment/>"),
     "1: tree: there is no element assignment; see dcamp-tree.xml(5)"},
};

#define COORDINATION(attributes) TREE("\n<coordination " attributes "/>")

static const struct bad_document bad_coordinations[] = {
    {COORDINATION("kind=\"zookeeper\""),
     "2: coordination: kind=\"zookeeper\" is not one of list, etcd"},
    {COORDINATION("kind=\"etcd\""),
     "2: coordination: endpoints= is missing; name the servers of the cluster"},
    {COORDINATION("kind=\"etcd\" endpoints=\"  \""),
     "2: coordination: endpoints= is missing; name the servers of the cluster"},
    {COORDINATION("kind=\"etcd\" endpoints=\"ftp://a:1\""),
     "2: coordination: endpoints= has what is no URL of a server*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://\""),
     "2: coordination: endpoints= has what is no URL of a server*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://a:1 https://b:2/v3\""),
     "2: coordination: endpoints= has what is no URL of a server*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://u:p@a:1\""),
     "2: coordination: endpoints= has what is no URL of a server*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"http://a http://a http://a http://a http://a http://a "
                  "http://a http://a http://a\""),
     "2: coordination: endpoints= has too many; the most is 8"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://a http://b\" user=\"u\" secrets=\"/s\""),
     "2: coordination: user= has a password, and that must not be sent in clear text*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://a\" user=\"u\""),
     "2: coordination: user= and secrets= go together*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://a\" secrets=\"/s\""),
     "2: coordination: user= and secrets= go together*"},
    {COORDINATION("ttl=\"2s\""), "2: coordination: ttl=\"2s\" is not a duration from 3s to 1h*"},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://a\" ttl=\"3500ms\""),
     "2: coordination: ttl= is in whole seconds; write for example \"9s\""},
    {COORDINATION("kind=\"etcd\" endpoints=\"https://a\" ca=\"x\""),
     "2: coordination: ca=\"x\" is not the absolute path of a file"},
    {COORDINATION("/><coordination "), "2: coordination is there already, in line 2*"},
};

static const struct bad_document bad_settings[] = {
    {RULES("fanout=\"1\""), "2: rules: fanout=\"1\" is not a number of children from 2 to 10000"},
    {RULES("fanout=\"10001\""),
     "2: rules: fanout=\"10001\" is not a number of children from 2 to 10000"},
    {RULES("heartbeat=\"499ms\""),
     "2: rules: heartbeat=\"499ms\" is not a duration from 500ms to 1h" DURATION},
    {RULES("heartbeat=\"2\""),
     "2: rules: heartbeat=\"2\" is not a duration from 500ms to 1h" DURATION},
    {RULES("leaf-heartbeat=\"61m\""),
     "2: rules: leaf-heartbeat=\"61m\" is not a duration from 500ms to 1h" DURATION},
    {RULES("missed=\"1\""), "2: rules: missed=\"1\" is not a number of looks from 2 to 10"},
    {RULES("missed=\"11\""), "2: rules: missed=\"11\" is not a number of looks from 2 to 10"},
    {RULES("period=\"99ms\""),
     "2: rules: period=\"99ms\" is not a duration from 100ms to 1h" DURATION},
    {RULES("fan-out=\"3\""), "2: rules: there is no attribute fan-out; did you mean fanout?"},
    {ACCESS(""), "2: access: secrets is missing; it must be the absolute path of a file"},
    {ACCESS("secrets=\"\""), "2: access: secrets=\"\" is not the absolute path of a file"},
    {ACCESS("secrets=\"a\""), "2: access: secrets=\"a\" is not the absolute path of a file"},
    {ACCESS("secrets=\"/a\" poll-secrets=\"b\""),
     "2: access: poll-secrets=\"b\" is not the absolute path of a file"},
    {ACCESS("secrets=\"/a\" next-secrets=\"b\""),
     "2: access: next-secrets=\"b\" is not the absolute path of a file"},
    {ACCESS("secrets=\"/a\" admin=\"\""), "2: access: admin=\"\" is not " A_NAME},
    {ACCESS("secrets=\"/a\" poll=\"a b\""), "2: access: poll=\"a b\" is not " A_NAME},
    {ACCESS("secrets=\"/a\" auth=\"MD5\""),
     "2: access: auth=\"MD5\" is not one of SHA-256, SHA-512"},
    {ACCESS("secrets=\"/a\" priv=\"DES\""),
     "2: access: priv=\"DES\" is not one of AES-128, AES-256"},
    {ACCESS("secrets=\"/a\" user=\"x\""),
     "2: access: there is no attribute user; there are secrets, admin, poll, poll-secrets, "
     "next-secrets, auth, priv"},
};

#define REVOKED(keys) TREE("\n<revoked>\n" keys "</revoked>")

static const struct bad_document bad_revoked[] = {
    {REVOKED("<keys/>"), "3: keys: engine is missing; it must be an engine ID: *"},
    {REVOKED("<keys engine=\"80001f88\"/>"),
     "3: revoked: engine is shorter than 5 octets, which is 10 digits*"},
    {REVOKED("<keys engine=\"80001f8804\"/>\n<keys engine=\"80001F8804\"/>"),
     "4: revoked: engine is there already; name every one once*"},
    {REVOKED("<keys engine=\"80001f8804\" back=\"maybe\"/>"),
     "3: keys: back=\"maybe\" is not one of no, yes"},
    {REVOKED("<keys engine=\"80001f8804\" node=\"r1\"/>"),
     "3: revoked: node=\"r1\" is a candidate, which has the passphrases of all nodes; *"},
    {REVOKED("<engine/>"), "3: revoked: there is no element engine*"},
};

#define ANNOUNCEMENTS(attributes) TREE("\n<announcements " attributes "/>")
#define LISTEN "listen=\"udp:0.0.0.0:1621\" "
#define FOUR "10.0.0.0/8 10.1.0.0/16 10.2.0.0/16 10.3.0.0/16 "
#define SIXTEEN FOUR FOUR FOUR FOUR

static const struct bad_document bad_announcements[] = {
    {ANNOUNCEMENTS(""), "2: announcements: listen is missing; it must be a numeric address; *"},
    {ANNOUNCEMENTS("listen=\"root.example.org:1621\" networks=\"10.0.0.0/8\""),
     "2: announcements: listen=\"root.example.org:1621\" is not a numeric address; *"},
    {ANNOUNCEMENTS("listen=\"\" networks=\"10.0.0.0/8\""),
     "2: announcements: listen=\"\" is not a numeric address; *"},
    {ANNOUNCEMENTS(LISTEN), "2: announcements: networks is missing; it must be networks with *"},
    {ANNOUNCEMENTS(LISTEN "networks=\"\""),
     "2: announcements: networks=\"\" is not networks with blanks between; *"},
    {ANNOUNCEMENTS(LISTEN "networks=\"  \""),
     "2: announcements: networks=\"\" has none; nobody could announce itself"},
    {ANNOUNCEMENTS(LISTEN "\nnetworks=\"10.0.0.0/8 10.1.0.1/16\""),
     "3: announcements: networks=\"10.1.0.1/16\" is an address in a network; write *"},
    {ANNOUNCEMENTS(LISTEN "networks=\"10.0.0.0/8,10.1.0.0/16\""),
     "2: announcements: networks=\"10.0.0.0/8,10.1.0.0/16\" is not a network; *"},
    {ANNOUNCEMENTS(LISTEN "networks=\"" SIXTEEN SIXTEEN "10.0.0.0/8\""),
     "2: announcements: networks=\"10.0.0.0/8\" is one too many; the most is 32"},
    {ANNOUNCEMENTS(LISTEN "networks=\"0.0.0.0/0\" collect=\"perhaps\""),
     "2: announcements: collect=\"perhaps\" is not one of auto, yes, no"},
    {ANNOUNCEMENTS(LISTEN "networks=\"0.0.0.0/0\" group=\"\""),
     "2: announcements: group=\"\" is not " A_NAME},
    {ANNOUNCEMENTS(LISTEN "networks=\"0.0.0.0/0\" port=\"161\""),
     "2: announcements: there is no attribute port; *"},
};

static const struct bad_document bad_candidates[] = {
    {CANDIDATES(""), "1: candidates: there is none; name the node that is to be root"},
    {CANDIDATES("\n<candidate/>"), "2: candidate: node is missing; it must be " A_NAME},
    {CANDIDATES("\n<candidate name=\"r1\"/>"),
     "2: candidate \"r1\": there is no attribute name; did you mean node?"},
    {CANDIDATES("\n<node name=\"r1\"/>"),
     "2: candidates: there is no element node; did you mean candidate?"},
    {CANDIDATES("\n<candidate node=\"r2\"/>"),
     "2: candidate: node=\"r2\" is not a node of this file; did you mean \"r1\"?"},
    {CANDIDATES("\n<candidate node=\"somebody.else\"/>"),
     "2: candidate: node=\"somebody.else\" is not a node of this file; add it or name another"},
    {CANDIDATES("<candidate node=\"r1\"/>\n<candidate node=\"r1\"/>"),
     "2: candidate: node=\"r1\" is there already, in line 1; name every candidate once"},
    {CANDIDATES("\n<candidate node=\"leaf\"/>"),
     "2: candidate: node=\"leaf\" has collect=\"no\", and the root collects; say auto there, or "
     "name another"},
    {"<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "<nodes/></tree>",
     "1: candidate: node=\"r1\" is not a node of this file; add it or name another"},
    {"<tree version=\"1\">" TREE_ACCESS "<candidates x=\"1\"/><nodes/></tree>",
     "1: candidates: there is no attribute x; there are none"},
};

#define NODES(text) TREE_OF(TREE_NODE text, "")

static const struct bad_document bad_nodes[] = {
    {NODES("\n<node address=\"udp:192.0.2.2:161\"/>"),
     "2: node: name is missing; it must be " A_NAME},
    {NODES("\n<node name=\"a b\" address=\"udp:192.0.2.2:161\"/>"),
     "2: node \"a b\": name=\"a b\" is not " A_NAME},
    {NODES("\n<node name=\"n\"/>"),
     "2: node \"n\": address is missing; it must be a numeric address; write for example "
     "\"udp:192.0.2.7:161\" or \"udp6:[2001:db8::7]:161\""},
    {NODES("\n<node name=\"n\" address=\"host:161\"/>"),
     "2: node \"n\": address=\"host:161\" is not a numeric address; write for example "
     "\"udp:192.0.2.7:161\" or \"udp6:[2001:db8::7]:161\""},
    {NODES("\n<node name=\"n\" address=\"udp:192.0.2.2:161\" group=\"\"/>"),
     "2: node \"n\": group=\"\" is not " A_NAME},
    {NODES("\n<node name=\"n\" address=\"udp:192.0.2.2:161\" collect=\"maybe\"/>"),
     "2: node \"n\": collect=\"maybe\" is not one of auto, yes, no"},
    {NODES("\n<nodes/>"), "2: nodes: there is no element nodes; did you mean node or range?"},
    {NODES("\n<node name=\"r1\" address=\"udp:192.0.2.2:161\"/>"),
     "2: node \"r1\" is there already, in line 1; give every node a name of its own"},
    {NODES("<range network=\"192.0.2.0/24\"/>\n<node name=\"b\" address=\"udp:192.0.2.2:161\"/>\n"
           "<node name=\"c\" address=\"udp:192.0.2.3:161\"/>\n"
           "<node name=\"b\" address=\"udp:192.0.2.4:161\"/>"),
     "4: node \"b\" is there already, in line 2; give every node a name of its own"},
    {NODES("\n<node name=\"n\" address=\"udp:192.0.2.1:0161\"/>"),
     "2: node \"n\": address=\"udp:192.0.2.1:0161\" is that of node \"r1\" already, in line 1; "
     "give "
     "every node an address of its own"},
    {NODES("\n<node name=\"n\" address=\"udp6:[::1]:161\"/>\n"
           "<node name=\"m\" address=\"udp6:[0::1]:161\"/>"),
     "3: node \"m\": address=\"udp6:[0::1]:161\" is that of node \"n\" already, in line 2; give "
     "every node an address of its own"},
    {"<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "<nodes group=\"g\"/></tree>",
     "1: nodes: there is no attribute group; there are none"},
};

static const struct bad_document bad_ranges[] = {
    {NODES("\n<range/>"),
     "2: range: network is missing; it must be a network; write for example \"192.0.2.0/24\" or "
     "\"2001:db8::/120\""},
    {NODES("\n<range network=\"\"/>"),
     "2: range: network=\"\" is not a network; write for example \"192.0.2.0/24\" or "
     "\"2001:db8::/120\""},
    {NODES("\n<range port=\"1\"\nnetwork=\"192.0.2.0\"/>"),
     "3: range: network=\"192.0.2.0\" is not a network; write for example \"192.0.2.0/24\" or "
     "\"2001:db8::/120\""},
    {NODES("\n<range network=\"192.0.2.1/24\"/>"),
     "2: range: network=\"192.0.2.1/24\" is an address in a network; write \"192.0.2.0/24\" or "
     "another"},
    {NODES("\n<range network=\"10.0.0.0/8\"/>"),
     "2: range: network=\"10.0.0.0/8\" has more than 65536 addresses; write several, with prefixes "
     "from /16 on"},
    {NODES("\n<range network=\"2001:db8::/64\"/>"),
     "2: range: network=\"2001:db8::/64\" has more than 65536 addresses; write several, with "
     "prefixes from /112 on"},
    {NODES("\n<range network=\"192.0.2.0/24\" port=\"0\"/>"),
     "2: range: port=\"0\" is not a number of a port from 1 to 65535"},
    {NODES("\n<range network=\"192.0.2.0/24\" port=\"65536\"/>"),
     "2: range: port=\"65536\" is not a number of a port from 1 to 65535"},
    {NODES("\n<range network=\"192.0.2.0/24\" group=\"a b\"/>"),
     "2: range: group=\"a b\" is not " A_NAME},
    {NODES("\n<range network=\"192.0.2.0/24\" collect=\"\"/>"),
     "2: range: collect=\"\" is not one of auto, yes, no"},
    {NODES("<range network=\"192.0.2.0/24\"/>\n<range network=\"192.0.2.128/25\"/>"),
     "2: range: it has addresses of the one in line 1; no address may be in two"},
};

#define GROUPS(text) TREE("\n<groups>" text "</groups>")
#define A_SENSOR_LIST "<sensors>" A_SENSOR "</sensors>"

static const struct bad_document bad_rows[] = {
    {TREE("\n<sensors><sensor name=\"s\" metric=\"cpu.bussy\"/></sensors>"),
     "2: sensor \"s\": metric=\"cpu.bussy\" is not a metric; did you mean \"cpu.busy\"?"},
    {TREE("\n<sensors><sensor name=\"s\"/></sensors>"),
     "2: sensor \"s\": it has neither a metric nor an expression: give one of the two; see "
     "dcamp.xml(5)"},
    {TREE("<sensors>" A_SENSOR "\n" A_SENSOR "</sensors>"),
     "2: sensor \"s\" is there already, in line 1; give every sensor a name of its own"},
    {TREE("\n<sensors><sensor name=\"s\" metric=\"cpu.busy\" filter=\"f\"/></sensors>"),
     "2: sensor \"s\": filter=\"f\" is not a filter of this file; add it or name another"},
    {TREE("<sensors><sensor name=\"s\"\nexpression=\"a + 1\"/></sensors>"),
     "2: sensor \"s\": expression, column 1: *"},
    {GROUPS("<grp name=\"g\"/>"), "2: groups: there is no element grp; did you mean group?"},
    {GROUPS("<group/>"), "2: group: name is missing; it must be " A_NAME},
    {GROUPS("<group name=\"a b\"/>"), "2: group \"a b\": name=\"a b\" is not " A_NAME},
    {GROUPS("<group name=\"g\"/>\n<group name=\"h\"/>\n<group name=\"g\"/>"),
     "4: group \"g\" is there already, in line 2; give every group a name of its own"},
    {GROUPS("<group name=\"g\"><sensers/></group>"),
     "2: group: there is no element sensers; did you mean sensors?"},
    {GROUPS("<group name=\"g\">\n<verdicts/></group>"),
     "3: group: there is no element verdicts; see dcamp-tree.xml(5)"},
    {GROUPS("<group name=\"g\">\n<children/></group>"),
     "3: group: children are made of <nodes> here; remove them"},
    {GROUPS("<group name=\"g\">\n<credentials/></group>"),
     "3: group: credentials are made of <access> here; remove them"},
    {GROUPS("<group name=\"g\">\n<sensors/><sensors/></group>"),
     "3: sensors is there already, in line 3; make one of the two"},
    {TREE("\n<groups name=\"g\"/>"), "2: groups \"g\": there is no attribute name; there are none"},
    {GROUPS("<group name=\"g\">\n<sensors><sensor name=\"s\" metric=\"cpu.busy\" filter=\"f\"/>"
            "</sensors></group>"),
     "3: in group \"g\", sensor \"s\": filter=\"f\" is not a filter of this file; add it or name "
     "another"},
    /* Rows of one group are not there for another one. */
    {GROUPS("<group name=\"a\"><filters><filter name=\"f\"/></filters></group>\n<group name=\"b\">"
            "<sensors><sensor name=\"s\" metric=\"cpu.busy\" filter=\"f\"/></sensors></group>"),
     "3: in group \"b\", sensor \"s\": filter=\"f\" is not a filter of this file; add it or name "
     "another"},
    /* A common row that a row of the group does not go with. */
    {TREE("<sensors><sensor name=\"s\" metric=\"load.1\"/>\n<sensor name=\"e\" "
          "expression=\"s + 1\"/></sensors><groups>\n<group name=\"g\"><sensors><sensor name=\"s\" "
          "expression=\"e\"/></sensors></group></groups>"),
     "3: in group \"g\", sensor \"s\": expression, column 1: *"},
    {TREE("<sensors><sensor name=\"s\" metric=\"mem.free\"/>\n<sensor name=\"m\" "
          "metric=\"mem.total\"/><sensor name=\"e\" expression=\"s + m\"/></sensors><groups>\n"
          "<group name=\"g\"><sensors><sensor name=\"s\" metric=\"net.rx.packets\" "
          "calculation=\"rate\"/></sensors></group></groups>"),
     "2: in group \"g\", sensor \"e\": expression, column *"},
};

static void check_bad(const struct bad_document *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char error[CONFIG_ERROR_SIZE];
        struct tree_config *tree = load_tree(cases[i].text, error);
        if (tree)
            fail_msg("this is taken: %s", cases[i].text);
        assert_refused(&cases[i], error);
    }
}

#define TEST(cases)                                                                                \
    static void refuses_##cases(void **state)                                                      \
    {                                                                                              \
        (void)state;                                                                               \
        check_bad(bad_##cases, N_OF(bad_##cases));                                                 \
    }
TEST(documents)
TEST(coordinations)
TEST(settings)
TEST(candidates)
TEST(revoked)
TEST(announcements)
TEST(nodes)
TEST(ranges)
TEST(rows)

static void refuses_octets(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    size_t len = (8u << 20) + 1;
    char *large = calloc(1, len);
    assert_null(tree_config_load("f.xml", large, len, error));
    assert_string_equal(error, "f.xml: is too large; the most that is read is 8 MiB");
    free(large);
    static const char nul[] = "<tree version=\"1\">\n\0</tree>";
    assert_null(tree_config_load("f.xml", nul, sizeof nul - 1, error));
    assert_string_equal(error, "f.xml:2: a NUL octet; this must be an XML text file");
}

/* Many of the same, which take no longer for that. */
static void refuses_many(void **state)
{
    (void)state;
    char error[CONFIG_ERROR_SIZE];
    char *text = malloc(8u << 20), *at = text;
    at += sprintf(at, "<tree version=\"1\">" TREE_ACCESS TREE_CANDIDATES "<nodes>" TREE_NODE);
    for (unsigned i = 0; i < TREE_NODES_MAX - 2; i++)
        at +=
            sprintf(at, "<node name=\"n%u\" address=\"udp:10.0.%u.%u:161\"/>", i, i >> 8, i & 255);
    strcpy(at, "<node name=\"n7\" address=\"udp:10.9.9.9:161\"/></nodes></tree>");
    assert_null(load_tree(text, error));
    assert_string_equal(error, "f.xml:1: node \"n7\" is there already, in line 1; give every node "
                               "a name of its own");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_documents),     cmocka_unit_test(refuses_coordinations),
        cmocka_unit_test(refuses_settings),      cmocka_unit_test(refuses_candidates),
        cmocka_unit_test(refuses_nodes),         cmocka_unit_test(refuses_ranges),
        cmocka_unit_test(refuses_rows),          cmocka_unit_test(refuses_octets),
        cmocka_unit_test(refuses_many),          cmocka_unit_test(refuses_revoked),
        cmocka_unit_test(refuses_announcements),
    };
    return cmocka_run_group_tests(tests, set_schema_dir, NULL);
}
