#include "agent/refusal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

/* The names of error-status in RFC 3416, section 3. */
static const char *name_of_error(enum set_error error)
{
    switch (error) {
    case SET_WRONG_TYPE:
        return "wrongType";
    case SET_WRONG_LENGTH:
        return "wrongLength";
    case SET_WRONG_VALUE:
        return "wrongValue";
    case SET_NO_CREATION:
        return "noCreation";
    case SET_INCONSISTENT_VALUE:
        return "inconsistentValue";
    case SET_INCONSISTENT_NAME:
        return "inconsistentName";
    case SET_RESOURCE_UNAVAILABLE:
        return "resourceUnavailable";
    case SET_NOT_WRITABLE:
        return "notWritable";
    case SET_COMMIT_FAILED:
        return "commitFailed";
    case SET_UNDO_FAILED:
        return "undoFailed";
    default:
        return "genErr";
    }
}

static void put_reason(char text[FAULT_SIZE], const char *what)
{
    text_format(text, FAULT_SIZE, "%s", what);
}

/* -- Varbinds -------------------------------------------------------------------------------- */

/* Writes the value as people write it. */
static void write_value(const struct set_varbind *varbind, char value[MESSAGE_SIZE])
{
    if (varbind->syntax != MIB_SYNTAX_OCTETS)
        snprintf(value, MESSAGE_SIZE, "%" PRId64, varbind->number);
    else if (text_is_printable((const char *)varbind->octets, varbind->octets_len))
        snprintf(value, MESSAGE_SIZE, "%.*s", (int)varbind->octets_len,
                 varbind->octets_len ? (const char *)varbind->octets : "");
    else
        snprintf(value, MESSAGE_SIZE, "(not printable)");
}

static void wrong_value(const struct binding *bound, int object, const struct set_varbind *varbind,
                        char text[FAULT_SIZE])
{
    char value[MESSAGE_SIZE];
    if (mib_objects[object].convention == MIB_ROW_STATUS)
        put_reason(
            text, "this is no request; ask for active, notInService, createAndGo, createAndWait or "
                  "destroy");
    else if (mib_objects[object].convention == MIB_STORAGE_TYPE)
        put_reason(text, "rows of the file are permanent, others volatile or nonVolatile");
    else if (!bound->field && varbind->syntax != MIB_SYNTAX_OCTETS && mib_objects[object].n_ranges)
        text_format(text, FAULT_SIZE, "it is not within %" PRId64 " to %" PRId64,
                    (int64_t)mib_objects[object].ranges[0].low,
                    (int64_t)mib_objects[object].ranges[0].high);
    else if (!bound->field || bound->field->type == FIELD_DATE || varbind->arcs)
        put_reason(text, bound->field ? bound->field->expect : "it is too long or not printable");
    else {
        write_value(varbind, value);
        fault_of_value(bound->field, value, text);
    }
}

void refusal_of_varbind(const struct engine *engine, const struct set_varbind *varbind,
                        enum set_error error, char text[FAULT_SIZE])
{
    size_t rest = 0;
    int object = engine_object(varbind->oid, varbind->oid_len, &rest);
    switch (error) {
    case SET_NOT_WRITABLE:
        return put_reason(text, "no object that can be written");
    case SET_WRONG_TYPE:
        return put_reason(text, "the value is of another type than the MIB says");
    case SET_WRONG_LENGTH:
        return put_reason(text, "the value is shorter or longer than the MIB allows");
    case SET_NO_CREATION:
        return put_reason(
            text, engine->bound[object].table->act || engine->bound[object].table->steps ||
                          engine->bound[object].table->marks
                      ? "there is no such row"
                      : "no row can have that name; it must be a name of 1 to 32 of A-Z a-z "
                        "0-9 . _ -");
    case SET_WRONG_VALUE:
        return wrong_value(&engine->bound[object], object, varbind, text);
    default:
        return put_reason(text, "no memory");
    }
}

/* -- Rows ------------------------------------------------------------------------------------ */

static void describe_fault(const struct row *row, char text[FAULT_SIZE])
{
    const char *missing = row_missing(row), *fault = row_fault(row);
    if (missing)
        text_format(text, FAULT_SIZE, "%s is missing; it must be %s", missing,
                    row_field(row->kind, missing)->expect);
    else
        put_reason(text, fault ? fault : "the row is there already");
}

void refusal_of_row(const struct row *row, int request, bool old, char text[FAULT_SIZE])
{
    if (old && request == SET_DESTROY)
        put_reason(text,
                   "the row is one of the file, and only the file can remove it; notInService "
                   "pauses it");
    else if (old && (request == SET_CREATE_AND_GO || request == SET_CREATE_AND_WAIT))
        put_reason(text, "the row is there already");
    else if (!old && request != SET_CREATE_AND_GO && request != SET_CREATE_AND_WAIT)
        put_reason(text, "there is no such row; createAndGo or createAndWait makes it");
    else
        describe_fault(row, text);
}

/* -- The latest ------------------------------------------------------------------------------ */

/* Writes the object and its instance: a name in quotes, perhaps behind a kind, or numbers. */
static size_t write_place(const struct set_varbind *varbind, char *place, size_t size)
{
    size_t rest = 0;
    int object = engine_object(varbind->oid, varbind->oid_len, &rest);
    const uint32_t *instance = varbind->oid + varbind->oid_len - rest;
    char name[NAME_SIZE];
    if (object < 0)
        return (size_t)snprintf(place, size, "an object outside of the DCAMP-MIB");
    size_t n = (size_t)snprintf(place, size, "%s", mib_objects[object].name);
    enum row_kind kind;
    if (object == MIB_dcampDeviationLocal && rest > 0 && config_kind(instance[0], &kind)) {
        n += (size_t)snprintf(place + n, size - n, ".%s", row_type(kind)->element);
        instance++;
        rest--;
    }
    if (engine_row_name(instance, rest, name))
        return n + (size_t)snprintf(place + n, size - n, ".\"%s\"", name);
    for (size_t i = 0; i < rest && n < size / 2; i++)
        n += (size_t)snprintf(place + n, size - n, ".%" PRIu32, instance[i]);
    return n;
}

void refusal_note(struct set_refusal *latest, const struct set_varbind *varbind,
                  enum set_error error, const char *text, struct moment now)
{
    char place[MESSAGE_SIZE] = "";
    if (varbind)
        write_place(varbind, place, sizeof place);
    text_format(latest->text, sizeof latest->text, "%s%s%s: %s", place, varbind ? ": " : "",
                name_of_error(error), text);
    latest->wall_ms = now.wall_ms;
    latest->unlogged++;
    if (!log_due(latest->logged_ns, now.mono_ns, NS_PER_S))
        return;
    log_info("set", "refused: %s%s", latest->text,
             latest->unlogged > 1 ? " (and others that are not told)" : "");
    latest->logged_ns = now.mono_ns;
    latest->unlogged = 0;
}
