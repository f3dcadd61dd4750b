#include "children/relaying.h"

#include "children/child.h"

void child_relay_begin(struct child *child)
{
    struct child_relaying *relaying = &child->relaying;
    relaying->next = child->cursor.next_block;
    relaying->done = 0;
    relaying->waits = false;
}

void child_relay_begin_boot(struct children *children, struct child *child)
{
    struct child_relaying *relaying = &child->relaying;
    const struct relay_taker *taker = children->relays;
    if (taker && relaying->next != 0 && relaying->next < child->cursor.next_block)
        taker->lost(taker->context, child, child->cursor.next_block - relaying->next);
    relaying->next = relaying->done = relaying->first = 0;
    relaying->waits = false;
}

void child_relay_told(struct children *children, struct child *child, uint32_t first)
{
    struct child_relaying *relaying = &child->relaying;
    relaying->first = first;
    if (!children->relays || relaying->next == 0 || first <= relaying->next)
        return;
    children->relays->lost(children->relays->context, child, first - relaying->next);
    relaying->next = first;
    relaying->done = 0;
}

bool child_relay_wants(const struct children *children, struct child *child, uint32_t block)
{
    struct child_relaying *relaying = &child->relaying;
    if (!children->relays || relaying->waits || block < relaying->next)
        return false;
    relaying->waits = relaying->next != 0 && block != relaying->next;
    return !relaying->waits;
}

/* The poller may skip the blocks that it was about to read again: current ones come first. */
static bool wait_at(const struct children *children, struct child *child, uint32_t block,
                    uint32_t n)
{
    child->relaying.next = block;
    child->relaying.done = n;
    child->relaying.waits = true;
    if (block < child->cursor.next_block)
        child_tell_cursor(children, child, false);
    return false;
}

/* A series that has no name because there was no room does not exist here, and is not waited
 * for. */
bool child_relay_take(struct children *children, struct child *child, uint32_t block, uint32_t n,
                      const struct report_entry *entry, struct moment now)
{
    const struct relay_taker *taker = children->relays;
    const struct child_relaying *relaying = &child->relaying;
    if (block == relaying->next && n < relaying->done)
        return true;
    const struct child_series *series = child_series_at(child, entry->series);
    if (series && !series->name)
        return wait_at(children, child, block, n);
    if (!series || !series->is_relayed ||
        (entry->kind != REPORT_VALUE && entry->kind != REPORT_WINDOW))
        return true;
    return taker->take(taker->context, series, entry, now) || wait_at(children, child, block, n);
}

void child_relay_pass(struct child *child, uint32_t block)
{
    child->relaying.next = block + 1;
    child->relaying.done = 0;
}

void child_relay_stop(struct child *child, uint32_t block, uint32_t n)
{
    child->relaying.next = block;
    child->relaying.done = n;
}

void child_relay_go_on(struct children *children, struct child *child)
{
    struct child_relaying *relaying = &child->relaying;
    const struct relay_taker *taker = children->relays;
    if (!taker || !relaying->waits || !TAILQ_EMPTY(&child->series.unnamed) ||
        !taker->has_room(taker->context, child))
        return;
    relaying->waits = false;
    if (relaying->next < child->cursor.next_block)
        child_read_from(children, child, relaying->next);
}
