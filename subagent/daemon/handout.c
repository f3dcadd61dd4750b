#include "daemon/handout.h"

#include "base/text.h"
#include "daemon/lock.h"

/* -- For the children ------------------------------------------------------------------------- */

static struct backlog_origin origin_of(const struct child *child)
{
    return (struct backlog_origin){.child = child->id,
                                   .boot = child->cursor.boot,
                                   .name = child->name,
                                   .group = child->group,
                                   .engine_id = child->identity.engine_id,
                                   .engine_id_len = child->identity.engine_id_len};
}

static void told(void *context, const struct child *child, uint32_t first, uint32_t last,
                 uint64_t now_ns)
{
    const struct handout *handout = context;
    const struct backlog_origin origin = origin_of(child);
    backlog_told(&handout->outlet->backlog, &origin, first, last, now_ns);
}

static bool wants(void *context, const struct child *child, uint32_t number)
{
    const struct handout *handout = context;
    return backlog_wants(&handout->outlet->backlog, child->id, child->cursor.boot, number);
}

static void take(void *context, const struct child *child, const struct message_block *block)
{
    const struct handout *handout = context;
    const struct backlog_origin origin = origin_of(child);
    backlog_take(&handout->outlet->backlog, &origin, block->sequence, block->bytes, block->length);
}

static void gone(void *context, const struct child *child)
{
    const struct handout *handout = context;
    backlog_gone(&handout->outlet->backlog, child->id);
}

/* -- For the outlet --------------------------------------------------------------------------- */

static void lock(void *context)
{
    lock_take(((const struct handout *)context)->lock);
}

static void unlock(void *context)
{
    lock_release(((const struct handout *)context)->lock);
}

static struct child *find_child(const struct handout *handout, uint32_t id)
{
    return child_by_id(index_find(&handout->children->by_id, &id, 1));
}

/* The metric of a child's series is not kept. A number that no block has mentioned, or whose series
 * has ended, means nothing. */
static enum outlet_answer look_up(void *context, uint32_t id, uint32_t number,
                                  struct outlet_name *name)
{
    const struct child *child = find_child(context, id);
    const struct child_series *series = child ? child_series_at(child, number) : NULL;
    if (!series)
        return OUTLET_NAMELESS;
    if (!series->name)
        return OUTLET_NOT_YET;
    text_format(name->sensor, sizeof name->sensor, "%s", series->name->sensor);
    text_format(name->instance, sizeof name->instance, "%s", series->name->instance);
    text_format(name->unit, sizeof name->unit, "%s", series->name->unit);
    text_format(name->path, sizeof name->path, "%s", series->name->path);
    return OUTLET_NAMED;
}

static void read_again(void *context, uint32_t id)
{
    children_read_blocks_again(((const struct handout *)context)->children, id);
}

/* -- Beginning and end ------------------------------------------------------------------------ */

void handout_open(struct handout *handout, struct outlet *outlet, struct children *children,
                  const struct report_ring *report, const struct dictionary *dictionary,
                  pthread_mutex_t *lock_of_all)
{
    const struct outlet_neighbours neighbours = {.lock = lock,
                                                 .unlock = unlock,
                                                 .look_up = look_up,
                                                 .read_again = read_again,
                                                 .context = handout};
    *handout = (struct handout){.outlet = outlet,
                                .children = children,
                                .lock = lock_of_all,
                                .taker = {told, wants, take, gone, handout}};
    outlet_open(outlet, report, dictionary, &neighbours);
}

void handout_close(struct handout *handout)
{
    if (!handout->outlet)
        return;
    handout->children->blocks = NULL;
    outlet_close(handout->outlet);
}

void handout_sync(struct handout *handout)
{
    handout->children->blocks = outlet_has_sinks(handout->outlet) ? &handout->taker : NULL;
}
