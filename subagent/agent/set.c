#include "agent/set.h"

#include <stdlib.h>
#include <string.h>

#include "agent/refusal.h"
#include "base/text.h"
#include "daemon/dcampd.h"

/* A value beside those of enum set_request and enum row_status. */
#define REQUEST_NONE 0

/* One row that the transaction touches. */
struct row_change {
    enum row_kind kind;
    struct row *before;  /* in the configuration; NULL: it was not there */
    struct row *after;   /* to be put there; NULL: to be removed */
    bool sets;           /* whether it sets columns of its own table */
    bool marks;          /* whether it marks the row as local, or no longer so */
    int request;         /* of RowStatus, or REQUEST_NONE */
    size_t status_index; /* index of the varbind of RowStatus */
    size_t last_index;   /* index of the last varbind of a column */
    struct row_change *next;
};

/* Where a varbind is. */
struct place {
    int object;
    const struct binding *bound;
    const uint32_t *instance;
    size_t instance_len;
    size_t index; /* of the varbind, from 1 */
};

/* What is to be done to a row that is no configuration. */
struct row_action {
    const struct table *table;
    size_t instance_len;
    struct row_action *next;
    char text[MESSAGE_SIZE];
    char before[MESSAGE_SIZE]; /* after it is done: the text that takes it back */
    uint32_t instance[];
};

/* What the varbinds for one row of a table with steps do together. */
struct row_step {
    const struct table *table;
    const void *row;
    void *step;
    size_t last_index; /* index of its last varbind */
    struct row_step *next;
};

enum phase { TESTED, COMMITTED, UNDONE };

struct set_transaction {
    struct dcampd *core;
    struct row_action *actions;
    struct row_step *steps;
    uint64_t reloads; /* how often the configuration was reloaded before the test */
    struct row_change *changes;
    enum phase phase;
    uint64_t commit; /* its number among those that are saved; 0: none */
};

static bool in_ranges(const struct mib_info *info, int64_t number)
{
    for (size_t i = 0; i < info->n_ranges; i++)
        if (number >= info->ranges[i].low && number <= info->ranges[i].high)
            return true;
    return info->n_ranges == 0;
}

static bool has_label(const struct mib_info *info, int64_t number)
{
    for (size_t i = 0; i < info->n_labels; i++)
        if (info->labels[i].value == number)
            return true;
    return info->n_labels == 0;
}

/* What the MIB alone says of a varbind, in the order of RFC 3416, section 4.2.5. */
static enum set_error check_syntax(const struct mib_info *info, const struct set_varbind *varbind)
{
    if (varbind->syntax != info->syntax)
        return SET_WRONG_TYPE;
    if (info->syntax == MIB_SYNTAX_OCTETS)
        return in_ranges(info, (int64_t)varbind->octets_len) ? SET_OK : SET_WRONG_LENGTH;
    return in_ranges(info, varbind->number) && has_label(info, varbind->number) ? SET_OK
                                                                                : SET_WRONG_VALUE;
}

/* A row that is destroyed has no after. */
static const char *change_name(const struct row_change *change)
{
    return change->after ? change->after->name : change->before ? change->before->name : "";
}

static struct row_change *find_change(const struct set_transaction *transaction, enum row_kind kind,
                                      const char *name)
{
    for (struct row_change *c = transaction->changes; c; c = c->next)
        if (c->kind == kind && strcmp(c->after->name, name) == 0)
            return c;
    return NULL;
}

static struct row_change *add_change(struct set_transaction *transaction, enum row_kind kind,
                                     const char *name)
{
    struct row_change *change = calloc(1, sizeof *change);
    if (!change)
        return NULL;
    change->kind = kind;
    change->before = config_find(transaction->core->config, kind, name);
    change->after = change->before ? row_clone(change->before) : row_new(kind, name);
    if (!change->after) {
        free(change);
        return NULL;
    }
    /* It is appended, so that changes are in the order of the varbinds and the first fault is
     * reported. */
    struct row_change **tail = &transaction->changes;
    while (*tail)
        tail = &(*tail)->next;
    *tail = change;
    return change;
}

static enum set_error set_status(struct row_change *change, const struct set_varbind *varbind,
                                 size_t index)
{
    if (varbind->number == ROW_NOT_READY)
        return SET_WRONG_VALUE; /* a state, never a request */
    change->request = (int)varbind->number;
    change->status_index = index;
    return SET_OK;
}

/* RFC 2579, StorageType: "All illegal modifications result in a 'wrongValue' error." */
static enum set_error set_storage(struct row_change *change, const struct set_varbind *varbind)
{
    if ((int64_t)change->after->storage == varbind->number)
        return SET_OK;
    bool ours =
        change->after->storage == STORAGE_VOLATILE || change->after->storage == STORAGE_NONVOLATILE;
    if (!ours || (varbind->number != STORAGE_VOLATILE && varbind->number != STORAGE_NONVOLATILE))
        return SET_WRONG_VALUE;
    change->after->storage = (enum row_storage)varbind->number;
    return SET_OK;
}

/* Converts from what SNMP has to what the field takes. */
static enum field_status put_field(struct row *row, const struct field *field,
                                   const struct set_varbind *varbind)
{
    int64_t wall_ms;
    uint32_t bits;
    char text[OID_TEXT_SIZE];
    size_t len;
    switch (field->type) {
    case FIELD_DATE:
        return take_date(varbind->octets, varbind->octets_len, &wall_ms)
                   ? field_set_number(row, field, wall_ms)
                   : FIELD_WRONG_VALUE;
    case FIELD_BITS:
        return take_bits(varbind->octets, varbind->octets_len, field->n_labels, &bits)
                   ? field_set_number(row, field, bits)
                   : FIELD_WRONG_VALUE;
    case FIELD_OID:
        len = oid_to_text(varbind->arcs, varbind->n_arcs, text);
        return len > 0 ? field_set_text(row, field, text, len) : FIELD_WRONG_VALUE;
    default:
        return varbind->syntax == MIB_SYNTAX_OCTETS
                   ? field_set_text(row, field, (const char *)varbind->octets, varbind->octets_len)
                   : field_set_number(row, field, varbind->number);
    }
}

static enum set_error set_field(struct row_change *change, const struct field *field,
                                const struct set_varbind *varbind)
{
    /* It is wrongValue even if the length is wrong, because wrongLength is for lengths that the MIB
     * does not allow. */
    enum field_status status = put_field(change->after, field, varbind);
    if (status == FIELD_NO_MEMORY)
        return SET_RESOURCE_UNAVAILABLE;
    return status == FIELD_OK ? SET_OK : SET_WRONG_VALUE;
}

static enum set_error set_column(struct row_change *change, int object, const struct field *field,
                                 const struct set_varbind *varbind, size_t index)
{
    change->last_index = index;
    if (object == MIB_dcampDeviationLocal) {
        change->marks = true;
        change->after->local = (enum truth_value)varbind->number;
        return SET_OK;
    }
    change->sets = true;
    switch (mib_objects[object].convention) {
    case MIB_ROW_STATUS:
        return set_status(change, varbind, index);
    case MIB_STORAGE_TYPE:
        return set_storage(change, varbind);
    default:
        return set_field(change, field, varbind);
    }
}

/* For a name that no row can have. A wrong value is reported rather than the name, as RFC 3416,
 * section 4.2.5 has it. */
static enum set_error refuse_name(const struct binding *bound, int object,
                                  const struct set_varbind *varbind)
{
    struct row_change change = {.after = row_new(bound->table->kind, "any")};
    if (!change.after)
        return SET_RESOURCE_UNAVAILABLE;
    enum set_error error = set_column(&change, object, bound->field, varbind, 0);
    row_free(change.after);
    return error ? error : SET_NO_CREATION;
}

static enum set_error add_action(struct set_transaction *transaction, const struct view *view,
                                 const struct table *table, const struct set_varbind *varbind,
                                 size_t instance_len)
{
    const uint32_t *instance = varbind->oid + varbind->oid_len - instance_len;
    const struct index *rows = table->rows(view);
    if (varbind->octets_len >= MESSAGE_SIZE ||
        !text_is_printable((const char *)varbind->octets, varbind->octets_len))
        return SET_WRONG_VALUE;
    if (!index_find(rows, instance, instance_len))
        return SET_NO_CREATION;
    struct row_action *action = calloc(1, sizeof *action + instance_len * sizeof *instance);
    if (!action)
        return SET_RESOURCE_UNAVAILABLE;
    action->table = table;
    action->instance_len = instance_len;
    memcpy(action->instance, instance, instance_len * sizeof *instance);
    if (varbind->octets_len > 0)
        memcpy(action->text, varbind->octets, varbind->octets_len);
    struct row_action **tail = &transaction->actions;
    while (*tail)
        tail = &(*tail)->next;
    *tail = action;
    return SET_OK;
}

/* Returns NULL if the row has gone since the test. */
static const void *acted_on(const struct view *view, const struct row_action *action)
{
    return index_find(action->table->rows(view), action->instance, action->instance_len);
}

static void note_before(const struct view *view, struct row_action *action, const void *row)
{
    struct mib_value value = {.octets = {.len = 0}};
    for (size_t i = 0; i < action->table->n_columns; i++)
        if (action->table->columns[i].object == action->table->acts)
            action->table->columns[i].get(view, row, &value);
    size_t len = value.octets.len < sizeof action->before ? value.octets.len : 0;
    if (len > 0)
        memcpy(action->before, value.octets.at, len);
    action->before[len] = '\0';
}

static bool all_are_there(const struct set_transaction *transaction, struct moment now)
{
    const struct view view = view_of(transaction->core, now);
    const struct row_action *action = transaction->actions;
    while (action && acted_on(&view, action))
        action = action->next;
    return !action;
}

/* Takes back the actions before end (NULL: all of them), the last one first. The log keeps both:
 * that each was done, and that it was taken back. */
static void take_back(const struct set_transaction *transaction, const struct row_action *action,
                      const struct row_action *end, struct moment now)
{
    if (action == end)
        return;
    take_back(transaction, action->next, end, now);
    const struct view view = view_of(transaction->core, now);
    const void *row = acted_on(&view, action);
    if (row)
        action->table->act(&view, row, action->before);
}

/* False: there was no memory, and nothing has been done. */
static bool act_all(const struct set_transaction *transaction, struct moment now)
{
    const struct view view = view_of(transaction->core, now);
    for (struct row_action *action = transaction->actions; action; action = action->next) {
        const void *row = acted_on(&view, action);
        note_before(&view, action, row);
        if (action->table->act(&view, row, action->text))
            continue;
        take_back(transaction, transaction->actions, action, now);
        return false;
    }
    return true;
}

static bool outlives(const struct row *row)
{
    return row && row->storage != STORAGE_VOLATILE;
}

/* Whether any part of the transaction goes to disk. */
static bool has_saved_part(const struct set_transaction *transaction)
{
    const struct row_change *change = transaction->changes;
    while (change && !outlives(change->before) && !outlives(change->after))
        change = change->next;
    const struct row_step *step = transaction->steps;
    while (step && !step->table->steps->is_saved(step->step))
        step = step->next;
    return change || transaction->actions || step;
}

/* -- Steps ----------------------------------------------------------------------------------- */

static struct row_step *find_step(struct set_transaction *transaction, const struct view *view,
                                  const struct table *table, const void *row)
{
    struct row_step **tail = &transaction->steps, *step;
    while ((step = *tail) && (step->row != row || step->table != table))
        tail = &step->next;
    if (step)
        return step;
    step = calloc(1, sizeof *step);
    if (!step)
        return NULL;
    *step = (struct row_step){.table = table, .row = row, .step = table->steps->begin(view, row)};
    if (!step->step) {
        free(step);
        return NULL;
    }
    *tail = step;
    return step;
}

static enum set_error add_to_step(struct set_transaction *transaction, const struct view *view,
                                  const struct place *place, const struct set_varbind *varbind,
                                  char text[FAULT_SIZE])
{
    const struct table *table = place->bound->table;
    bool is_scalar = !table_has_rows(table) && place->instance_len == 1 && place->instance[0] == 0;
    const void *row =
        table->rows ? index_find(table->rows(view), place->instance, place->instance_len) : NULL;
    if (!row && !is_scalar)
        return SET_NO_CREATION;
    struct row_step *step = find_step(transaction, view, table, row);
    if (!step)
        return SET_RESOURCE_UNAVAILABLE;
    step->last_index = place->index;
    return table->steps->take(step->step, (enum mib_object)place->object, varbind, text);
}

static enum set_error test_steps(struct set_transaction *transaction, size_t *index,
                                 char text[FAULT_SIZE])
{
    enum set_error error = SET_OK;
    for (struct row_step *step = transaction->steps; step && !error; step = step->next) {
        error = step->table->steps->test(step->step, text);
        if (error)
            *index = step->last_index;
    }
    return error;
}

/* Takes back the steps before end (NULL: all of them). Each is of another row, so that their order
 * does not matter. */
static void undo_steps(const struct set_transaction *transaction, const struct row_step *end)
{
    for (struct row_step *step = transaction->steps; step != end; step = step->next)
        step->table->steps->undo(step->step);
}

/* False: a row has changed since the test, and nothing has been done. */
static bool commit_steps(const struct set_transaction *transaction)
{
    struct row_step *step = transaction->steps;
    while (step && step->table->steps->commit(step->step))
        step = step->next;
    if (step)
        undo_steps(transaction, step);
    return !step;
}

static void end_steps(struct set_transaction *transaction)
{
    while (transaction->steps) {
        struct row_step *step = transaction->steps;
        transaction->steps = step->next;
        step->table->steps->end(step->step);
        free(step);
    }
}

/* -- Tests ----------------------------------------------------------------------------------- */

/* Which row a varbind is about. False: no row can have this instance. */
static bool name_row(const struct place *place, enum row_kind *kind, char name[NAME_SIZE])
{
    const struct table *table = place->bound->table;
    size_t before = table->marks ? 1 : 0;
    *kind = table->kind;
    if (before > 0 && (place->instance_len == 0 || !config_kind(place->instance[0], kind)))
        return false;
    return engine_row_name(place->instance + before, place->instance_len - before, name);
}

/* One varbind: from its OID to a field of a staged row. index counts from 1. */
static enum set_error test_varbind(const struct engine *engine, const struct view *view,
                                   struct set_transaction *transaction,
                                   const struct set_varbind *varbind, size_t index,
                                   char text[FAULT_SIZE])
{
    size_t rest = 0;
    int object = engine_object(varbind->oid, varbind->oid_len, &rest);
    if (object < 0 || mib_objects[object].access < MIB_READ_WRITE || !engine->bound[object].table)
        return SET_NOT_WRITABLE;
    const struct binding *bound = &engine->bound[object];
    enum set_error error = check_syntax(&mib_objects[object], varbind);
    if (error)
        return error;
    if (bound->table->act && (int)bound->table->acts == object)
        return add_action(transaction, view, bound->table, varbind, rest);
    const struct place place = {object, bound, varbind->oid + varbind->oid_len - rest, rest, index};
    if (bound->table->steps)
        return add_to_step(transaction, view, &place, varbind, text);
    char name[NAME_SIZE];
    enum row_kind kind;
    if (!name_row(&place, &kind, name))
        return refuse_name(bound, object, varbind);
    struct row_change *change = find_change(transaction, kind, name);
    if (!change)
        change = add_change(transaction, kind, name);
    if (!change)
        return SET_RESOURCE_UNAVAILABLE;
    return set_column(change, object, bound->field, varbind, index);
}

/* Whether there is no room for the row, counting those that the transaction makes before it. */
static bool is_full(const struct set_transaction *transaction, const struct row_change *change)
{
    size_t n = transaction->core->config->rows[change->kind].count;
    for (const struct row_change *c = transaction->changes; c != change; c = c->next)
        n += c->kind == change->kind && !c->before && c->after;
    return n >= config_rows_max(change->kind);
}

/* A row that is not there yet: RFC 2579, RowStatus, columns of state A. */
static enum set_error settle_new(const struct set_transaction *transaction,
                                 struct row_change *change, struct moment now, size_t *index)
{
    *index = change->request == REQUEST_NONE ? change->last_index : change->status_index;
    if (change->request == REQUEST_NONE)
        return SET_INCONSISTENT_NAME;
    if (change->request == SET_DESTROY) {
        row_free(change->after);
        change->after = NULL;
        return SET_OK;
    }
    if (change->request != SET_CREATE_AND_GO && change->request != SET_CREATE_AND_WAIT)
        return SET_INCONSISTENT_VALUE;
    if (is_full(transaction, change))
        return SET_RESOURCE_UNAVAILABLE;
    if (change->request == SET_CREATE_AND_GO)
        row_activate(change->after, now.wall_ms);
    bool whole = row_fault(change->after) == NULL;
    if (change->request == SET_CREATE_AND_GO && !whole)
        return SET_INCONSISTENT_VALUE;
    if (change->request == SET_CREATE_AND_GO)
        change->after->status = ROW_ACTIVE;
    else
        change->after->status = whole ? ROW_NOT_IN_SERVICE : ROW_NOT_READY;
    return SET_OK;
}

/* A row that is there: states B, C and D. */
static enum set_error settle_old(struct row_change *change, struct moment now, size_t *index)
{
    struct row *row = change->after;
    *index = change->request == REQUEST_NONE ? change->last_index : change->status_index;
    if (!change->sets)
        return SET_OK;
    if (change->request == SET_CREATE_AND_GO || change->request == SET_CREATE_AND_WAIT)
        return SET_INCONSISTENT_VALUE;
    if (change->request == SET_DESTROY) {
        if (row->storage == STORAGE_PERMANENT || row->storage == STORAGE_READONLY)
            return SET_INCONSISTENT_VALUE;
        row_free(row);
        change->after = NULL;
        return SET_OK;
    }
    if (change->request == ROW_ACTIVE ||
        (change->request == REQUEST_NONE && row->status == ROW_ACTIVE))
        row_activate(row, now.wall_ms);
    bool whole = row_fault(row) == NULL;
    if (change->request != REQUEST_NONE) {
        if (!whole)
            return SET_INCONSISTENT_VALUE;
        row->status = (enum row_status)change->request;
    } else if (row->status == ROW_ACTIVE && !whole) {
        return SET_INCONSISTENT_VALUE;
    } else if (row->status != ROW_ACTIVE) {
        row->status = whole ? ROW_NOT_IN_SERVICE : ROW_NOT_READY;
    }
    row->changed = true;
    return SET_OK;
}

/* The row as it would be after the transaction. */
static const struct sensor_row *sensor_after(void *context, const char *name)
{
    const struct set_transaction *transaction = context;
    for (const struct row_change *c = transaction->changes; c; c = c->next)
        if (c->kind == ROW_SENSOR && strcmp(change_name(c), name) == 0)
            return (const struct sensor_row *)c->after;
    return (const struct sensor_row *)config_find(transaction->core->config, ROW_SENSOR, name);
}

/* Whether the expression of a row that becomes active fits with the other sensors and with the rest
 * of the configuration. */
static bool expression_fits(struct set_transaction *transaction, const struct row_change *change,
                            char text[FAULT_SIZE])
{
    const struct sensor_row *row = (const struct sensor_row *)change->after;
    return change->kind != ROW_SENSOR || !row || row->row.status != ROW_ACTIVE ||
           expression_has_no_fault(row, sensor_after, transaction, false, transaction->core->config,
                                   text);
}

static bool becomes_local(const struct row_change *change)
{
    return change->after && change->after->local == TRUTH_TRUE &&
           !(change->before && change->before->local == TRUTH_TRUE);
}

/* Whether there are as many local rows as there may be, counting those that the transaction marks
 * before this one. */
static bool locals_are_full(const struct set_transaction *transaction,
                            const struct row_change *change)
{
    size_t n = transaction->core->config->locals;
    for (const struct row_change *c = transaction->changes; c != change; c = c->next)
        n += becomes_local(c);
    return n >= CONFIG_LOCALS_MAX;
}

/* Whether the row, as it would be after the transaction, can be marked as it asks. */
static enum set_error check_mark(const struct set_transaction *transaction,
                                 const struct row_change *change, char text[FAULT_SIZE])
{
    const struct row *row = change->after;
    if (!change->marks)
        return SET_OK;
    if (!row || !row_deviates(row)) {
        text_format(text, FAULT_SIZE,
                    "only a row that a SET has made or changed can be local; this one %s",
                    row ? "is as the share or the file says" : "is destroyed");
        return SET_INCONSISTENT_NAME;
    }
    if (row->local == TRUTH_TRUE && row->kind == ROW_CHILD && row->origin != 0) {
        text_format(text, FAULT_SIZE,
                    "a child of the share or the file cannot be local: who polls it is planned");
        return SET_INCONSISTENT_VALUE;
    }
    if (!becomes_local(change) || !locals_are_full(transaction, change))
        return SET_OK;
    text_format(text, FAULT_SIZE, "a SET makes no row local beyond %d of them", CONFIG_LOCALS_MAX);
    return SET_RESOURCE_UNAVAILABLE;
}

static enum set_error settle_one(struct set_transaction *transaction, struct row_change *change,
                                 struct moment now, size_t *index, char text[FAULT_SIZE])
{
    enum set_error error = change->before ? settle_old(change, now, index)
                                          : settle_new(transaction, change, now, index);
    if (error == SET_RESOURCE_UNAVAILABLE)
        text_format(text, FAULT_SIZE, "a SET makes no row beyond %zu of them",
                    config_rows_max(change->kind));
    else if (error)
        refusal_of_row(change->after, change->request, change->before != NULL, text);
    return error;
}

static enum set_error settle_rows(struct set_transaction *transaction, struct moment now,
                                  size_t *index, char text[FAULT_SIZE])
{
    enum set_error error = SET_OK;
    for (struct row_change *c = transaction->changes; c && !error; c = c->next)
        error = settle_one(transaction, c, now, index, text);
    for (const struct row_change *c = transaction->changes; c && !error; c = c->next) {
        error = check_mark(transaction, c, text);
        if (error)
            *index = c->last_index;
    }
    for (const struct row_change *c = transaction->changes; c && !error; c = c->next) {
        if (expression_fits(transaction, c, text))
            continue;
        *index = c->request == REQUEST_NONE ? c->last_index : c->status_index;
        error = SET_INCONSISTENT_VALUE;
    }
    return error;
}

enum set_error set_test(const struct engine *engine, const struct view *view,
                        const struct set_varbind *varbinds, size_t n, struct set_transaction **out,
                        size_t *index)
{
    struct set_transaction *transaction = calloc(1, sizeof *transaction);
    *index = 1;
    if (!transaction)
        return SET_RESOURCE_UNAVAILABLE;
    transaction->core = view->core;
    transaction->reloads = view->core->reloads;
    char text[FAULT_SIZE] = "";
    enum set_error error = SET_OK;
    for (size_t i = 0; i < n && !error; i++) {
        *index = i + 1;
        error = test_varbind(engine, view, transaction, &varbinds[i], i + 1, text);
    }
    if (error && !text[0])
        refusal_of_varbind(engine, &varbinds[*index - 1], error, text);
    if (!error)
        error = settle_rows(transaction, view->now, index, text);
    if (!error)
        error = test_steps(transaction, index, text);
    if (!error) {
        *out = transaction;
        return SET_OK;
    }
    refusal_note(&view->core->self.refusal, &varbinds[*index - 1], error, text, view->now);
    set_cleanup(transaction);
    return error;
}

/* Puts one version of a row in the place of the other. Cannot fail: the name is the same. */
static void replace_row(struct config *config, struct row *old, struct row *new)
{
    if (old)
        config_remove(config, old);
    if (new)
        config_add(config, new);
}

/* Whether rows that the transaction is about may be gone. */
static bool is_stale(const struct set_transaction *transaction)
{
    return transaction->reloads != transaction->core->reloads &&
           (transaction->changes || transaction->actions);
}

static enum set_error commit_fails(const struct set_transaction *transaction, const char *why,
                                   struct moment now)
{
    refusal_note(&transaction->core->self.refusal, NULL, SET_COMMIT_FAILED, why, now);
    return SET_COMMIT_FAILED;
}

enum set_error set_commit(struct set_transaction *transaction, struct moment now)
{
    struct dcampd *core = transaction->core;
    if (transaction->phase == COMMITTED)
        return SET_OK;
    if (transaction->phase == UNDONE)
        return SET_COMMIT_FAILED;
    if (is_stale(transaction))
        return commit_fails(transaction, "the configuration was read anew meanwhile", now);
    if (!all_are_there(transaction, now))
        return commit_fails(transaction, "the alarm has ended meanwhile", now);
    if (!commit_steps(transaction))
        return commit_fails(transaction, "the document has changed meanwhile", now);
    if (!act_all(transaction, now)) {
        undo_steps(transaction, NULL);
        return commit_fails(transaction, "no memory", now);
    }
    for (struct row_change *c = transaction->changes; c; c = c->next)
        replace_row(core->config, c->before, c->after);
    if (transaction->changes)
        config_touch(core->config);
    transaction->commit = has_saved_part(transaction) ? ++core->commits : 0;
    transaction->phase = COMMITTED;
    return SET_OK;
}

enum set_error set_undo(struct set_transaction *transaction, struct moment now)
{
    struct dcampd *core = transaction->core;
    bool committed = transaction->phase == COMMITTED;
    if (committed && is_stale(transaction)) {
        refusal_note(
            &core->self.refusal, NULL, SET_UNDO_FAILED,
            "the configuration was read anew meanwhile; what was set stays, unless the file "
            "says otherwise",
            now);
        return SET_UNDO_FAILED;
    }
    transaction->phase = UNDONE;
    if (!committed)
        return SET_OK;
    take_back(transaction, transaction->actions, NULL, now);
    undo_steps(transaction, NULL);
    if (transaction->steps)
        core->commits++; /* what may be on disk is saved anew */
    for (struct row_change *c = transaction->changes; c; c = c->next)
        replace_row(core->config, c->after, c->before);
    if (transaction->changes)
        config_touch(core->config);
    return SET_OK;
}

uint64_t set_commit_number(const struct set_transaction *transaction)
{
    return set_is_committed(transaction) ? transaction->commit : 0;
}

bool set_is_committed(const struct set_transaction *transaction)
{
    return transaction && transaction->phase == COMMITTED;
}

void set_cleanup(struct set_transaction *transaction)
{
    if (!transaction)
        return;
    bool committed = set_is_committed(transaction);
    /* It is counted here and not at the commit, which may be undone: a counter does not go back. */
    transaction->core->self.sets += committed;
    while (transaction->actions) {
        struct row_action *action = transaction->actions;
        transaction->actions = action->next;
        free(action);
    }
    end_steps(transaction);
    while (transaction->changes) {
        struct row_change *change = transaction->changes;
        transaction->changes = change->next;
        row_free(committed ? change->before : change->after);
        free(change);
    }
    free(transaction);
}
