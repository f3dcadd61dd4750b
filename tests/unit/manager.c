#include "manager.h"

#include <string.h>

/* -- What a manager sees --------------------------------------------------------------------- */

/* Adds the kind before the dot of a name, if there is one; returns the rest of it. */
static const char *add_kind(struct mib_oid *oid, const char *name)
{
    const struct mib_info *kinds = &mib_objects[MIB_dcampDeviationKind];
    size_t len = strcspn(name, ".");
    if (!name[len])
        return name;
    for (size_t i = 0; i < kinds->n_labels; i++)
        if (strlen(kinds->labels[i].name) == len && strncmp(kinds->labels[i].name, name, len) == 0)
            oid->id[oid->len++] = (uint32_t)kinds->labels[i].value;
    return name + len + 1;
}

struct mib_oid cell_of(enum mib_object object, const char *name, const char *instance)
{
    const struct mib_info *info = &mib_objects[object];
    struct mib_oid oid = {.len = info->oid_len};
    memcpy(oid.id, info->oid, info->oid_len * sizeof *oid.id);
    if (name && object >= MIB_dcampDeviationWhat && object <= MIB_dcampDeviationError)
        name = add_kind(&oid, name);
    if (name)
        oid.len += index_key_text(oid.id + oid.len, name);
    if (object == MIB_dcampThresholdStatePhase || object == MIB_dcampThresholdStateSince ||
        object == MIB_dcampThresholdStateBreaches)
        oid.len += index_key_text(oid.id + oid.len, "lap");
    if (instance)
        oid.len += index_key_text(oid.id + oid.len, instance);
    if (!name)
        oid.id[oid.len++] = 0;
    return oid;
}

struct view node_view(const struct node *node)
{
    return view_of(node->daemon, node->now);
}

const void *node_next_row(const struct node *node, const struct table *table, const void *row)
{
    const struct view view = node_view(node);
    if (table->finder)
        return row ? table->finder->next(row) : table->finder->after(&view, NULL, 0);
    return row ? index_next((struct index_node *)row) : index_first(table->rows(&view));
}

size_t node_instance(const struct table *table, const void *row, uint32_t instance[OID_MAX])
{
    if (table->finder)
        return table->finder->instance(row, instance);
    index_key_copy(row, instance);
    return index_key_length(row);
}

size_t node_count(const struct node *node, const struct table *table)
{
    size_t n = 0;
    for (const void *row = node_next_row(node, table, NULL); row;
         row = node_next_row(node, table, row))
        n++;
    return n;
}

enum engine_status node_get(struct node *node, const struct mib_oid *oid, struct mib_value *value)
{
    const struct view view = node_view(node);
    return engine_get(&node->engine, oid->id, oid->len, &view, value);
}

enum engine_status node_next(struct node *node, const struct mib_oid *from, bool inclusive,
                             const struct mib_oid *end, struct mib_oid *found,
                             struct mib_value *value)
{
    const struct view view = node_view(node);
    return engine_next(&node->engine, from->id, from->len, inclusive, end ? end->id : NULL,
                       end ? end->len : 0, &view, found, value);
}

bool node_has(struct node *node, enum mib_object object, const char *name, const char *instance)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, name, instance);
    return node_get(node, &oid, &value) == ENGINE_OK;
}

int64_t number_at(struct node *node, enum mib_object object, const char *name, const char *instance)
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, name, instance);
    if (node_get(node, &oid, &value) != ENGINE_OK)
        fail_msg("%s of %s %s is not there", mib_objects[object].name, name ? name : "",
                 instance ? instance : "");
    assert_int_not_equal(value.syntax, MIB_SYNTAX_OCTETS);
    assert_int_not_equal(value.syntax, MIB_SYNTAX_OID);
    return value.integer;
}

const char *text_at(struct node *node, enum mib_object object, const char *name,
                    const char *instance, char text[MESSAGE_SIZE])
{
    struct mib_value value;
    struct mib_oid oid = cell_of(object, name, instance);
    if (node_get(node, &oid, &value) != ENGINE_OK)
        fail_msg("%s of %s %s is not there", mib_objects[object].name, name ? name : "",
                 instance ? instance : "");
    if (value.syntax == MIB_SYNTAX_OID) {
        assert_int_not_equal(oid_to_text(value.oid.at, value.oid.len, text), 0);
        return text;
    }
    assert_int_equal(value.syntax, MIB_SYNTAX_OCTETS);
    assert_true(value.octets.len < MESSAGE_SIZE);
    memcpy(text, value.octets.at, value.octets.len);
    text[value.octets.len] = '\0';
    return text;
}

/* -- SET ------------------------------------------------------------------------------------- */

void varbind_text(struct set_varbind *varbind, const char *text)
{
    static uint32_t arcs[2 * BINDS_MAX][OID_MAX];
    static size_t turn;
    size_t len = text ? strlen(text) : 0;
    varbind->octets = (const uint8_t *)text;
    varbind->octets_len = len;
    if (varbind->syntax == MIB_SYNTAX_OID) {
        varbind->arcs = arcs[turn++ % N_OF(arcs)];
        varbind->n_arcs = oid_from_text(text, len, arcs[(turn - 1) % N_OF(arcs)]);
    }
}

struct set_varbind *pdu_add(struct pdu *pdu, const struct bind *bind)
{
    assert_true(pdu->n < BINDS_MAX);
    struct set_varbind *varbind = &pdu->varbinds[pdu->n];
    struct mib_oid *oid = &pdu->oids[pdu->n++];
    *oid = cell_of(bind->object, bind->name, NULL);
    *varbind = (struct set_varbind){.oid = oid->id,
                                    .oid_len = oid->len,
                                    .syntax = mib_objects[bind->object].syntax,
                                    .number = bind->number};
    varbind_text(varbind, bind->text);
    return varbind;
}

enum set_error node_test_set(struct node *node, const struct set_varbind *varbinds, size_t n,
                             struct set_transaction **transaction, size_t *index)
{
    const struct view view = node_view(node);
    return set_test(&node->engine, &view, varbinds, n, transaction, index);
}

enum set_error pdu_set(struct node *node, const struct pdu *pdu, size_t *index)
{
    struct set_transaction *transaction = NULL;
    enum set_error error = node_test_set(node, pdu->varbinds, pdu->n, &transaction, index);
    if (!error)
        error = set_commit(transaction, node->now);
    set_cleanup(transaction);
    return error;
}

enum set_error node_set(struct node *node, const struct bind *binds, size_t n)
{
    struct pdu pdu = {.n = 0};
    size_t index;
    for (size_t i = 0; i < n; i++)
        pdu_add(&pdu, &binds[i]);
    return pdu_set(node, &pdu, &index);
}

void node_set_one(struct node *node, enum mib_object object, const char *name, int64_t number,
                  const char *text)
{
    struct bind bind = {object, name, number, text};
    assert_int_equal(node_set(node, &bind, 1), SET_OK);
}
