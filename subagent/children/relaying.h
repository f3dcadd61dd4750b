/* Values of children that are relayed: they are passed on, in their order and each once, to whoever
 * puts them into the report blocks of this node (relay/relays.h).
 *
 * A number means nothing before the dictionary has explained it, and there may be no room for more
 * at present. Then the values of that child wait where they are, in its blocks, which the child
 * keeps for a while: they are read again from that entry on, once all of its series have names and
 * there is room. What the child no longer keeps by then is lost, and counted. */
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
    /* A series has a name now. True: its values are relayed, until ended() is called. */
    bool (*begun)(void *context, struct child_series *series, struct moment now);
    void (*ended)(void *context, struct child_series *series, struct moment now);
    /* An entry of kind REPORT_VALUE or REPORT_WINDOW of such a series. False: there is no room for
     * it at present. */
    bool (*take)(void *context, const struct child_series *series, const struct report_entry *entry,
                 struct moment now);
    /* Whether there is room again for the values of this child. */
    bool (*has_room)(void *context, const struct child *child);
    /* So many blocks of the child were lost before they were relayed. */
    void (*lost)(void *context, const struct child *child, uint32_t blocks);
    void *context;
};

/* How far the blocks of a child have been relayed. */
struct child_relaying {
    uint32_t next;             /* the block from which entries are relayed next; 0: the oldest */
    uint32_t done;             /* how many entries of series of that block were already relayed */
    uint32_t first;            /* the oldest block that the child keeps, as it last said */
    bool waits;                /* for names, or for room */
    struct relayed_list *list; /* kept by the taker: the series of the child that are relayed; NULL:
                                * none */
};

/* Begins with the blocks that come next or, if nothing of the child was read yet, with all blocks
 * that it still keeps. */
void child_relay_begin(struct child *child);

/* The child numbers its blocks anew; its cursor is still where it was. What waits in the blocks
 * from before is lost. */
void child_relay_begin_boot(struct children *children, struct child *child);

/* It is now known which block is the oldest that the child keeps. */
void child_relay_told(struct children *children, struct child *child, uint32_t first);

/* Whether entries of the block are to be relayed: only if it is the next one. A block that comes
 * too early has to wait. */
bool child_relay_wants(const struct children *children, struct child *child, uint32_t block);

/* Takes the entry of series number n of the block, counted from 0, and relays it unless that was
 * done before. False: this entry and those behind it have to wait. */
bool child_relay_take(struct children *children, struct child *child, uint32_t block, uint32_t n,
                      const struct report_entry *entry, struct moment now);

/* child_relay_pass: the whole block was relayed. child_relay_stop: n entries of series of it were,
 * because the block will come again. */
void child_relay_pass(struct child *child, uint32_t block);
void child_relay_stop(struct child *child, uint32_t block, uint32_t n);

/* Has what waits read again, if it need not wait any longer. */
void child_relay_go_on(struct children *children, struct child *child);

#endif
