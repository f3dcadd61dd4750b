#include "agent/engine.h"

#include <string.h>

#include "base/oid.h"
#include "base/text.h"

const char *engine_open(struct engine *engine, const struct table *const *tables, size_t n_tables)
{
    memset(engine, 0, sizeof *engine);
    for (size_t t = 0; t < n_tables; t++) {
        const struct table *table = tables[t];
        for (size_t c = 0; c < table->n_columns; c++) {
            const struct column *column = &table->columns[c];
            struct binding *bound = &engine->bound[column->object];
            if (bound->table)
                return mib_objects[column->object].name;
            *bound = (struct binding){table, column, NULL};
            if (!column->field)
                continue;
            bound->field = row_field(table->kind, column->field);
            if (!bound->field)
                return mib_objects[column->object].name;
        }
    }
    return NULL;
}

/* The last object that is not after oid: mib_objects is in OID order. -1: none. */
static int last_not_after(const uint32_t *oid, size_t len)
{
    int low = 0, high = MIB_OBJECTS - 1;
    while (low <= high) {
        int mid = (low + high) / 2;
        const struct mib_info *info = &mib_objects[mid];
        if (oid_compare(info->oid, info->oid_len, oid, len) <= 0)
            low = mid + 1;
        else
            high = mid - 1;
    }
    return high;
}

static bool is_leaf(const struct mib_info *info)
{
    return info->role == MIB_SCALAR || info->role == MIB_COLUMN;
}

int engine_object(const uint32_t *oid, size_t len, size_t *rest)
{
    int object = last_not_after(oid, len);
    if (object < 0)
        return -1;
    /* Nothing in the MIB is below a leaf: for any OID below it, the search above has found the
     * leaf. */
    const struct mib_info *info = &mib_objects[object];
    if (len < info->oid_len || memcmp(info->oid, oid, info->oid_len * sizeof *oid) != 0)
        return -1;
    *rest = len - info->oid_len;
    return object;
}

/* RFC 2579, RowStatus: a column that must be set before the row can be active does not exist until
 * it is. */
static bool has_value(const struct row *row, const struct field *field)
{
    return field->initial || row->given & UINT32_C(1) << (field - row_type(row->kind)->fields);
}

static bool read_field(const struct row *row, const struct field *field, struct mib_value *value)
{
    if (!has_value(row, field))
        return false;
    char text[MESSAGE_SIZE];
    switch (field->type) {
    case FIELD_OID:
        field_text(row, field, text);
        return give_oid(value, text);
    case FIELD_BITS:
        return give_bits(value, (uint32_t)field_number(row, field), field->n_labels);
    case FIELD_MILLIS:
    case FIELD_COUNT:
        return give_number(value, (uint64_t)field_number(row, field));
    case FIELD_ENUM:
        return give_integer(value, field_number(row, field));
    case FIELD_DATE:
        return field_number(row, field) ? give_date(value, field_number(row, field))
                                        : give_octets(value, "\0\0\0\0\0\0\0", 8);
    default:
        return give_octets(value, value->room, field_text(row, field, value->room));
    }
}

static bool read_cell(const struct engine *engine, int object, const void *row,
                      const struct view *view, struct mib_value *value)
{
    const struct binding *bound = &engine->bound[object];
    value->syntax = mib_objects[object].syntax;
    if (bound->table->read)
        bound->table->read(view, row);
    if (bound->column->get)
        return bound->column->get(view, row, value);
    return read_field(row, bound->field, value);
}

static void touch_table(const struct table *table, const struct view *view)
{
    if (table->touched)
        table->touched(view);
}

/* What can be said of a cell before its row is looked up in an index. */
static struct engine_cell place_cell(const struct engine *engine, const uint32_t *oid, size_t len,
                                     const struct view *view, struct index_query *query)
{
    size_t rest = 0;
    int object = engine_object(oid, len, &rest);
    const uint32_t *instance = oid + len - rest;
    *query = (struct index_query){.key = instance, .len = rest};
    if (object < 0 || !is_leaf(&mib_objects[object]) || !engine->bound[object].table)
        return (struct engine_cell){ENGINE_NO_OBJECT, object, NULL};
    const struct table *table = engine->bound[object].table;
    touch_table(table, view);
    if (table->asked)
        table->asked(view, (enum mib_object)object);
    const void *row = table->finder ? table->finder->find(view, instance, rest) : NULL;
    if (table->rows)
        query->index = table->rows(view);
    bool scalar = !table_has_rows(table) && rest == 1 && instance[0] == 0;
    return (struct engine_cell){scalar || row ? ENGINE_OK : ENGINE_NO_INSTANCE, object, row};
}

static void place_row(struct engine_cell *cell, const struct index_query *query)
{
    if (!query->found)
        return;
    cell->row = query->found;
    cell->status = ENGINE_OK;
}

void engine_find(const struct engine *engine, const struct mib_oid *names, size_t n,
                 const struct view *view, struct engine_cell *cells)
{
    struct index_query queries[ENGINE_CELLS];
    for (size_t i = 0; i < n; i++)
        cells[i] = place_cell(engine, names[i].id, names[i].len, view, &queries[i]);
    index_find_all(queries, n);
    for (size_t i = 0; i < n; i++)
        place_row(&cells[i], &queries[i]);
}

enum engine_status engine_read(const struct engine *engine, const struct engine_cell *cell,
                               const struct view *view, struct mib_value *value)
{
    if (cell->status != ENGINE_OK)
        return cell->status;
    return read_cell(engine, cell->object, cell->row, view, value) ? ENGINE_OK : ENGINE_NO_INSTANCE;
}

enum engine_status engine_get(const struct engine *engine, const uint32_t *oid, size_t len,
                              const struct view *view, struct mib_value *value)
{
    struct index_query query;
    struct engine_cell cell = place_cell(engine, oid, len, view, &query);
    index_find_all(&query, 1);
    place_row(&cell, &query);
    return engine_read(engine, &cell, view, value);
}

/* Where a walk of one object goes on. */
struct walk_position {
    const uint32_t *instance; /* after this one ... */
    size_t len;
    bool at; /* ... or at it */
};

/* Names the cell of an instance whose length was checked. */
static void name_cell(struct mib_oid *found, int object, const uint32_t *instance, size_t len)
{
    const struct mib_info *info = &mib_objects[object];
    memcpy(found->id, info->oid, info->oid_len * sizeof *found->id);
    memcpy(found->id + info->oid_len, instance, len * sizeof *instance);
    found->len = info->oid_len + len;
}

static bool next_scalar(const struct engine *engine, int object, const struct walk_position *from,
                        const struct view *view, struct mib_oid *found, struct mib_value *value)
{
    bool before = from->len == 0 || (from->at && from->len == 1 && from->instance[0] == 0);
    if (!before || !read_cell(engine, object, NULL, view, value))
        return false;
    name_cell(found, object, &(uint32_t){0}, 1);
    return true;
}

static const void *first_row(const struct table *table, const struct walk_position *from,
                             const struct view *view)
{
    const struct table_finder *finder = table->finder;
    const void *row = NULL;
    if (from->at && from->len > 0)
        row = finder ? finder->find(view, from->instance, from->len)
                     : index_find(table->rows(view), from->instance, from->len);
    if (row)
        return row;
    return finder ? finder->after(view, from->instance, from->len)
                  : index_after(table->rows(view), from->instance, from->len);
}

static const void *row_behind(const struct table *table, const void *row)
{
    return table->finder ? table->finder->next(row) : index_next((struct index_node *)row);
}

/* 0: the OIDs of its cells would be too long. */
static size_t instance_of(const struct table *table, int object, const void *row,
                          uint32_t instance[OID_MAX])
{
    size_t room = OID_MAX - mib_objects[object].oid_len;
    size_t len = table->finder ? table->finder->instance(row, instance) : index_key_length(row);
    if (len > room)
        return 0;
    if (!table->finder)
        index_key_copy(row, instance);
    return len;
}

static bool next_row(const struct engine *engine, int object, const struct walk_position *from,
                     const struct view *view, struct mib_oid *found, struct mib_value *value)
{
    const struct table *table = engine->bound[object].table;
    uint32_t instance[OID_MAX];
    const void *row = first_row(table, from, view);
    for (; row; row = row_behind(table, row)) {
        size_t len = instance_of(table, object, row, instance);
        if (len == 0 || !read_cell(engine, object, row, view, value))
            continue;
        name_cell(found, object, instance, len);
        return true;
    }
    return false;
}

static bool next_in_object(const struct engine *engine, int object,
                           const struct walk_position *from, const struct view *view,
                           struct mib_oid *found, struct mib_value *value)
{
    const struct table *table = engine->bound[object].table;
    if (!table)
        return false;
    touch_table(table, view);
    return table_has_rows(table) ? next_row(engine, object, from, view, found, value)
                                 : next_scalar(engine, object, from, view, found, value);
}

enum engine_status engine_next(const struct engine *engine, const uint32_t *oid, size_t len,
                               bool inclusive, const uint32_t *end, size_t end_len,
                               const struct view *view, struct mib_oid *found,
                               struct mib_value *value)
{
    size_t rest = 0;
    int object = engine_object(oid, len, &rest);
    struct walk_position from = {NULL, 0, false};
    if (object >= 0 && is_leaf(&mib_objects[object]))
        from = (struct walk_position){oid + len - rest, rest, inclusive};
    else
        object = last_not_after(oid, len) + 1;
    for (; object < MIB_OBJECTS; object++) {
        const struct mib_info *info = &mib_objects[object];
        if (end_len > 0 && oid_compare(info->oid, info->oid_len, end, end_len) >= 0)
            return ENGINE_END;
        if (next_in_object(engine, object, &from, view, found, value))
            return end_len > 0 && oid_compare(found->id, found->len, end, end_len) >= 0 ? ENGINE_END
                                                                                        : ENGINE_OK;
        from = (struct walk_position){NULL, 0, false};
    }
    return ENGINE_END;
}

bool engine_row_name(const uint32_t *instance, size_t len, char name[NAME_SIZE])
{
    if (len < 1 || len >= NAME_SIZE + 1 || instance[0] != len - 1)
        return false;
    for (size_t i = 1; i < len; i++) {
        if (instance[i] > 127)
            return false;
        name[i - 1] = (char)instance[i];
    }
    name[len - 1] = '\0';
    return text_is_name(name, len - 1);
}
