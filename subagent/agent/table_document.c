/* dcampDocumentTable and the scalars of dcampTree. */
#include <stdlib.h>
#include <string.h>

#include "agent/tables.h"
#include "agent/view.h"
#include "base/hex.h"
#include "base/text.h"
#include "children/children.h"
#include "daemon/documents.h"
#include "tree/announcing.h"
#include "tree/view.h"

static const struct ordered *ordered_of(const void *row)
{
    return &((const struct document_row *)row)->ordered;
}

static bool term(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ordered_of(row)->order.term);
}

static bool epoch(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ordered_of(row)->order.epoch);
}

static bool root(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ordered_of(row)->order.root);
}

static bool has_document(const struct order *order)
{
    return order->term > 0 && !order->is_empty;
}

static bool digest(const struct view *view, const void *row, struct mib_value *value)
{
    const struct order *order = &ordered_of(row)->order;
    (void)view;
    return give_octets(value, order->digest, has_document(order) ? sizeof order->digest : 0);
}

static bool length(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ordered_of(row)->order.length);
}

static bool offset(const struct view *view, const void *row, struct mib_value *value)
{
    const struct ordered *ordered = ordered_of(row);
    (void)view;
    return give_number(value, ordered_state(ordered) == DOCUMENT_IN_FORCE ? ordered->order.length
                                                                          : ordered->held);
}

static bool part(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    (void)row;
    return give_text(value, "");
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ordered_state(ordered_of(row)));
}

static bool error(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ordered_of(row)->error);
}

static bool in_force(const struct view *view, const void *row, struct mib_value *value)
{
    const struct parcel *parcel = ordered_of(row)->in_force;
    (void)view;
    return parcel ? give_octets(value, parcel->digest, sizeof parcel->digest)
                  : give_text(value, "");
}

static const struct index *rows(const struct view *view)
{
    return &view->documents->index;
}

static void asked(const struct view *view, enum mib_object object)
{
    if (object == MIB_dcampDocumentTerm)
        announcing_looked(view->announcing, view->documents->assignment.role != 0,
                          view->now.mono_ns);
}

/* -- SET -------------------------------------------------------------------------------------- */

struct step {
    struct ordered *ordered;
    struct order_request request;
    struct order_step *step; /* NULL: not tested yet */
};

static void *begin(const struct view *view, const void *row)
{
    struct step *step = calloc(1, sizeof *step);
    (void)view;
    if (step)
        step->ordered = &((struct document_row *)row)->ordered;
    return step;
}

static enum set_error take_root(struct order *order, const struct set_varbind *varbind,
                                char text[FAULT_SIZE])
{
    if (!text_is_name((const char *)varbind->octets, varbind->octets_len)) {
        text_format(text, FAULT_SIZE, "the root must be a name of 1 to 32 of A-Z a-z 0-9 . _ -");
        return SET_WRONG_VALUE;
    }
    memcpy(order->root, varbind->octets, varbind->octets_len);
    order->root[varbind->octets_len] = '\0';
    return SET_OK;
}

static void take_digest(struct order *order, const struct set_varbind *varbind)
{
    order->is_empty = varbind->octets_len == 0;
    if (!order->is_empty)
        memcpy(order->digest, varbind->octets, sizeof order->digest);
}

static void take_part(struct order_request *request, const struct set_varbind *varbind)
{
    request->part_len = (uint32_t)varbind->octets_len;
    if (request->part_len > 0)
        memcpy(request->part, varbind->octets, request->part_len);
}

/* If a column is twice in a PDU, its last value counts, as in other tables. */
static enum set_error take(void *context, enum mib_object object, const struct set_varbind *varbind,
                           char text[FAULT_SIZE])
{
    struct order_request *request = &((struct step *)context)->request;
    uint32_t number = (uint32_t)varbind->number;
    /* The bits are in the order of enum order_given. */
    request->given |= 1u << (object - MIB_dcampDocumentTerm);
    switch (object) {
    case MIB_dcampDocumentTerm:
        request->order.term = number;
        return SET_OK;
    case MIB_dcampDocumentEpoch:
        request->order.epoch = number;
        return SET_OK;
    case MIB_dcampDocumentRoot:
        return take_root(&request->order, varbind, text);
    case MIB_dcampDocumentDigest:
        take_digest(&request->order, varbind);
        return SET_OK;
    case MIB_dcampDocumentLength:
        request->order.length = number;
        return SET_OK;
    case MIB_dcampDocumentOffset:
        request->offset = number;
        return SET_OK;
    default:
        take_part(request, varbind);
        return SET_OK;
    }
}

static enum set_error test(void *context, char text[FAULT_SIZE])
{
    struct step *step = context;
    switch (order_test(step->ordered, &step->request, &step->step, text)) {
    case ORDER_OK:
        return SET_OK;
    case ORDER_NO_MEMORY:
        return SET_RESOURCE_UNAVAILABLE;
    default:
        return SET_INCONSISTENT_VALUE;
    }
}

static bool commit(void *context)
{
    return order_commit(((struct step *)context)->step);
}

static void undo(void *context)
{
    order_undo(((struct step *)context)->step);
}

static bool is_saved(const void *context)
{
    return order_is_whole(((const struct step *)context)->step);
}

static void end(void *context)
{
    order_end(((struct step *)context)->step);
    free(context);
}

static const struct table_steps steps = {begin, take, test, commit, undo, is_saved, end};

static const struct column columns[] = {
    {MIB_dcampDocumentTerm, term, NULL},     {MIB_dcampDocumentEpoch, epoch, NULL},
    {MIB_dcampDocumentRoot, root, NULL},     {MIB_dcampDocumentDigest, digest, NULL},
    {MIB_dcampDocumentLength, length, NULL}, {MIB_dcampDocumentOffset, offset, NULL},
    {MIB_dcampDocumentPart, part, NULL},     {MIB_dcampDocumentState, state, NULL},
    {MIB_dcampDocumentError, error, NULL},   {MIB_dcampDocumentInForce, in_force, NULL},
};

const struct table table_document = {
    .object = MIB_dcampDocumentTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .steps = &steps,
    .asked = asked,
};

/* -- What is in force ------------------------------------------------------------------------- */

static bool tree_serial(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->documents->assignment.serial);
}

static bool tree_digest(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    uint8_t *octets = (uint8_t *)value->room;
    return give_octets(value, octets,
                       hex_to_octets(view->documents->assignment.digest, octets, CONFIG_DIGEST));
}

static bool reason(const struct view *view, const void *row, struct mib_value *value)
{
    const struct assignment *assignment = &view->documents->assignment;
    (void)row;
    if (view->tree->is_root && view->tree->reason[0]) /* this reason keeps the root from its work */
        return give_text(value, view->tree->reason);
    return give_text(value, assignment->role
                                ? assignment->reason
                                : "there is no share: the node works by its configuration file");
}

static bool deviations(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value,
                       view->documents->assignment.role ? view->config->deviations.count : 0);
}

static bool unreached(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    children_down(view->children, value->room, sizeof value->room);
    return give_text(value, value->room);
}

static const struct column tree_columns[] = {
    {MIB_dcampTreeSerial, tree_serial, NULL},  {MIB_dcampTreeDigest, tree_digest, NULL},
    {MIB_dcampTreeReason, reason, NULL},       {MIB_dcampTreeDeviations, deviations, NULL},
    {MIB_dcampTreeUnreached, unreached, NULL},
};

const struct table table_tree = {
    .object = MIB_dcampTree,
    .columns = tree_columns,
    .n_columns = sizeof tree_columns / sizeof *tree_columns,
};
