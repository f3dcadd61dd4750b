/* Values of children that are relayed: they go on, in their order and each once, to whoever puts
 * them into the report blocks of this node (relay/relays.h).
 *
 * A number means nothing before the dictionary has said what, and there may be no room for more at
 * present. Then the values of that child wait where they are, in its blocks, which it keeps for a
 * while: they are read again from that entry on, once all of its series have names and there is
 * room. What the child keeps no longer by then is lost, and counted. */
#ifndef DCAMP_CHILDREN_RELAYING_H
#define DCAMP_CHILDREN_RELAYING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "report/report.h"

struct child;
struct child_series;
struct children;
struct relayed_list;

/* Who takes them. */
struct relay_taker {
    /* A series has a name now. True: its values are relayed, until ended(). */
    bool (*begun)(void *context, struct child_series *series, struct moment now);
    void (*ended)(void *context, struct child_series *series, struct moment now);
    /* An entry of kind REPORT_VALUE or REPORT_WINDOW of such a series. False: there is no room for
     * it at present. */
    bool (*take)(void *context, const struct child_series *series, const struct report_entry *entry,
                 struct moment now);
    /* Whether there is room again for what this child tells. */
    bool (*has_room)(void *context, const struct child *child);
    /* So many blocks of the child were lost before they were relayed. */
    void (*lost)(void *context, const struct child *child, uint32_t blocks);
    void *context;
};

/* How far the blocks of a child were relayed. */
struct child_relaying {
    uint32_t next;             /* the block of which something is relayed next; 0: the oldest */
    uint32_t done;             /* so many entries of series of that block were relayed before */
    uint32_t first;            /* the oldest block that the child keeps, as it has said last */
    bool waits;                /* for names, or for room */
    struct relayed_list *list; /* the taker's: its series that are relayed; NULL: none */
};

/* Begins with the blocks that come next; with all that the child keeps still, where nothing was
 * read of it yet. */
void child_relay_begin(struct child *child);

/* The child counts its blocks from the beginning; its cursor is still where it was. What waits in
 * the blocks of before is lost. */
void child_relay_begin_boot(struct children *children, struct child *child);

/* The oldest block that the child keeps is known. */
void child_relay_told(struct children *children, struct child *child, uint32_t first);

/* Whether entries of the block are relayed: it is the next one. One that comes too early waits. */
bool child_relay_wants(const struct children *children, struct child *child, uint32_t block);

/* Takes the entry of series number n of the block, counted from 0, which is relayed unless it was
 * before. False: it and what is behind it has to wait. */
bool child_relay_take(struct children *children, struct child *child, uint32_t block, uint32_t n,
                      const struct report_entry *entry, struct moment now);

/* All of the block was relayed; or, because it will come again, so many entries of series of it. */
void child_relay_pass(struct child *child, uint32_t block);
void child_relay_stop(struct child *child, uint32_t block, uint32_t n);

/* What waits is read again, if it need not wait any longer. */
void child_relay_go_on(struct children *children, struct child *child);

#endif
