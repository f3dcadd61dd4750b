/* dcampTreeTable: the nodes of the tree, as the director of the root sees them. The scalars of
 * dcampTree that say what the director of this node is. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "tree/view.h"

static bool address(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct tree_row *)row)->address);
}

static bool role(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    switch (((const struct tree_row *)row)->role) {
    case SHARE_METRIC:
        return give_integer(value, dcampTreeRole_metric);
    case SHARE_COLLECTOR:
        return give_integer(value, dcampTreeRole_collector);
    case SHARE_ROOT:
        return give_integer(value, dcampTreeRole_root);
    default:
        return give_integer(value, dcampTreeRole_base);
    }
}

static bool parent(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct tree_row *)row)->parent);
}

static bool group(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct tree_row *)row)->group);
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct tree_row *)row)->state);
}

static bool age(const struct view *view, const void *row, struct mib_value *value)
{
    uint64_t heard_ns = ((const struct tree_row *)row)->heard_ns, now_ns = view->now.mono_ns;
    uint64_t age_ms = now_ns > heard_ns ? (now_ns - heard_ns) / NS_PER_MS : 0;
    return heard_ns > 0 && give_number(value, age_ms < UINT32_MAX ? age_ms : UINT32_MAX);
}

#define NUMBER(name, member)                                                                       \
    static bool name(const struct view *view, const void *row, struct mib_value *value)            \
    {                                                                                              \
        (void)view;                                                                                \
        return give_number(value, ((const struct tree_row *)row)->member);                         \
    }

NUMBER(level, level)
NUMBER(term, term)
NUMBER(serial, serial)
NUMBER(deviations, deviations)

static bool digest(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct tree_row *node = row;
    return give_octets(value, node->digest, node->has_digest ? sizeof node->digest : 0);
}

static bool version(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct tree_row *)row)->version);
}

static bool error(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct tree_row *node = row;
    return give_text(value, node->error ? node->error : "");
}

static bool found(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct tree_row *node = row;
    return node->found && give_integer(value, node->found);
}

static const struct index *rows(const struct view *view)
{
    return &view->tree->rows;
}

static const struct column columns[] = {
    {MIB_dcampTreeAddress, address, NULL},
    {MIB_dcampTreeRole, role, NULL},
    {MIB_dcampTreeParent, parent, NULL},
    {MIB_dcampTreeLevel, level, NULL},
    {MIB_dcampTreeGroup, group, NULL},
    {MIB_dcampTreeState, state, NULL},
    {MIB_dcampTreeAge, age, NULL},
    {MIB_dcampTreeTerm, term, NULL},
    {MIB_dcampTreeNodeSerial, serial, NULL},
    {MIB_dcampTreeNodeDigest, digest, NULL},
    {MIB_dcampTreeNodeDeviations, deviations, NULL},
    {MIB_dcampTreeVersion, version, NULL},
    {MIB_dcampTreeError, error, NULL},
    {MIB_dcampTreeFound, found, NULL},
};

const struct table table_tree_node = {
    .object = MIB_dcampTreeTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};

/* -- What the director of this node is ------------------------------------------------------- */

static bool is_root(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_truth(value, view->tree->is_root);
}

static bool root_name(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->tree->root);
}

static bool root_term(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->tree->term);
}

static const struct column head_columns[] = {
    {MIB_dcampTreeIsRoot, is_root, NULL},
    {MIB_dcampTreeRootName, root_name, NULL},
    {MIB_dcampTreeRootTerm, root_term, NULL},
};

const struct table table_tree_head = {
    .object = MIB_dcampTree,
    .columns = head_columns,
    .n_columns = sizeof head_columns / sizeof *head_columns,
};
