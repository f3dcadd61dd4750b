#include "walk.h"

#include <stdio.h>
#include <stdlib.h>

struct cells cells_new(void)
{
    struct cells cells = {.oids = malloc(CELLS_MAX * sizeof *cells.oids)};
    assert_non_null(cells.oids);
    return cells;
}

static void cells_add(struct cells *cells, const struct mib_oid *oid)
{
    assert_true(cells->n < CELLS_MAX);
    cells->oids[cells->n++] = *oid;
}

int cells_compare(const struct mib_oid *a, const struct mib_oid *b)
{
    return oid_compare(a->id, a->len, b->id, b->len);
}

const char *oid_text(const struct mib_oid *oid)
{
    static char text[OID_MAX * 11 + 1];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < oid->len; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, ".%u", oid->id[i]);
    return text;
}

bool is_leaf(const struct mib_info *info)
{
    return info->role == MIB_SCALAR || info->role == MIB_COLUMN;
}

/* What changes from one look to the next: by the look itself, or by the saver. */
static bool is_restless(int object)
{
    return object == MIB_dcampSelfCpuTime || object == MIB_dcampSelfStateDirty ||
           object == MIB_dcampSelfStateSaved;
}

static void assert_same_value(const struct mib_value *a, const struct mib_value *b)
{
    assert_int_equal(a->syntax, b->syntax);
    if (a->syntax == MIB_SYNTAX_OID) {
        assert_int_equal(oid_compare(a->oid.at, a->oid.len, b->oid.at, b->oid.len), 0);
        return;
    }
    if (a->syntax != MIB_SYNTAX_OCTETS) {
        assert_true(a->number == b->number);
        return;
    }
    assert_int_equal(a->octets.len, b->octets.len);
    if (a->octets.len)
        assert_memory_equal(a->octets.at, b->octets.at, a->octets.len);
}

void cells_get(struct node *node, struct cells *cells)
{
    cells->n = 0;
    for (int object = 0; object < MIB_OBJECTS; object++) {
        const struct table *table = node->engine.bound[object].table;
        struct mib_oid oid = cell_of((enum mib_object)object, NULL, NULL);
        struct mib_value value;
        if (table && !table_has_rows(table) && node_get(node, &oid, &value) == ENGINE_OK)
            cells_add(cells, &oid);
        if (!table || !table_has_rows(table))
            continue;
        for (const void *row = node_next_row(node, table, NULL); row;
             row = node_next_row(node, table, row)) {
            uint32_t instance[OID_MAX];
            size_t len = node_instance(table, row, instance);
            oid.len = mib_objects[object].oid_len + len;
            memcpy(oid.id + mib_objects[object].oid_len, instance, len * sizeof *instance);
            if (node_get(node, &oid, &value) == ENGINE_OK)
                cells_add(cells, &oid);
        }
    }
}

bool walk_step(struct node *node, struct mib_oid *at)
{
    struct mib_oid found;
    struct mib_value value, again;
    if (node_next(node, at, false, NULL, &found, &value) != ENGINE_OK)
        return false;
    if (cells_compare(&found, at) <= 0)
        fail_msg("%s comes again", oid_text(&found));
    assert_int_equal(node_get(node, &found, &again), ENGINE_OK);
    size_t rest;
    if (!is_restless(engine_object(found.id, found.len, &rest)))
        assert_same_value(&value, &again);
    *at = found;
    return true;
}

void cells_walk(struct node *node, struct cells *cells)
{
    struct mib_oid at = {.len = mib_objects[0].oid_len};
    memcpy(at.id, mib_objects[0].oid, at.len * sizeof *at.id);
    cells->n = 0;
    while (walk_step(node, &at))
        cells_add(cells, &at);
}
