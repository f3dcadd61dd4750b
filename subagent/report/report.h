/* Reports: what passed the filters, in numbered immutable blocks that the parent fetches.
 *
 * A block is one CBOR (RFC 8949) array, at most block_bytes long:
 *   [version 1, boot, sequence, wall ms of the first entry, [entry, ...]]
 * An entry is [series, dt, value]: series is the number from the dictionary
 * (dcampSeriesTable), dt the milliseconds since the block's time, value an integer where it is
 * integral and exact, else a 64-bit float, null where the value is unavailable, undefined
 * where there is a gap. Blocks are numbered from 1 at each boot, without holes.
 *
 * An entry whose third element is an array carries the statistics of a window that ended then:
 *   [series, dt, [window_ms, count, min, max, mean, m2, histogram]]
 *   [series, dt, [window_ms, histogram]]
 *   [series, dt, [window_ms, count, min, max, mean, m2, histogram, sum, expected, oldest_ms]]
 * window_ms is the length of the window, histogram the data item of histogram_encode(), and the
 * rest the members of struct statistics_window, written as values are. A histogram that does not
 * fit into one block is cut into parts by its buckets: the first entry, of the first form, carries
 * the moments and the count of the whole window; those that follow, of the second form and with
 * the same series and time, carry further buckets. Each part is a histogram of its own, and adding
 * up the counts gives the whole. Only what does not fit into an empty block is cut.
 *
 * The third form is the first one with the members of struct report_totals: of an aggregate, about
 * the latest values that it was computed of (window_ms is its interval). Only of these may the
 * count be 0; then the moments and the sum are 0, too. */
#ifndef DCAMP_REPORT_REPORT_H
#define DCAMP_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "calculate/calculate.h"
#include "calculate/statistics.h"

#define REPORT_BLOCK_MIN 256
#define REPORT_BLOCK_MAX 4096

struct report_block {
    struct index_node node; /* key: the sequence number */
    uint32_t sequence;
    int64_t wall_ms;
    uint32_t entries;
    size_t len;
    const uint8_t *bytes; /* until another block comes */
};

struct report_ring {
    struct index index; /* of struct report_block, oldest first */
    uint32_t first;     /* sequence of the oldest block kept; 0 while there is none */
    uint32_t last;      /* sequence of the newest block; 0 while there is none */
    uint64_t bytes;     /* held by all blocks */
    struct report_draft *draft;
    bool urgent; /* set and cleared by the owner: the parent is not to wait for what was added */
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

/* Adds the statistics of a window that ended at wall_ms; a window without values is no entry: 0.
 * EINVAL for what decoding would reject: a length of 0, moments that cannot be, a count below that
 * of the histogram. ENOMEM and EINVAL: then nothing was added or lost, and no block was made.
 * A window that is cut into more blocks than are kept pushes its own first parts out. */
int report_add_window(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      uint32_t window_ms, const struct statistics_window *window);

/* What a window does not tell of the values that an aggregate was computed of. */
struct report_totals {
    double sum;
    uint32_t expected;  /* values that there should be; at least the count */
    uint32_t oldest_ms; /* the age of the oldest */
};

/* Adds what an aggregate was computed of, as report_add_window does; without values, too. */
int report_add_aggregate(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                         uint32_t window_ms, const struct statistics_window *window,
                         const struct report_totals *totals);

/* Ends the draft, if it has entries: it becomes a block. 0 or ENOMEM. */
int report_flush(struct report_ring *ring);

/* Decoding, for parents and tests. The whole block is checked first: with EBADMSG or ENOMEM, and a
 * short reason in why, neither the callback was called nor the header filled. Then the callback
 * gets each entry; a non-zero return stops, which is no error. Any byte string is safe to give. */
struct report_header {
    uint32_t version, boot, sequence;
    int64_t wall_ms;
};
enum report_kind { REPORT_VALUE, REPORT_WINDOW };

/* One part of a window: the whole of it, unless it was cut. */
struct report_window {
    uint32_t window_ms;
    bool has_moments; /* of the first part only: count to m2 are there, about the whole window */
    uint64_t count;
    double min, max, mean, m2;
    bool has_totals; /* of the first part of an aggregate only */
    struct report_totals totals;
    const struct histogram *histogram; /* of this part; empty only where the count of an aggregate
                                        * is 0; valid during the callback */
};
struct report_entry {
    uint32_t series;
    int64_t wall_ms;
    enum report_kind kind;
    struct result result;        /* of REPORT_VALUE */
    struct report_window window; /* of REPORT_WINDOW */
};
typedef int report_entry_fn(void *context, const struct report_entry *entry);
int report_decode(const uint8_t *bytes, size_t len, struct report_header *header,
                  report_entry_fn *each, void *context, const char **why);

/* Adds a part to the statistics of a window, which may have been empty or of another node: the
 * moments as statistics_merge does, and the counts of the histogram. The parts of one window have
 * the same series, time and length, follow each other and may lie in several blocks; the window is
 * whole when its count is that of its histogram. Parts whose first one is missing are better left
 * out: they have counts only. EOVERFLOW, ENOMEM: nothing changed. */
int report_window_merge(struct statistics_window *into, const struct report_window *part);

#endif
