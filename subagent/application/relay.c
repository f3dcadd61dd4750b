#include "application/relay.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* Steps and passes have separate ranges of numbers, so that no number of one is a number of the
 * other. */
#define BORN_BEYOND (UINT64_C(1) << 63)

/* A record whose node has a long name needs more room in a block: it counts as one more record for
 * each so many octets. */
#define NODE_OCTETS 40

/* How many records of a step stay allocated after they were reported. */
#define RECORDS_KEPT 8

/* A child that has told records, in this pass or in the last one. */
struct relay_child {
    UT_hash_handle hh;
    uint32_t id;
    uint64_t pass; /* the pass that part belongs to */
    struct pace_user part;
};

/* -- Records ----------------------------------------------------------------------------------- */

static void empty(struct relay_records *records)
{
    for (size_t i = 0; i < records->n; i++)
        free((char *)(uintptr_t)records->record[i].node);
    records->n = 0;
    if (records->room > RECORDS_KEPT) {
        free(records->record);
        *records = (struct relay_records){.n = 0};
    }
}

static void release(struct relay_records *records)
{
    empty(records);
    free(records->record);
}

static bool has_room(struct relay_records *records)
{
    size_t room = records->room ? 2 * records->room : RECORDS_KEPT;
    struct report_record *more = records->n < records->room
                                     ? records->record
                                     : reallocarray(records->record, room, sizeof *more);
    if (!more)
        return false;
    records->room = records->n < records->room ? records->room : room;
    records->record = more;
    return true;
}

/* False: no memory. */
static bool keep(struct relay_records *records, const struct report_record *record)
{
    char *node = malloc(record->node_len + 1);
    if (!node || !has_room(records)) {
        free(node);
        return false;
    }
    if (record->node_len > 0)
        memcpy(node, record->node, record->node_len);
    node[record->node_len] = '\0';
    records->record[records->n] = *record;
    records->record[records->n++].node = node;
    return true;
}

/* -- Steps ------------------------------------------------------------------------------------- */

static void free_step(struct relay *relay, struct relay_step *step)
{
    HASH_DEL(relay->steps, step);
    release(&step->waiting);
    release(&step->current);
    free(step);
}

void relay_release(struct relay *relay)
{
    struct relay_step *step, *next;
    struct relay_child *child, *next_child;
    HASH_ITER(hh, relay->steps, step, next)
    free_step(relay, step);
    HASH_ITER(hh, relay->children, child, next_child)
    {
        HASH_DEL(relay->children, child);
        free(child);
    }
}

struct relay_step *relay_find(const struct relay *relay, const char *path)
{
    struct relay_step *step;
    HASH_FIND_STR(relay->steps, path, step);
    return step;
}

/* NULL: there are too many, or no memory. */
static struct relay_step *find_or_make(struct relay *relay, const char *path)
{
    struct relay_step *step = relay_find(relay, path);
    if (step || HASH_COUNT(relay->steps) >= RELAY_STEPS_MAX || strlen(path) >= INSTANCE_SIZE)
        return step;
    step = calloc(1, sizeof *step);
    if (!step)
        return NULL;
    text_format(step->path, sizeof step->path, "%s", path);
    step->born = BORN_BEYOND + ++relay->born;
    HASH_ADD_STR(relay->steps, path, step);
    if (table_has(hh, step))
        return step;
    free(step);
    return NULL;
}

/* -- Children ---------------------------------------------------------------------------------- */

static struct relay_child *find_or_make_child(struct relay *relay, uint32_t id)
{
    struct relay_child *child;
    HASH_FIND(hh, relay->children, &id, sizeof id, child);
    if (child)
        return child;
    child = calloc(1, sizeof *child);
    if (!child)
        return NULL;
    child->id = id;
    child->pass = relay->pass;
    HASH_ADD(hh, relay->children, id, sizeof child->id, child);
    if (table_has(hh, child))
        return child;
    free(child);
    return NULL;
}

static bool admit(struct relay *relay, struct pace *pace, uint32_t id, size_t node_len)
{
    struct relay_child *child = find_or_make_child(relay, id);
    if (!child)
        return false;
    if (child->pass != relay->pass)
        child->part = (struct pace_user){.admitted = 0};
    child->pass = relay->pass;
    return pace_admit(pace, &child->part, 1 + (unsigned)(node_len / NODE_OCTETS));
}

/* A child that has told nothing in the last pass has nothing that has to be counted. */
static void forget_children(struct relay *relay)
{
    struct relay_child *child, *next;
    HASH_ITER(hh, relay->children, child, next)
    {
        if (relay->pass - child->pass < 2)
            continue;
        HASH_DEL(relay->children, child);
        free(child);
    }
}

/* -- Passing on -------------------------------------------------------------------------------- */

void relay_take(struct relay *relay, struct pace *pace, uint32_t child, const char *path,
                const struct report_record *record, uint64_t now_ns)
{
    struct relay_step *step = find_or_make(relay, path);
    bool is_taken =
        step && admit(relay, pace, child, record->node_len) && keep(&step->waiting, record);
    relay->unreported += !is_taken;
    if (!step)
        return;
    step->taken++;
    step->heard_ns = now_ns;
}

static void show(struct relay *relay, struct relay_step *step)
{
    struct relay_records before = step->current;
    if (!step->records.is_taken)
        relay->unreported += before.n;
    empty(&before);
    step->grown = step->taken - step->told;
    step->told = step->taken;
    step->current = step->waiting;
    step->waiting = before;
    step->records = (struct sample_records){
        .record = step->current.record, .n = step->current.n, .unreported = &relay->unreported};
}

void relay_begin(struct relay *relay, relay_wants_fn *wants, const void *context, uint64_t now_ns)
{
    struct relay_step *step, *next;
    relay->pass++;
    HASH_ITER(hh, relay->steps, step, next)
    {
        show(relay, step);
        bool is_idle = step->current.n == 0 && now_ns - step->heard_ns >= RELAY_IDLE_NS;
        if (is_idle || !wants(context, step->path))
            free_step(relay, step);
    }
    forget_children(relay);
}
