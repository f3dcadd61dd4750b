/* The API of Zabbix: requests, answers read without trust, and what is to be done so that each node
 * is a host. That the real one takes it is in tests/nms/zabbix.sh. */
#include <stdlib.h>
#include <string.h>

#include "cli/zabbix_api.h"
#include "cli/zabbix_plan.h"

#include "unit.h"

/* -- Requests and answers -------------------------------------------------------------------- */

static void requests(void **state)
{
    (void)state;
    char *text = zabbix_request("host.get", json_pack("{s:s}", "output", "host"), NULL);
    assert_string_equal(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"host.get\","
                              "\"params\":{\"output\":\"host\"}}");
    zabbix_forget(text);
    text = zabbix_request("user.logout", json_array(), "to\"ken");
    assert_string_equal(text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"user.logout\","
                              "\"params\":[],\"auth\":\"to\\\"ken\"}");
    zabbix_forget(text);
    assert_null(zabbix_request("host.get", NULL, NULL));
    zabbix_forget(NULL);
}

static json_t *result_of(const char *text, char error[512])
{
    return zabbix_result(text, strlen(text), error);
}

static void answers(void **state)
{
    (void)state;
    char error[512];
    json_t *result =
        result_of("{\"jsonrpc\":\"2.0\",\"result\":[{\"hostid\":\"7\"}],\"id\":1}", error);
    assert_string_equal(zabbix_text(json_array_get(result, 0), "hostid"), "7");
    assert_string_equal(zabbix_text(json_array_get(result, 0), "host"), "");
    json_decref(result);
    assert_null(result_of("{\"error\":{\"code\":-32602,\"message\":\"Invalid params.\","
                          "\"data\":\"Host with the same name \\\"a\\\" already exists.\"}}",
                          error));
    assert_string_equal(error, "Invalid params. Host with the same name \"a\" already exists.");
    assert_null(result_of("{\"error\":{\"data\":\"\\u001b[2J\"},\"result\":[]}", error));
    assert_string_equal(error, "?[2J");
    assert_null(result_of("{\"error\":7}", error));
    assert_string_equal(error, "an error without a reason");
    static const char *const bad[] = {"", "<html>", "[]", "7", "{}", "{\"result\":1,\"result\":2}"};
    for (size_t i = 0; i < N_OF(bad); i++) {
        assert_null(result_of(bad[i], error));
        assert_string_equal(error, "what it answers is not of the API of Zabbix");
    }
}

static void identifiers(void **state)
{
    (void)state;
    assert_true(zabbix_is_id("1") && zabbix_is_id("18446744073709551615"));
    assert_false(zabbix_is_id("") || zabbix_is_id("1 ") || zabbix_is_id("-1") ||
                 zabbix_is_id("118446744073709551615"));
}

/* -- What is to be done ---------------------------------------------------------------------- */

static const struct usm_credential login = {.user = "dcampPoll",
                                            .auth = AUTH_SHA256,
                                            .priv = PRIV_AES128,
                                            .auth_secret = "authentic",
                                            .priv_secret = "private!"};
static struct member members[3];
static struct roster roster;
static struct zabbix_site site;
static json_t *groups;
static struct zabbix_plan plan;
static char error[512];

static void put_member(size_t i, const char *name, const char *address, const char *group)
{
    members[i] = (struct member){.role = "metric", .state = "up"};
    snprintf(members[i].name, sizeof members[i].name, "%s", name);
    snprintf(members[i].address, sizeof members[i].address, "%s", address);
    snprintf(members[i].group, sizeof members[i].group, "%s", group);
}

static int begin(void **state)
{
    (void)state;
    put_member(0, "r1", "udp:192.0.2.1:161", "");
    put_member(1, "web1", "udp:192.0.2.7:1161", "web");
    roster = (struct roster){.list = members, .n = 2};
    groups = json_pack("{s:s, s:s}", "dCAMP", "30", "dCAMP/web", "31");
    site =
        (struct zabbix_site){.root = "r1", .template_id = "40", .groups = groups, .login = &login};
    return 0;
}

static int end(void **state)
{
    (void)state;
    zabbix_plan_free(&plan);
    json_decref(groups);
    return 0;
}

static json_t *load(const char *text)
{
    json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
    if (!json)
        fail_msg("%s", text);
    return json;
}

/* As the plan makes it, and as Zabbix gives it back. */
#define HOST(id, name, status, groups, templates, tags, interfaces)                                \
    "{\"hostid\":\"" id "\",\"host\":\"" name "\",\"name\":\"" name "\",\"status\":\"" status      \
    "\",\"groups\":[" groups "],\"parentTemplates\":[" templates "],\"tags\":[" tags               \
    "],\"interfaces\":[" interfaces "]}"
#define GROUP(id, name) "{\"groupid\":\"" id "\",\"name\":\"" name "\"}"
#define TEMPLATE(id) "{\"templateid\":\"" id "\"}"
#define TAG(name, value) "{\"tag\":\"" name "\",\"value\":\"" value "\"}"
#define ROOT_TAG TAG("dcamp:root", "r1")
#define INTERFACE(ip, port, auth)                                                                  \
    "{\"interfaceid\":\"50\",\"type\":\"2\",\"main\":\"1\",\"useip\":\"1\",\"ip\":\"" ip           \
    "\",\"dns\":\"\",\"port\":\"" port "\",\"details\":{\"version\":\"3\",\"bulk\":\"0\","         \
    "\"securityname\":\"dcampPoll\",\"securitylevel\":\"2\",\"authprotocol\":\"3\","               \
    "\"authpassphrase\":\"" auth "\",\"privprotocol\":\"1\",\"privpassphrase\":\"private!\","      \
    "\"contextname\":\"\"}}"
#define R1                                                                                         \
    HOST("10", "r1", "0", GROUP("30", "dCAMP"), TEMPLATE("40"), ROOT_TAG,                          \
         INTERFACE("192.0.2.1", "161", "authentic"))
#define WEB1_OF(status, groups, templates, tags, interfaces)                                       \
    HOST("11", "web1", status, groups, templates, tags, interfaces)
#define WEB_GROUP GROUP("31", "dCAMP/web")
#define WEB_INTERFACE INTERFACE("192.0.2.7", "1161", "authentic")
#define WEB1 WEB1_OF("0", WEB_GROUP, TEMPLATE("40"), ROOT_TAG, WEB_INTERFACE)

static bool make(const char *tagged, const char *named)
{
    json_t *hosts = load(tagged), *others = load(named);
    zabbix_plan_free(&plan);
    bool good = zabbix_plan_make(&plan, &site, &roster, hosts, others, error);
    json_decref(hosts);
    json_decref(others);
    return good;
}

static void assert_step(size_t i, enum zabbix_verb verb, const char *host, const char *what)
{
    assert_true(i < plan.n);
    assert_string_equal(plan.steps[i].host, host);
    assert_string_equal(plan.steps[i].what, what);
    assert_int_equal(plan.steps[i].verb, verb);
}

static void assert_request(size_t i, size_t j, const char *method, const char *params)
{
    assert_true(i < plan.n && j < plan.steps[i].n);
    assert_string_equal(plan.steps[i].methods[j], method);
    char *text = json_dumps(plan.steps[i].params[j], JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, params);
    free(text);
}

#define DETAILS(bulk, auth, priv)                                                                  \
    "\"details\":{\"authpassphrase\":\"" auth "\",\"authprotocol\":\"3\",\"bulk\":\"" bulk         \
    "\",\"contextname\":\"\",\"privpassphrase\":\"" priv "\",\"privprotocol\":\"1\","              \
    "\"securitylevel\":\"2\",\"securityname\":\"dcampPoll\",\"version\":\"3\"}"

static void all_are_new(void **state)
{
    (void)state;
    assert_true(make("[]", "[]"));
    assert_int_equal(plan.n, 2);
    assert_step(0, ZABBIX_CREATE, "r1", "dCAMP");
    assert_step(1, ZABBIX_CREATE, "web1", "dCAMP/web");
    assert_int_equal(plan.steps[1].n, 1);
    assert_request(1, 0, "host.create",
                   "{\"groups\":[{\"groupid\":\"31\"}],\"host\":\"web1\",\"interfaces\":[{" DETAILS(
                       "1", "authentic",
                       "private!") ",\"dns\":\"\",\"ip\":\"192.0.2.7\",\"main\":\"1\",\"port\":"
                                   "\"1161\",\"type\":\"2\",\"useip\":\"1\"}],\"name\":\"web1\","
                                   "\"tags\":[" ROOT_TAG "],"
                                   "\"templates\":[{\"templateid\":\"40\"}]}");
}

static void by_name_and_by_macros(void **state)
{
    (void)state;
    site.macros = true;
    put_member(1, "web1", "web1.example.org", "web");
    assert_true(make("[" R1 "]", "[]"));
    assert_step(0, ZABBIX_CHANGE, "r1", "login");
    assert_request(
        0, 0, "hostinterface.update",
        "{" DETAILS("0", "{$DCAMP.AUTH}",
                    "{$DCAMP.PRIV}") ",\"interfaceid\":\"50\",\"ip\":\"192.0.2.1\",\"port\":"
                                     "\"161\",\"useip\":\"1\"}");
    const json_t *interface =
        json_array_get(json_object_get(plan.steps[1].params[0], "interfaces"), 0);
    assert_string_equal(zabbix_text(interface, "useip"), "0");
    assert_string_equal(zabbix_text(interface, "ip"), "");
    assert_string_equal(zabbix_text(interface, "dns"), "web1.example.org");
    put_member(1, "web1", "udp6:[2001:db8::7]:161", "web");
    assert_true(make("[]", "[]"));
    interface = json_array_get(json_object_get(plan.steps[1].params[0], "interfaces"), 0);
    assert_string_equal(zabbix_text(interface, "ip"), "2001:db8::7");
    assert_string_equal(zabbix_text(interface, "useip"), "1");
}

static void all_is_as_it_should_be(void **state)
{
    (void)state;
    assert_true(make("[" R1 "," WEB1 "]", "[{\"host\":\"r1\"},{\"host\":\"web1\"}]"));
    assert_int_equal(plan.n, 0);
    /* So it is with what others have added. */
    assert_true(make("[" R1 "," WEB1_OF("1", WEB_GROUP "," GROUP("9", "Site"),
                                        TEMPLATE("7") "," TEMPLATE("40"),
                                        TAG("a", "b") "," ROOT_TAG, WEB_INTERFACE) "]",
                     "[]"));
    assert_int_equal(plan.n, 0);
}

static void one_that_differs(const char *host, const char *what, const char *method,
                             const char *params)
{
    char tagged[4000];
    snprintf(tagged, sizeof tagged, "[%s,%s]", R1, host);
    assert_true(make(tagged, "[]"));
    assert_int_equal(plan.n, 1);
    assert_step(0, ZABBIX_CHANGE, "web1", what);
    assert_int_equal(plan.steps[0].n, 1);
    assert_request(0, 0, method, params);
}

static void what_differs(void **state)
{
    (void)state;
    one_that_differs(WEB1_OF("0", GROUP("30", "dCAMP") "," GROUP("9", "dCAMPing"), TEMPLATE("40"),
                             ROOT_TAG, WEB_INTERFACE),
                     "group", "host.update",
                     "{\"groups\":[{\"groupid\":\"9\"},{\"groupid\":\"31\"}],\"hostid\":\"11\"}");
    one_that_differs(WEB1_OF("0", WEB_GROUP, TEMPLATE("7"), ROOT_TAG, WEB_INTERFACE), "template",
                     "host.update",
                     "{\"hostid\":\"11\",\"templates\":[{\"templateid\":\"7\"},"
                     "{\"templateid\":\"40\"}]}");
    one_that_differs(
        WEB1_OF("0", WEB_GROUP, TEMPLATE("40"), ROOT_TAG,
                INTERFACE("192.0.2.8", "1161", "authentic")),
        "address", "hostinterface.update",
        "{" DETAILS("0", "authentic",
                    "private!") ",\"interfaceid\":\"50\",\"ip\":\"192.0.2.7\",\"port\":\"1161\","
                                "\"useip\":\"1\"}");
    one_that_differs(
        WEB1_OF("0", WEB_GROUP, TEMPLATE("40"), ROOT_TAG, INTERFACE("192.0.2.7", "1161", "other")),
        "login", "hostinterface.update",
        "{" DETAILS("0", "authentic",
                    "private!") ",\"interfaceid\":\"50\",\"ip\":\"192.0.2.7\",\"port\":\"1161\","
                                "\"useip\":\"1\"}");
    one_that_differs(
        WEB1_OF("0", WEB_GROUP, TEMPLATE("40"), ROOT_TAG, ""), "interface", "hostinterface.create",
        "{" DETAILS("1", "authentic", "private!") ",\"dns\":\"\",\"hostid\":\"11\",\"ip\":"
                                                  "\"192.0.2.7\",\"main\":\"1\",\"port\":\"1161\","
                                                  "\"type\":\"2\",\"useip\":\"1\"}");
}

static void one_that_is_back(void **state)
{
    (void)state;
    one_that_differs(WEB1_OF("1", WEB_GROUP, TEMPLATE("40"),
                             ROOT_TAG "," TAG("dcamp:left", "") "," TAG("a", "b"), WEB_INTERFACE),
                     "it is back, tag", "host.update",
                     "{\"hostid\":\"11\",\"status\":\"0\",\"tags\":[" TAG("a", "b") "," ROOT_TAG
                                                                                    "]}");
}

static void several_at_once(void **state)
{
    (void)state;
    assert_true(make("[" R1 "," WEB1_OF("0", "", "", ROOT_TAG, "") "]", "[]"));
    assert_int_equal(plan.n, 1);
    assert_step(0, ZABBIX_CHANGE, "web1", "group, template, interface");
    assert_int_equal(plan.steps[0].n, 2);
}

#define OLD(status, tags)                                                                          \
    HOST("12", "old", status, GROUP("30", "dCAMP"), TEMPLATE("40"), tags,                          \
         INTERFACE("192.0.2.9", "161", "authentic"))

static void nodes_that_have_left(void **state)
{
    (void)state;
    assert_true(make("[" OLD("0", ROOT_TAG) "," R1 "," WEB1 "]", "[]"));
    assert_int_equal(plan.n, 1);
    assert_step(0, ZABBIX_DISABLE, "old", "its node is not in the tree");
    assert_request(0, 0, "host.update",
                   "{\"hostid\":\"12\",\"status\":\"1\",\"tags\":[" ROOT_TAG
                   "," TAG("dcamp:left", "") "]}");
    /* It is so already, or somebody has done it. */
    assert_true(make("[" OLD("1", ROOT_TAG "," TAG("dcamp:left", "")) "," R1 "," WEB1 "]", "[]"));
    assert_int_equal(plan.n, 0);
    assert_true(make("[" OLD("1", ROOT_TAG) "," R1 "," WEB1 "]", "[]"));
    assert_int_equal(plan.n, 0);
    site.deletes = true;
    assert_true(make("[" OLD("1", ROOT_TAG) "," R1 "," WEB1 "]", "[]"));
    assert_step(0, ZABBIX_DELETE, "old", "its node is not in the tree");
    assert_request(0, 0, "host.delete", "[\"12\"]");
}

/* What this command has not made, or not of this tree, is left alone. */
static void hosts_of_others(void **state)
{
    (void)state;
    site.deletes = true;
    assert_true(make("[" R1 "]", "[{\"host\":\"web1\"}]"));
    assert_int_equal(plan.n, 1);
    assert_step(0, ZABBIX_LEAVE, "web1",
                "there is such a host or template already, which has not the tag dcamp:root with "
                "the value r1");
    assert_int_equal(plan.steps[0].n, 0);
    assert_true(make("[" R1 "," WEB1_OF("0", "", "", TAG("dcamp:root", "r9"),
                                        "") "," OLD("0", TAG("dcamp:root", "r9")) "]",
                     "[]"));
    assert_int_equal(plan.n, 1);
    assert_step(0, ZABBIX_LEAVE, "web1",
                "the host is of the tree of r9, as its tag dcamp:root says");
}

#define OF_WEB1(interface)                                                                         \
    "[" HOST("10", "r1", "0", GROUP("30", "dCAMP"), TEMPLATE("40"), TAG("dcamp:root", "web1"),     \
             INTERFACE("192.0.2.1", "161",                                                         \
                       "authentic")) "," WEB1_OF("0", WEB_GROUP, TEMPLATE("40"),                   \
                                                 TAG("dcamp:root", "web1"), interface) "]"

/* The root was web1 when they were made. It is known by its own host. */
static void another_root(void **state)
{
    (void)state;
    assert_true(make(OF_WEB1(WEB_INTERFACE), "[]"));
    assert_int_equal(plan.n, 2);
    assert_step(0, ZABBIX_CHANGE, "r1", "tag");
    assert_step(1, ZABBIX_CHANGE, "web1", "tag");
    assert_request(1, 0, "host.update", "{\"hostid\":\"11\",\"tags\":[" ROOT_TAG "]}");
    /* That of another tree is at another address. */
    assert_true(make(OF_WEB1(INTERFACE("192.0.2.77", "1161", "authentic")), "[]"));
    assert_int_equal(plan.n, 2);
    assert_int_equal(plan.steps[0].verb, ZABBIX_LEAVE);
    assert_int_equal(plan.steps[1].verb, ZABBIX_LEAVE);
}

static void what_makes_no_sense(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{}",
        "7",
        "[7]",
        "[{}]",
        "[" HOST("x", "web1", "0", "", "", ROOT_TAG, "") "]",
        "[" HOST("11", "", "0", "", "", ROOT_TAG, "") "]",
        "[" HOST("11", "web1", "0", "{}", "", ROOT_TAG, "") "]",
        "[" HOST("11", "web1", "0", "", "7", ROOT_TAG, "") "]",
        "[" HOST("11", "web1", "0", "", "", ROOT_TAG, "{\"interfaceid\":\"-1\"}") "]",
        "[{\"hostid\":\"11\",\"host\":\"web1\",\"status\":\"0\",\"tags\":[],\"groups\":[]}]"};
    for (size_t i = 0; i < N_OF(bad); i++) {
        assert_false(make(bad[i], "[]"));
        assert_string_equal(error, "what it answers of hosts cannot be used");
        assert_int_equal(plan.n, 0);
    }
    put_member(1, "web1", "udp:{x}:161", "web");
    assert_false(make("[]", "[]"));
    assert_string_equal(error, "web1: the root has no address or group of it that makes sense");
    /* Where it is read: nothing of it reaches a terminal. */
    put_member(1, "web1", "udp:192.0.2.7:1161", "web");
    assert_true(
        make("[" R1 "," WEB1 "," HOST("13", "\\u001b[2J", "0", "", "", ROOT_TAG, "") "]", "[]"));
    assert_step(0, ZABBIX_DISABLE, "?[2J", "its node is not in the tree");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests), cmocka_unit_test(answers),   cmocka_unit_test(identifiers),
        TEST(all_are_new),          TEST(by_name_and_by_macros), TEST(all_is_as_it_should_be),
        TEST(what_differs),         TEST(one_that_is_back),      TEST(several_at_once),
        TEST(nodes_that_have_left), TEST(hosts_of_others),       TEST(another_root),
        TEST(what_makes_no_sense)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
