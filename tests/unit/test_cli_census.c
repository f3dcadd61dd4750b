/* The tree as roots tell it one after the other: what is believed of an answer, and who is asked
 * when the root is another one. */
#include <stdlib.h>
#include <string.h>

#include "cli/census.h"

#include "tree_cells.h"
#include "unit.h"

static const char digest[33] = "\x01\x02\x03\x04-octets-of-some-digest-56789";

/* -- What is believed ------------------------------------------------------------------------ */

#define SECOND UINT64_C(1000000000)

static struct census census;
static const struct census_head r1 = {"r1", 3, 7}, restarted = {"r1", 3, 8}, r2 = {"r2", 4, 2};

/* Names, which one blank separates; those with a '*' before them have never been heard of. */
static void answer(const char *names, const char *role, const struct census_head *head,
                   uint64_t now)
{
    struct roster roster = {.list = NULL};
    for (size_t len; *names; names += len + (names[len] == ' ')) {
        len = strcspn(names, " ");
        struct member member = {.role = role, .state = "up", .age_ms = *names == '*' ? -1 : 5};
        size_t skipped = *names == '*';
        memcpy(member.name, names + skipped, len - skipped);
        member.error = strdup("");
        roster.list = reallocarray(roster.list, roster.n + 1, sizeof *roster.list);
        assert_non_null(roster.list);
        roster.list[roster.n++] = member;
    }
    assert_true(census_take(&census, &roster, head, now));
    assert_int_equal(roster.n, 0);
    roster_free(&roster);
}

static void assert_names(const char *expected)
{
    char names[200] = "";
    for (size_t i = 0; i < census.roster.n; i++) {
        strcat(names, i ? " " : "");
        strcat(names, census.roster.list[i].name);
    }
    assert_string_equal(names, expected);
}

static int forget(void **state)
{
    (void)state;
    census_free(&census);
    return 0;
}

static void in_the_order_of_the_table(void **state)
{
    (void)state;
    answer("web10 b a web2", "metric", &r1, SECOND);
    assert_names("a b web2 web10");
    answer("c a web2 web10 b", "metric", &r1, 2 * SECOND);
    assert_names("a b c web2 web10");
    assert_string_equal(census.head.root, "r1");
}

static void missing_twice_is_gone(void **state)
{
    (void)state;
    answer("a b c", "metric", &r1, SECOND);
    answer("b", "metric", &r1, 2 * SECOND);
    assert_names("a b c");
    answer("b c", "metric", &r1, 3 * SECOND);
    assert_names("b c");
    answer("b", "metric", &r1, 4 * SECOND);
    assert_names("b c");
    answer("b", "metric", &r1, 5 * SECOND);
    assert_names("b");
}

static void a_root_that_has_begun(void **state)
{
    (void)state;
    static const struct census_head *const others[] = {&restarted, &r2};
    for (size_t i = 0; i < N_OF(others); i++) {
        answer("a b", "metric", &r1, SECOND);
        answer("b", "metric", others[i], 2 * SECOND);
        answer("b", "metric", others[i], 3 * SECOND);
        answer("b", "metric", others[i], 2 * SECOND + CENSUS_SETTLE_NS - 1);
        assert_names("a b");
        assert_string_equal(census.head.root, others[i]->root);
        answer("b", "metric", others[i], 2 * SECOND + CENSUS_SETTLE_NS);
        assert_names("b");
        census_free(&census);
    }
}

/* The first answer is taken as it is. */
static void a_root_that_has_begun_before(void **state)
{
    (void)state;
    answer("a b", "metric", &r1, SECOND);
    answer("b", "metric", &r1, 2 * SECOND);
    answer("b", "metric", &r1, 3 * SECOND);
    assert_names("b");
}

static void roles_that_a_root_has_not_heard(void **state)
{
    (void)state;
    answer("a b", "collector", &r1, SECOND);
    answer("*a b", "base", &r2, 2 * SECOND);
    assert_string_equal(census.roster.list[0].role, "collector");
    assert_string_equal(census.roster.list[1].role, "base");
    answer("a b", "metric", &r2, 3 * SECOND);
    assert_string_equal(census.roster.list[0].role, "metric");
}

/* -- Who is asked ---------------------------------------------------------------------------- */

static struct asking asking, other; /* only the first one has a client */
static struct question question;
static char *said;
static size_t said_size;

static void put_tree(struct asking *at, const char *root, int64_t term)
{
    tree_document(at, dcampDocumentKind_share, term, 7, root, digest);
    tree_document(at, dcampDocumentKind_tree, term, 2, root, digest);
    tree_member(at, "lap", "", dcampTreeRole_root, dcampTreeState_up, digest);
    tree_member(at, "r2", "lap", dcampTreeRole_collector, dcampTreeState_up, digest);
    asking_text(at, MIB_dcampTreeAddress, "lap", NULL, asking.agent.engine.address);
    asking_text(at, MIB_dcampTreeAddress, "r2", NULL, other.agent.engine.address);
    asking_number(at, MIB_dcampTreeAge, "lap", NULL, 5);
    asking_number(at, MIB_dcampTreeAge, "r2", NULL, 5);
}

static void follows(struct asking *at, const char *root, int64_t term)
{
    tree_document(at, dcampDocumentKind_share, term, 1, root, digest);
    tree_document(at, dcampDocumentKind_tree, term, 1, root, digest);
}

static int begin(void **state)
{
    (void)state;
    asking_begin(&asking);
    agent_begin(&other.agent);
    asking_scalar_text(&other, MIB_dcampNodeName, "r2");
    put_tree(&asking, "lap", 3);
    follows(&other, "lap", 3);
    asking.command.timeout_s = 1;
    assert_true(address_split(asking.agent.engine.address, "161", &asking.command.login.address));
    question = (struct question){.command = &asking.command,
                                 .client = asking.client,
                                 .errors = open_memstream(&said, &said_size)};
    return 0;
}

static int end(void **state)
{
    (void)state;
    census_free(&census);
    fclose(question.errors);
    free(said);
    asking_end(&asking);
    agent_end(&other.agent);
    memset(&other, 0, sizeof other);
    return 0;
}

static void assert_follows(const char *root)
{
    bool good = census_follow(&census, &question);
    fflush(question.errors);
    if (!good)
        fail_msg("%s", said);
    assert_int_equal(question.status, EXIT_GOOD);
    assert_string_equal(census.head.root, root);
    assert_names("r2 lap");
}

static void assert_fails(const char *expected)
{
    long before = ftell(question.errors);
    assert_false(census_follow(&census, &question));
    fflush(question.errors);
    assert_true(question.status != EXIT_GOOD);
    assert_string_equal(said + before, expected);
    question.status = EXIT_GOOD;
}

/* The old root names the new one. */
static void a_root_that_is_replaced(void **state)
{
    (void)state;
    assert_follows("lap");
    follows(&asking, "r2", 4);
    put_tree(&other, "r2", 4);
    assert_follows("r2");
    assert_int_equal(census.head.term, 4);
    /* It is asked from then on, and the first one not any more. */
    size_t asked = asking.agent.asked;
    assert_follows("r2");
    assert_int_equal(asking.agent.asked, asked);
    /* And back. */
    follows(&other, "lap", 5);
    put_tree(&asking, "lap", 5);
    assert_follows("lap");
}

static bool no_answer(struct agent_peer *agent)
{
    (void)agent;
    return false;
}

/* A standby names itself. */
static void a_root_that_is_lost(void **state)
{
    (void)state;
    assert_follows("lap");
    asking.agent.before = no_answer;
    assert_false(census_follow(&census, &question)); /* nobody has taken over yet */
    assert_int_equal(question.status, EXIT_SILENT);
    assert_names("r2 lap");
    question.status = EXIT_GOOD;
    put_tree(&other, "r2", 4);
    assert_follows("r2");
}

/* What was known of the tree stays. */
static void no_root(void **state)
{
    (void)state;
    follows(&asking, "r3", 4);
    assert_fails("dcamp: lap is not the root of the tree: r3 is, in term 4\n");
    assert_int_equal(census.roster.n, 0);
    put_tree(&asking, "lap", 5);
    assert_follows("lap");
    follows(&asking, "r3", 6);
    assert_fails("dcamp: lap is not the root of the tree: r3 is, in term 6\n");
    assert_names("r2 lap");
}

/* The director begins anew: it has no nodes, or they go while they are asked for. */
static bool was_walked;

static bool drop_one(struct agent_peer *agent)
{
    if (was_walked)
        agent_drop_rows(agent, 'p');
    was_walked = agent->engine.pdu.type == SNMP_MSG_GETBULK;
    return true;
}

static void no_answer_that_is_whole(void **state)
{
    (void)state;
    assert_follows("lap");
    asking.agent.before = drop_one;
    assert_fails("dcamp: the tree of lap has changed while it was asked for it: once more\n");
    assert_names("r2 lap");
    asking.agent.before = NULL;
    agent_drop_rows(&asking.agent, '2');
    assert_fails("dcamp: lap is root, and has no nodes to show\n");
    assert_names("r2 lap");
}

#define PURE(test) cmocka_unit_test_teardown(test, forget)
#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {PURE(in_the_order_of_the_table),
                                       PURE(missing_twice_is_gone),
                                       PURE(a_root_that_has_begun),
                                       PURE(a_root_that_has_begun_before),
                                       PURE(roles_that_a_root_has_not_heard),
                                       TEST(a_root_that_is_replaced),
                                       TEST(a_root_that_is_lost),
                                       TEST(no_root),
                                       TEST(no_answer_that_is_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
