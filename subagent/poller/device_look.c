#include "poller/device_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void device_fault(struct device *device, size_t object, const char *text,
                  const struct device_events *events)
{
    if (device->objects[object].faulted)
        return;
    device->objects[object].faulted = true;
    events->faulted(events->context, object, text);
}

static void end_look(struct device *device, uint64_t now)
{
    device->is_looking = false;
    device->look_at = now + DEVICE_LOOK_NS;
}

void device_look_begin(struct device *device, uint64_t now)
{
    device->cycle++;
    device->walk = 0;
    device->is_looking = true;
    for (size_t i = 0; i < device->n_objects; i++) {
        struct device_object *object = &device->objects[i];
        object->faulted = false;
        for (size_t s = 0; s < object->n; s++)
            object->series[s].is_absent = object->series[s].is_refused = false;
    }
    if (device->n_walks == 0)
        end_look(device, now);
}

static void fault_all(struct device *device, const struct device_walk *walk, const char *text,
                      const struct device_events *events)
{
    for (size_t i = 0; i < device->n_objects; i++)
        if (device->objects[i].walk == walk)
            device_fault(device, i, text, events);
}

/* -- From rows to series -------------------------------------------------------------------- */

static bool is_chosen(const struct object *object, const struct device_row *row)
{
    char name[ROW_NAME_MAX + 1];
    row_name(row, name);
    return text_matches(object->instances, name);
}

static bool same_name(const struct device_row *a, const struct device_row *b)
{
    char of_a[ROW_NAME_MAX + 1], of_b[ROW_NAME_MAX + 1];
    row_name(a, of_a);
    row_name(b, of_b);
    return strcmp(of_a, of_b) == 0;
}

/* Series whose row is still there, with the same name, are moved to it; the others end. */
static void keep_series(struct device *device, size_t i, const struct device_rows *rows,
                        const struct device_events *events)
{
    struct device_object *object = &device->objects[i];
    size_t at = 0, left = 0;
    for (size_t s = 0; s < object->n; s++) {
        struct device_series *series = &object->series[s];
        while (at < rows->n && row_compare(rows->at[at], series->row) < 0)
            at++;
        if (at < rows->n && row_compare(rows->at[at], series->row) == 0 &&
            same_name(rows->at[at], series->row)) {
            series->row = rows->at[at];
            object->series[left++] = *series;
        } else if (series->number) {
            events->ended(events->context, i, series->number);
        }
    }
    device->n_series -= object->n - left;
    object->n = left;
}

/* Adds the series of new rows. The series that were kept have their rows among these, in the same
 * order. */
static void add_series(struct device *device, size_t i, const struct device_rows *rows,
                       const struct device_events *events)
{
    struct device_object *object = &device->objects[i];
    struct device_series *all = calloc(rows->n + 1, sizeof *all);
    size_t kept = 0, n = 0;
    if (!all)
        return; /* they are added at the next look */
    for (size_t r = 0; r < rows->n; r++) {
        if (kept < object->n && object->series[kept].row == rows->at[r]) {
            all[n++] = object->series[kept++];
        } else if (!is_chosen(object->object, rows->at[r])) {
            continue;
        } else if (device->n_series < DEVICE_SERIES_MAX) {
            all[n++] = (struct device_series){.row = rows->at[r], .is_fresh = true};
            device->n_series++;
        } else {
            device_fault(device, i, "it has too many instances, further ones are left out", events);
        }
    }
    free(object->series);
    struct device_series *smaller = realloc(all, (n + 1) * sizeof *all);
    object->series = smaller ? smaller : all;
    object->n = n;
}

/* Names may move from one row to another, so first everything that ends is ended, then everything
 * else begins. */
static void finish_walk(struct device *device, const struct device_events *events, uint64_t now)
{
    struct device_walk *walk = &device->walks[device->walk];
    size_t doubles = rows_make_unique(&walk->found);
    if (doubles == SIZE_MAX) {
        rows_free(&walk->found); /* no memory: what was known is kept */
    } else {
        if (doubles > 0)
            fault_all(device, walk, "rows of its table have the same name, they are left out",
                      events);
        for (size_t i = 0; i < device->n_objects; i++)
            if (device->objects[i].walk == walk)
                keep_series(device, i, &walk->found, events);
        for (size_t i = 0; i < device->n_objects; i++)
            if (device->objects[i].walk == walk)
                add_series(device, i, &walk->found, events);
        rows_free(&walk->rows);
        walk->rows = walk->found;
        walk->found = (struct device_rows){0};
    }
    if (++device->walk == device->n_walks)
        end_look(device, now);
}

/* Ends the walk of this table: no more is known of it than before the walk. */
static void give_up_walk(struct device *device, const char *text,
                         const struct device_events *events, uint64_t now)
{
    struct device_walk *walk = &device->walks[device->walk];
    fault_all(device, walk, text, events);
    rows_free(&walk->found);
    if (++device->walk == device->n_walks)
        end_look(device, now);
}

/* -- Answers -------------------------------------------------------------------------------- */

static bool has_arcs_of_32_bits(const struct device_varbind *varbind)
{
    for (size_t i = 0; i < varbind->n; i++)
        if (varbind->name[i] > UINT32_MAX)
            return false;
    return varbind->n <= OID_MAX;
}

static bool is_below(const struct device_varbind *varbind, const struct device_walk *walk)
{
    if (varbind->n <= walk->n_oid)
        return false;
    for (size_t i = 0; i < walk->n_oid; i++)
        if (varbind->name[i] != walk->oid[i])
            return false;
    return true;
}

static bool is_after_last(const struct device_varbind *varbind, const struct device_walk *walk)
{
    if (walk->found.n == 0)
        return true;
    const struct device_row *last = walk->found.at[walk->found.n - 1];
    size_t n = varbind->n - walk->n_oid;
    for (size_t i = 0; i < n && i < last->n; i++)
        if (varbind->name[walk->n_oid + i] != last->index[i])
            return varbind->name[walk->n_oid + i] > last->index[i];
    return n > last->n;
}

enum row_outcome { ROW_TAKEN, COLUMN_ENDS, NO_MEMORY };

static enum row_outcome take_row(struct device *device, const struct device_varbind *varbind,
                                 const struct device_events *events)
{
    struct device_walk *walk = &device->walks[device->walk];
    if (varbind->type == DEVICE_MISSING || !is_below(varbind, walk))
        return COLUMN_ENDS;
    if (!is_after_last(varbind, walk)) {
        fault_all(device, walk, "a walk of its table does not increase, it ends there", events);
        return COLUMN_ENDS;
    }
    if (walk->found.n == DEVICE_SERIES_MAX) {
        fault_all(device, walk, "its table has too many rows, further ones are left out", events);
        return COLUMN_ENDS;
    }
    bool labelled = walk->has_labels && varbind->type == DEVICE_OCTETS;
    bool taken = rows_add(&walk->found, varbind->name + walk->n_oid, varbind->n - walk->n_oid,
                          labelled ? varbind->octets.at : NULL, labelled ? varbind->octets.len : 0);
    return taken ? ROW_TAKEN : NO_MEMORY;
}

static const char *bulk_garbage(const struct device *device, const struct device_answer *answer)
{
    if (answer->n == 0)
        return "an answer without varbinds";
    if (answer->n > device->repetitions)
        return "more than was asked for";
    for (size_t i = 0; i < answer->n; i++)
        if (!has_arcs_of_32_bits(&answer->varbinds[i]))
            return "a name that is no object identifier";
    return NULL;
}

static void take_error(struct device *device, const struct device_answer *answer,
                       const struct device_events *events, uint64_t now)
{
    char text[96];
    if (answer->is_too_big && device->repetitions > 1) {
        device->repetitions /= 2;
        return;
    }
    text_format(text, sizeof text, "its table cannot be walked: %s", answer->error);
    give_up_walk(device, text, events, now);
}

const char *device_take_bulk(struct device *device, const struct device_answer *answer,
                             const struct device_events *events, uint64_t now)
{
    device->rounds++;
    if (answer->error) {
        take_error(device, answer, events, now);
        return NULL;
    }
    const char *garbage = bulk_garbage(device, answer);
    enum row_outcome outcome = ROW_TAKEN;
    for (size_t i = 0; !garbage && outcome == ROW_TAKEN && i < answer->n; i++)
        outcome = take_row(device, &answer->varbinds[i], events);
    if (outcome == COLUMN_ENDS)
        finish_walk(device, events, now);
    else if (outcome == NO_MEMORY)
        give_up_walk(device, "no memory for the rows of its table", events, now);
    return garbage;
}
