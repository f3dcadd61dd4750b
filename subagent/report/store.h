/* The blocks of a ring, one behind the other in one piece of memory: they come and go every second
 * in all lengths, and should not leave holes in the heap. Shared only by the files of this folder.
 */
#ifndef DCAMP_REPORT_STORE_H
#define DCAMP_REPORT_STORE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/pool.h"
#include "report/report.h"

struct stored_block {
    struct report_block block; /* first member, since the ring's index points to it */
    TAILQ_ENTRY(stored_block) link;
    size_t at;       /* where its octets are in the store */
    size_t head_len; /* how many of these octets come before the entries */
};

struct store {
    TAILQ_HEAD(stored_blocks, stored_block) blocks; /* oldest first */
    struct pool nodes;
    uint8_t *bytes; /* behind the newest block come some free octets, then the oldest */
    size_t room;
};

void store_open(struct store *store);
void store_close(struct store *store);

/* Adds a block behind all others, with so many octets, which the caller writes. NULL: there is no
 * memory, and nothing has changed. The octets of other blocks may move, but not their structs. */
struct stored_block *store_append(struct store *store, size_t len);

/* Removes a block, which must be the oldest or the newest. */
void store_remove(struct store *store, struct stored_block *block);

#endif
