/* What a manager sees of the tree at its root: a row for each node, and what the director is. */
#include <stdio.h>
#include <string.h>

#include "manager.h"
#include "unit.h"

static int node_setup(void **state)
{
    *state = node_new("");
    node_cycle(*state, 0);
    return 0;
}

static void put(struct node *node, const struct tree_message_row *row)
{
    assert_int_equal(tree_view_put(&node->daemon->tree, row), 0);
}

static void say_role(struct node *node, bool is_root, uint32_t term, const char *root)
{
    struct tree_message_role role = {.is_root = is_root, .term = term};
    snprintf(role.root, sizeof role.root, "%s", root);
    tree_view_role(&node->daemon->tree, &role);
}

static void a_row_for_each_node(void **state)
{
    struct node *node = *state;
    struct tree_message_row row = {.name = "web1",
                                   .address = "udp:192.0.2.7:161",
                                   .role = SHARE_METRIC,
                                   .parent = "c1",
                                   .level = 2,
                                   .group = "web",
                                   .state = TREE_UP,
                                   .found = TREE_ANNOUNCED,
                                   .heard_ns = node->now.mono_ns - 1500 * NS_PER_MS,
                                   .term = 3,
                                   .epoch = 4,
                                   .serial = 7,
                                   .deviations = 5,
                                   .version = "0.1.0"};
    struct mib_value value;
    memset(row.digest, 'a', 64);
    put(node, &row);
    assert_cell_text(node, MIB_dcampTreeAddress, "web1", NULL, "udp:192.0.2.7:161");
    assert_int_equal(number_at(node, MIB_dcampTreeRole, "web1", NULL), dcampTreeRole_metric);
    assert_cell_text(node, MIB_dcampTreeParent, "web1", NULL, "c1");
    assert_int_equal(number_at(node, MIB_dcampTreeLevel, "web1", NULL), 2);
    assert_cell_text(node, MIB_dcampTreeGroup, "web1", NULL, "web");
    assert_int_equal(number_at(node, MIB_dcampTreeState, "web1", NULL), dcampTreeState_up);
    assert_int_equal(number_at(node, MIB_dcampTreeAge, "web1", NULL), 1500);
    assert_int_equal(number_at(node, MIB_dcampTreeTerm, "web1", NULL), 3);
    assert_int_equal(number_at(node, MIB_dcampTreeNodeSerial, "web1", NULL), 7);
    struct mib_oid digest = cell_of(MIB_dcampTreeNodeDigest, "web1", NULL);
    assert_int_equal(node_get(node, &digest, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, 32);
    assert_int_equal(((const uint8_t *)value.octets.at)[0], 0xaa);
    assert_int_equal(number_at(node, MIB_dcampTreeNodeDeviations, "web1", NULL), 5);
    assert_cell_text(node, MIB_dcampTreeVersion, "web1", NULL, "0.1.0");
    assert_cell_text(node, MIB_dcampTreeError, "web1", NULL, "");
    assert_int_equal(number_at(node, MIB_dcampTreeFound, "web1", NULL), dcampTreeFound_announced);
    assert_false(node_has(node, MIB_dcampTreeState, "web2", NULL));
}

/* One that has never answered, and what the age of others can be. */
static void what_is_not_known(void **state)
{
    struct node *node = *state;
    struct tree_message_row row = {
        .name = "db1", .state = TREE_UNREACHABLE, .error = "no answer within 1 s"};
    put(node, &row);
    assert_false(node_has(node, MIB_dcampTreeAge, "db1", NULL));
    assert_false(node_has(node, MIB_dcampTreeFound, "db1", NULL));
    assert_int_equal(number_at(node, MIB_dcampTreeRole, "db1", NULL), dcampTreeRole_base);
    assert_cell_text(node, MIB_dcampTreeNodeDigest, "db1", NULL, "");
    assert_cell_text(node, MIB_dcampTreeError, "db1", NULL, "no answer within 1 s");
    row.heard_ns = node->now.mono_ns + 1; /* the director's clock is read a little later */
    put(node, &row);
    assert_int_equal(number_at(node, MIB_dcampTreeAge, "db1", NULL), 0);
    row.heard_ns = 1;
    put(node, &row);
    node->now.mono_ns += (uint64_t)UINT32_MAX * NS_PER_MS * 2; /* it does not wrap */
    assert_int_equal(number_at(node, MIB_dcampTreeAge, "db1", NULL), UINT32_MAX);
}

/* The numbers of the MIB are those of the code. */
static void roles_and_states(void **state)
{
    struct node *node = *state;
    static const int roles[] = {dcampTreeRole_base, dcampTreeRole_metric, dcampTreeRole_collector,
                                dcampTreeRole_root};
    static const int states[] = {dcampTreeState_unknown, dcampTreeState_unreachable,
                                 dcampTreeState_joining, dcampTreeState_up,
                                 dcampTreeState_lost,    dcampTreeState_refused,
                                 dcampTreeState_clone,   dcampTreeState_stopping};
    struct tree_message_row row = {.name = "a", .state = TREE_UP};
    for (uint32_t i = 0; i < N_OF(roles); i++) {
        row.role = i;
        put(node, &row);
        assert_int_equal(number_at(node, MIB_dcampTreeRole, "a", NULL), roles[i]);
    }
    for (uint32_t i = 0; i < N_OF(states); i++) {
        row.state = TREE_UNKNOWN + i;
        put(node, &row);
        assert_int_equal(number_at(node, MIB_dcampTreeState, "a", NULL), states[i]);
    }
}

static void what_the_director_is(void **state)
{
    struct node *node = *state;
    struct tree_message_row row = {.name = "a", .state = TREE_UP};
    assert_int_equal(number_at(node, MIB_dcampTreeIsRoot, NULL, NULL), 2);
    assert_cell_text(node, MIB_dcampTreeRootName, NULL, NULL, "");
    assert_int_equal(number_at(node, MIB_dcampTreeRootTerm, NULL, NULL), 0);
    say_role(node, true, 17, "r1");
    put(node, &row);
    assert_int_equal(number_at(node, MIB_dcampTreeIsRoot, NULL, NULL), 1);
    assert_cell_text(node, MIB_dcampTreeRootName, NULL, NULL, "r1");
    assert_int_equal(number_at(node, MIB_dcampTreeRootTerm, NULL, NULL), 17);
    assert_true(node_has(node, MIB_dcampTreeState, "a", NULL));
    say_role(node, false, 18, "r2");
    assert_int_equal(number_at(node, MIB_dcampTreeIsRoot, NULL, NULL), 2);
    assert_cell_text(node, MIB_dcampTreeRootName, NULL, NULL, "r2");
    assert_false(node_has(node, MIB_dcampTreeState, "a", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(a_row_for_each_node),
        node_test(what_is_not_known),
        node_test(roles_and_states),
        node_test(what_the_director_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
