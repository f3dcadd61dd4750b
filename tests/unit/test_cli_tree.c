/* dcamp tree, asked of an agent on loopback: what people see, what programs get, and what is said
 * of nodes that are not root. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/tree.h"

#include "tree_cells.h"
#include "unit.h"

static const char digest[33] = "\x01\x02\x03\x04-octets-of-some-digest-56789";

#define LONG_NAME "a-name-of-24-characters-"

static struct asking asking;

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    tree_document(&asking, dcampDocumentKind_share, 3, 7, "lap", digest);
    tree_document(&asking, dcampDocumentKind_tree, 3, 2, "lap", digest);
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    return 0;
}

static void put_tree(void)
{
    tree_member(&asking, "lap", "", dcampTreeRole_root, dcampTreeState_up, digest);
    tree_member(&asking, "c1", "lap", dcampTreeRole_collector, dcampTreeState_up, digest);
    tree_member(&asking, "web10", "c1", dcampTreeRole_metric, dcampTreeState_up, digest);
    tree_member(&asking, "web2", "c1", dcampTreeRole_metric, dcampTreeState_lost, digest);
    tree_member(&asking, "db1", "", dcampTreeRole_base, dcampTreeState_unreachable, NULL);
    asking_text(&asking, MIB_dcampTreeAddress, "web2", NULL, "udp:192.0.2.7:161");
    asking_text(&asking, MIB_dcampTreeGroup, "web2", NULL, "web");
    asking_text(&asking, MIB_dcampTreeVersion, "web2", NULL, "0.2");
    asking_text(&asking, MIB_dcampTreeError, "web2", NULL, "no answer");
    asking_number(&asking, MIB_dcampTreeLevel, "web2", NULL, 2);
    asking_number(&asking, MIB_dcampTreeAge, "web2", NULL, 61000);
    asking_number(&asking, MIB_dcampTreeTerm, "web2", NULL, 3);
    asking_number(&asking, MIB_dcampTreeNodeSerial, "web2", NULL, 2);
    asking_number(&asking, MIB_dcampTreeNodeDeviations, "web2", NULL, 4);
    asking_number(&asking, MIB_dcampTreeFound, "web2", NULL, dcampTreeFound_announced);
}

static void for_people(void **state)
{
    (void)state;
    put_tree();
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.said, "");
    assert_string_equal(asking.out,
                        "NAME       ROLE       STATE        GROUP  SERIAL   AGE  DEV  REASON\n"
                        "db1        base       unreachable  -           -     -    -  -\n"
                        "lap        root       up           -           -     -    -  -\n"
                        "  c1       collector  up           -           -     -    -  -\n"
                        "    web2   metric     lost         web         2  61 s    4  no answer\n"
                        "    web10  metric     up           -           -     -    -  -\n");
}

static void for_programs(void **state)
{
    (void)state;
    put_tree();
    assert_int_equal(asking_run(&asking, tree_run, SHEET_JSON), EXIT_GOOD);
    assert_non_null(
        strstr(asking.out,
               "{\"name\":\"web2\",\"role\":\"metric\",\"state\":\"lost\",\"parent\":\"c1\","
               "\"group\":\"web\",\"serial\":2,\"digest\":"
               "\"010203042d6f63746574732d6f662d736f6d652d6469676573742d3536373839\",\"term\":3,"
               "\"address\":\"udp:192.0.2.7:161\",\"level\":2,\"age\":61000,\"deviations\":4,"
               "\"version\":\"0.2\",\"error\":\"no answer\",\"found\":\"announced\"}\n"));
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TSV), EXIT_GOOD);
    assert_int_equal(
        strncmp(asking.out, "name\trole\tstate\tparent\tgroup\tserial\tdigest\tterm\t", 46), 0);
    assert_non_null(strstr(asking.out, "\ndb1\tbase\tunreachable\t\t\t0\t\t0\t\t\t\t0\t\t\t\n"));
}

/* What a hostile root says: names that are none, circles, long and bad texts. */
static void whatever_it_says(void **state)
{
    (void)state;
    char line[300], *at;
    memset(line, 'x', 255);
    line[255] = '\0';
    tree_member(&asking, "a", "b", 99, dcampTreeState_up, "not 32 octets, and there are too many");
    tree_member(&asking, "b", "a", dcampTreeRole_metric, 77, NULL);
    tree_member(&asking, "\x1b[2J", "a", dcampTreeRole_metric, dcampTreeState_up, NULL);
    tree_member(&asking, LONG_NAME, "\x1b[2J", dcampTreeRole_collector, dcampTreeState_refused,
                NULL);
    asking_text(&asking, MIB_dcampTreeGroup, LONG_NAME, NULL, "g-with-a-name-of-32-characters--");
    asking_text(&asking, MIB_dcampTreeError, LONG_NAME, NULL, line);
    asking_text(&asking, MIB_dcampTreeError, "b", NULL, "\x1b[2J gone");
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_GOOD);
    assert_null(strchr(asking.out, '\x1b'));
    assert_non_null(strstr(asking.out, "?[2J gone"));
    assert_non_null(strstr(asking.out, "its parent b"));
    size_t lines = 0;
    for (char *next = asking.out; (at = strchr(next, '\n')); next = at + 1) {
        assert_in_range(at - next, 1, 100);
        lines++;
    }
    assert_int_equal(lines, 4);
}

/* A row that goes while it is read. */
static bool drop_one(struct agent_peer *agent)
{
    if (agent->engine.pdu.type == SNMP_MSG_GETBULK)
        return true;
    agent_drop_rows(agent, 'z');
    return true;
}

static void one_that_goes(void **state)
{
    (void)state;
    tree_member(&asking, "lap", "", dcampTreeRole_root, dcampTreeState_up, digest);
    tree_member(&asking, "z", "", dcampTreeRole_root, dcampTreeState_up, digest);
    asking.agent.before = drop_one;
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TSV), EXIT_GOOD);
    assert_non_null(strstr(asking.out, "\nlap\t"));
    assert_null(strstr(asking.out, "\nz\t"));
}

static void who_is_not_root(void **state)
{
    (void)state;
    tree_document(&asking, dcampDocumentKind_share, 4, 1, "r2", digest);
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said, "dcamp: lap is not the root of the tree: r2 is, in term 4\n");
    tree_document(&asking, dcampDocumentKind_share, 4, 1, "\x1b", digest);
    tree_document(&asking, dcampDocumentKind_tree, 0, 0, "", NULL);
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said,
                        "dcamp: lap is not the root of the tree: somebody is, in term 4\n");
    tree_document(&asking, dcampDocumentKind_share, 4, 2, "r2", NULL);
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said, "dcamp: lap is in no tree\n");
    assert_string_equal(asking.out, "");
    agent_drop_all(&asking.agent);
    asking_scalar_text(&asking, MIB_dcampNodeName, "lap");
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_SILENT);
    assert_non_null(strstr(asking.said, "there is no dcampDocumentTable"));
    asking_scalar_text(&asking, MIB_dcampNodeName, "lap \n top");
    tree_document(&asking, dcampDocumentKind_share, 4, 2, "r2", NULL);
    tree_document(&asking, dcampDocumentKind_tree, 4, 2, "r2", NULL);
    assert_int_equal(asking_run(&asking, tree_run, SHEET_TABLE), EXIT_BROKEN);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(for_people), TEST(for_programs), TEST(whatever_it_says),
                                       TEST(one_that_goes), TEST(who_is_not_root)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
