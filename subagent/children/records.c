#include "children/records.h"

#include <stdlib.h>
#include <string.h>

#include "children/child.h"

struct waiting_record {
    STAILQ_ENTRY(waiting_record) link;
    uint32_t number; /* of its series */
    struct report_record record;
    char node[];
};

struct child_records {
    STAILQ_HEAD(waiting_records, waiting_record) waiting;
    unsigned n;
};

/* False: the path is too long, as happens with nodes that poll each other in a circle. */
static bool give(const struct children *children, const struct child_series *series,
                 const struct report_record *record, struct moment now)
{
    const struct record_taker *taker = children->taker;
    struct report_record above = *record;
    char path[ALARM_PATH_SIZE];
    if (!child_path(series->child, record->node, record->node_len, path, &above.node_len))
        return false;
    above.node = path;
    taker->take(taker->context, series->child->id, series->name->instance, &above, now.mono_ns);
    return true;
}

/* False: too many wait already, or there is no memory. */
static bool keep(struct child *child, const struct report_entry *entry)
{
    struct child_records *records = child->records;
    if (!records) {
        records = calloc(1, sizeof *records);
        if (!records)
            return false;
        STAILQ_INIT(&records->waiting);
        child->records = records;
        child_charge(child, sizeof *records);
    }
    size_t node_len = entry->record.node_len;
    struct waiting_record *waiting =
        records->n < CHILD_RECORDS_MAX ? malloc(sizeof *waiting + node_len) : NULL;
    if (!waiting)
        return false;
    waiting->number = entry->series;
    waiting->record = entry->record;
    if (node_len > 0)
        waiting->record.node = memcpy(waiting->node, entry->record.node, node_len);
    STAILQ_INSERT_TAIL(&records->waiting, waiting, link);
    records->n++;
    child_charge(child, sizeof *waiting + node_len);
    return true;
}

bool child_take_record(struct children *children, struct child *child, uint32_t block,
                       const struct report_entry *entry, struct moment now)
{
    const struct record_taker *taker = children->taker;
    if (!taker || !taker->wants(taker->context))
        return true;
    if (block <= child->cursor.kept) {
        children->records_before++;
        return true;
    }
    const struct child_series *series = child_series_of(children, child, entry->series, now);
    bool is_taken =
        series && (series->name ? give(children, series, &entry->record, now) : keep(child, entry));
    children->records_lost += !is_taken;
    return is_taken;
}

static void free_if_empty(struct child *child)
{
    if (child->records->n > 0)
        return;
    child_discharge(child, sizeof *child->records);
    free(child->records);
    child->records = NULL;
}

static void free_waiting(struct child *child, struct waiting_record *waiting)
{
    STAILQ_REMOVE(&child->records->waiting, waiting, waiting_record, link);
    child->records->n--;
    child_discharge(child, sizeof *waiting + waiting->record.node_len);
    free(waiting);
}

void child_records_named(struct children *children, struct child *child, uint32_t number,
                         struct moment now)
{
    const struct child_series *series = child_series_at(child, number);
    struct waiting_record *waiting, *next;
    if (!child->records || (series && !series->name)) /* memory ran out */
        return;
    STAILQ_FOREACH_SAFE(waiting, &child->records->waiting, link, next)
    {
        if (waiting->number != number)
            continue;
        children->records_lost += !series || !give(children, series, &waiting->record, now);
        free_waiting(child, waiting);
    }
    free_if_empty(child);
}

void child_records_end(struct children *children, struct child *child)
{
    if (!child->records)
        return;
    while (!STAILQ_EMPTY(&child->records->waiting)) {
        children->records_lost++;
        free_waiting(child, STAILQ_FIRST(&child->records->waiting));
    }
    free_if_empty(child);
}

void child_say_records_lost(struct child *child, struct moment now)
{
    static const char text[] = "records of steps are lost: too many came before it was known of "
                               "which steps they are, or the names of their nodes are too long";
    child_complain(child, text, text, now);
}
