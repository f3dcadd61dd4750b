/* A node that announces itself, and what counts as the look of a root. */
#include <string.h>

#include "manager.h"
#include "unit.h"

static int node_setup(void **state)
{
    *state = node_new("<announce port=\"1161\" after=\"10s\"/>");
    node_cycle(*state, 0);
    return 0;
}

static struct mib_oid document_cell(enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    struct mib_oid oid = {.len = info->oid_len + 1};
    memcpy(oid.id, info->oid, info->oid_len * sizeof *oid.id);
    oid.id[info->oid_len] = dcampDocumentKind_share;
    return oid;
}

static void ask(struct node *node, enum mib_object object)
{
    const struct mib_oid oid = document_cell(object);
    struct mib_value value;
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
}

static int64_t unasked(struct node *node)
{
    return number_at(node, MIB_dcampNodeUnasked, NULL, NULL);
}

static bool is_due_within(struct node *node, unsigned seconds)
{
    while (seconds-- > 0 && !node->daemon->announcing.is_due)
        node_cycle(node, 1000);
    return node->daemon->announcing.is_due;
}

static void it_is_due(void **state)
{
    struct node *node = *state;
    assert_int_equal(number_at(node, MIB_dcampNodeAnnouncePort, NULL, NULL), 1161);
    assert_int_equal(number_at(node, MIB_dcampNodeAnnouncements, NULL, NULL), 0);
    assert_false(is_due_within(node, 7));
    assert_true(is_due_within(node, 6));
    assert_true(is_due_within(node, 1)); /* until snmpd has taken it */
    announcing_done(&node->daemon->announcing, true);
    assert_int_equal(number_at(node, MIB_dcampNodeAnnouncements, NULL, NULL), 1);
    assert_false(is_due_within(node, 14)); /* twice as long */
    assert_true(is_due_within(node, 12));
    assert_true(unasked(node) >= 2000);
}

/* A root asks for the term, and no walk does, nor who asks how a document is. */
static void a_look_of_a_root(void **state)
{
    struct node *node = *state;
    struct mib_oid before = document_cell(MIB_dcampDocumentTerm), found;
    struct mib_value value;
    before.id[before.len - 1] = 0;
    node_cycle(node, 5000);
    int64_t long_ago = unasked(node);
    assert_true(long_ago >= 500);
    ask(node, MIB_dcampDocumentState);
    ask(node, MIB_dcampDocumentEpoch);
    assert_int_equal(node_next(node, &before, false, NULL, &found, &value), ENGINE_OK);
    assert_int_equal(unasked(node), long_ago);
    for (int i = 0; i < 20; i++) {
        ask(node, MIB_dcampDocumentTerm);
        assert_int_equal(unasked(node), 0);
        assert_false(is_due_within(node, 5));
        assert_int_equal(unasked(node), 500);
    }
    assert_true(is_due_within(node, 9));
}

static void another_configuration(void **state)
{
    struct node *node = *state;
    char error[1024];
    node_configure(node, "lap", "");
    if (!dcampd_reload(node->daemon, error))
        fail_msg("%s", error);
    assert_int_equal(number_at(node, MIB_dcampNodeAnnouncePort, NULL, NULL), 0);
    assert_false(is_due_within(node, 100));
    node_configure(node, "lap", "<announce port=\"162\" after=\"5s\"/>");
    assert_true(dcampd_reload(node->daemon, error));
    assert_int_equal(number_at(node, MIB_dcampNodeAnnouncePort, NULL, NULL), 162);
    assert_true(is_due_within(node, 8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(it_is_due),
        node_test(a_look_of_a_root),
        node_test(another_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
