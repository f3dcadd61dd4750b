/* Reports: what passed the filters, in numbered immutable blocks that the parent fetches.
 *
 * A block is one CBOR (RFC 8949) array, at most block_bytes long:
 *   [version 1, boot, sequence, wall ms of the first entry, [entry, ...]]
 * An entry is [series, dt, value]: series is the number from the dictionary
 * (dcampSeriesTable), dt the milliseconds since the block's time, value an integer where it is
 * integral and exact, else a 64-bit float, null where the value is unavailable, undefined
 * where there is a gap. Blocks are numbered from 1 at each boot, without holes. */
#ifndef DCAMP_REPORT_REPORT_H
#define DCAMP_REPORT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "calculate/calculate.h"

#define REPORT_BLOCK_MIN 256
#define REPORT_BLOCK_MAX 4096

struct report_block {
    struct index_node node; /* key: the sequence number */
    uint32_t sequence;
    int64_t wall_ms;
    uint32_t entries;
    size_t len;
    const uint8_t *bytes;
};

struct report_ring {
    struct index index; /* of struct report_block, oldest first */
    uint32_t first;     /* sequence of the oldest block kept; 0 while there is none */
    uint32_t last;      /* sequence of the newest block; 0 while there is none */
    uint64_t bytes;     /* held by all blocks */
    struct report_draft *draft;
};

/* keep: at most this many blocks; block_bytes: REPORT_BLOCK_MIN to REPORT_BLOCK_MAX.
 * 0, ENOMEM, or EINVAL for numbers out of these ranges. */
int report_open(struct report_ring *ring, uint32_t boot, uint32_t keep, size_t block_bytes);
void report_close(struct report_ring *ring);

/* Adds an entry to the draft; a full draft becomes a block first, and so does one whose time
 * is too far from wall_ms for dt. RESULT_WAITING is no entry: 0. A value that is not finite is
 * a gap. 0, or ENOMEM: then nothing was added or lost. */
int report_add(struct report_ring *ring, uint32_t series, int64_t wall_ms,
               const struct result *result);

/* Ends the draft, if it has entries: it becomes a block. 0 or ENOMEM. */
int report_flush(struct report_ring *ring);

/* Decoding, for parents and tests. The whole block is checked first: with EBADMSG, and a short
 * reason in why, neither the callback was called nor the header filled. Then the callback gets
 * each entry; a non-zero return stops, which is no error. Any byte string is safe to give. */
struct report_header {
    uint32_t version, boot, sequence;
    int64_t wall_ms;
};
struct report_entry {
    uint32_t series;
    int64_t wall_ms;
    struct result result;
};
typedef int report_entry_fn(void *context, const struct report_entry *entry);
int report_decode(const uint8_t *bytes, size_t len, struct report_header *header,
                  report_entry_fn *each, void *context, const char **why);

#endif
