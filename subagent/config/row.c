#include "config/row.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"

/* The size of a row of that name in octets, including its key. */
static size_t size_of(enum row_kind kind, const char *name)
{
    return row_type(kind)->size + (strlen(name) + 1) * sizeof(uint32_t);
}

static void set_key(struct row *row)
{
    uint32_t *key = (uint32_t *)((char *)row + row_type(row->kind)->size);
    row->node.key_len = index_key_text(key, row->name);
    row->node.key = key;
}

struct row *row_new(enum row_kind kind, const char *name)
{
    size_t len = strnlen(name, NAME_SIZE);
    if (!text_is_name(name, len))
        return NULL;
    const struct row_type *type = row_type(kind);
    struct row *row = calloc(1, size_of(kind, name));
    if (!row)
        return NULL;
    row->kind = kind;
    memcpy(row->name, name, len);
    set_key(row);
    row->status = ROW_NOT_READY;
    row->storage = STORAGE_NONVOLATILE;
    row->local = TRUTH_FALSE;
    fields_reset(row, type->fields, type->n_fields);
    return row;
}

struct row *row_clone(const struct row *row)
{
    const struct row_type *type = row_type(row->kind);
    struct row *copy = malloc(size_of(row->kind, row->name));
    if (!copy)
        return NULL;
    memcpy(copy, row, type->size);
    if (!fields_copy_keys(copy, type->fields, type->n_fields)) {
        free(copy);
        return NULL;
    }
    memset(&copy->node, 0, sizeof copy->node); /* it is in no index */
    memset(&copy->deviation, 0, sizeof copy->deviation);
    copy->saved = NULL;
    set_key(copy);
    return copy;
}

/* Rows of children may hold keys, which are overwritten. */
static void forget_keys(struct row *row)
{
    if (row->saved)
        explicit_bzero(row->saved, strlen(row->saved));
    fields_free_keys(row, row_type(row->kind)->fields, row_type(row->kind)->n_fields);
}

void row_free(struct row *row)
{
    if (!row)
        return;
    char *saved = row->saved;
    if (row->kind == ROW_CHILD)
        forget_keys(row);
    free(saved);
    free(row);
}

const char *row_missing(const struct row *row)
{
    const struct row_type *type = row_type(row->kind);
    for (size_t i = 0; i < type->n_fields; i++)
        if (!type->fields[i].initial && !(row->given & UINT32_C(1) << i))
            return type->fields[i].name;
    return NULL;
}

const char *row_fault(const struct row *row)
{
    const char *missing = row_missing(row);
    return missing ? missing : row_type(row->kind)->fault(row);
}

bool row_restarts(const struct row *was, const struct row *is)
{
    const struct row_type *type = row_type(was->kind);
    if (was->version && was->version == is->version)
        return false;
    for (size_t i = 0; i < type->n_fields; i++)
        if (type->fields[i].change == CHANGE_RESTARTS && !field_same(was, is, &type->fields[i]))
            return true;
    return type->restarts && type->restarts(was, is);
}

void row_activate(struct row *row, int64_t wall_ms)
{
    const struct row_type *type = row_type(row->kind);
    const char *field = type->time_field ? type->time_field(row) : NULL;
    if (field)
        field_set_number(row, row_field(row->kind, field), wall_ms);
}

/* Credentials are in no table, so a SET can neither make nor change them. */
bool row_deviates(const struct row *row)
{
    return row->kind != ROW_CREDENTIAL && (row->changed || row->origin == 0);
}

const struct row *row_of_deviation(const void *node)
{
    return (const void *)((const char *)node - offsetof(struct row, deviation.node));
}

/* -- Fields --------------------------------------------------------------------------------- */

static enum field_status mark_given(struct row *row, const struct field *field,
                                    enum field_status status)
{
    if (status == FIELD_OK)
        row->given |= UINT32_C(1) << (field - row_type(row->kind)->fields);
    return status;
}

enum field_status field_set_text(struct row *row, const struct field *field, const char *text,
                                 size_t len)
{
    return mark_given(row, field, field_put(row, field, text, len));
}

enum field_status field_set_number(struct row *row, const struct field *field, int64_t number)
{
    return mark_given(row, field, field_put_number(row, field, number));
}

size_t field_text(const struct row *row, const struct field *field, char *text)
{
    return field_get(row, field, text);
}

int64_t field_number(const struct row *row, const struct field *field)
{
    return field_get_number(row, field);
}

/* -- Canonical text ------------------------------------------------------------------------- */

static void put_text(row_text_fn *put, void *context, const char *text)
{
    put(context, text, strlen(text));
}

/* Each name and each field is one line, because neither can contain a line break. */
void row_canonical(const struct row *row, bool whole, row_text_fn *put, void *context)
{
    const struct row_type *type = row_type(row->kind);
    char text[MESSAGE_SIZE];
    put_text(put, context, type->element);
    put_text(put, context, " ");
    put_text(put, context, row->name);
    put_text(put, context, "\n");
    if (whole) {
        put_text(put, context, row_statuses[row->status]);
        put_text(put, context, "\n");
    }
    for (size_t i = 0; i < type->n_fields; i++) {
        if (!whole && !(row->given & UINT32_C(1) << i))
            continue;
        put_text(put, context, type->fields[i].name);
        put_text(put, context, "=");
        put(context, text, field_text(row, &type->fields[i], text));
        put_text(put, context, "\n");
    }
}

static void add_crc(void *context, const char *text, size_t len)
{
    uLong *sum = context;
    *sum = crc32_z(*sum, (const Bytef *)text, len);
}

uint32_t row_checksum(const struct row *row)
{
    uLong sum = crc32_z(0, Z_NULL, 0);
    row_canonical(row, false, add_crc, &sum);
    return sum ? (uint32_t)sum : 1;
}
