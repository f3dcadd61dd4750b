/* The blocks of a ring, one behind the other in one piece of memory: they come and go every second
 * in all lengths, and the heap is not to have the holes. Shared by the files of this folder only.
 */
#ifndef DCAMP_REPORT_STORE_H
#define DCAMP_REPORT_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/pool.h"
#include "report/report.h"

struct stored_block {
    struct report_block block; /* first: the ring's index has it */
    TAILQ_ENTRY(stored_block) link;
    size_t at;       /* where its octets are in the store */
    size_t head_len; /* of these, what is before the entries */
};

struct store {
    TAILQ_HEAD(stored_blocks, stored_block) blocks; /* oldest first */
    struct pool nodes;
    uint8_t *bytes; /* the oldest block follows the newest, behind some free octets */
    size_t room;
};

void store_open(struct store *store);
void store_close(struct store *store);

/* A new block behind all others, with so many octets, which the caller writes. NULL: no memory, and
 * nothing has changed. The octets of other blocks may move, not so the blocks themselves. */
struct stored_block *store_append(struct store *store, size_t len);

/* The oldest one goes, or the newest. */
void store_remove(struct store *store, struct stored_block *block);

#endif
