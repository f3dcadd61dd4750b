/* Reports: what passed the filters, in numbered immutable blocks that the parent fetches.
 *
 * A block is one CBOR (RFC 8949) array, at most block_bytes long:
 *   [version 2, boot, sequence, wall ms of the first entry, [entry, ...]]
 * An entry is [series, dt, value]: series is the number from the dictionary (dcampSeriesTable),
 * less that of the entry of a series before it in the block, dt the milliseconds since the block's
 * time, value the shortest of an integer and a float of 16, 32 or 64 bits that has it exactly, null
 * where the value is unavailable, undefined where there is a gap. Blocks are numbered from 1 at
 * each boot, without holes.
 *
 * An entry whose third element is an array carries the statistics of a window that ended then:
 *   [series, dt, [window_ms, count, min, max, mean, m2, histogram]]
 *   [series, dt, [window_ms, histogram]]
 *   [series, dt, [window_ms, count, min, max, mean, m2]]
 *   [series, dt, [window_ms, count, min, max, mean, m2, histogram, sum, expected, oldest_ms]]
 * window_ms is the length of the window, or 0 where it is that of the window before it in the
 * block, histogram the octets of histogram_pack(), and the rest the members of struct
 * statistics_window, written as values are. A histogram that does not fit into one block is cut
 * into parts by its buckets: the first entry, of the first form, carries the moments and the count
 * of the whole window; those that follow, of the second form and with the same series and time,
 * carry further buckets. Each part is a histogram of its own, and adding up the counts gives the
 * whole. Only what does not fit into an empty block is cut.
 *
 * The third form is the first one without the histogram, of a series whose information level is
 * below LEVEL_PERCENTILE. The fourth is the first one with the members of struct report_totals: of
 * an aggregate, about the latest values that it was computed of (window_ms is its interval). Only
 * of these may the count be 0; then the moments and the sum are 0, too.
 *
 * What follows from the rest is left out of a window of the first or third form:
 *   [series, dt, [window_ms, [count, value, null]]]
 *   [series, dt, [window_ms, [count, value]]]
 *   [series, dt, [window_ms, [mean, histogram]]]
 * In the first two, all values are equal; null stands for their histogram, which the second has
 * not. In the last, count, min, max and m2 are those of the values that the buckets stand for, as
 * statistics_of_histogram() has them.
 *
 * Where the array has four or five elements, the entry carries the record of one execution of a
 * step (libdcamp/segment.h), whose series is that of the step:
 *   [series, dt, [start, duration, sequence, result]]
 *   [series, dt, [start, duration, sequence, result, [cpu, allocated]]]
 *   [series, dt, [start, duration, sequence, result, [cpu, allocated, node]]]
 * The elements are the members of struct report_record; cpu and allocated are null where they are
 * not known. The last form is of a node below that one which reports. dt is that of the moment at
 * which the node read the record, since the start is what a program says, and may be anything.
 *
 * Where the array has three elements, the entry carries keys of a top (libdcamp/segment.h) and what
 * each of them has had by then, as calculate/keys.h has them:
 *   [series, dt, [absent, size, [key, count, error, ...]]]
 * key is a byte string, without the zeros that it is padded with; absent is what no other key has
 * more of, and size how many keys there are in all. Keys that do not fit into what is left of a
 * block are cut: the entries that follow, with the same series, time, absent and size, have more
 * of them. All are in ascending order of their octets.
 *
 * An entry that is an array of two is about the active alarms of the node and of all nodes below:
 *   [dt, [id, index, severity, since_ms, unconfirmed_ms, acknowledged_ms, path, key, node,
 *         threshold, sensor, instance, value, limit, message, acknowledged]]
 *   [dt, [id]]
 *   [dt, [complete, digest, alarms, left_info, left_warning, left_critical]]
 * The first says what an alarm is now, the members of struct report_alarm: it is new, or what was
 * said of this id before is not valid any more. The second: there is no such alarm any more. The
 * third says, whenever one of these was written, what there is up to here, the members of
 * struct report_alarms. What the ring has of each alarm that is active, and of the third form, is
 * written again before it falls out: who reads a ring from its oldest block to its newest knows
 * every active alarm, and the digest says whether that is so. See report/feed.h.
 *
 * Blocks of version 1 are read, too. There, series and window_ms are what they are, histogram is
 * the data item that histogram_decode() reads, and a window has none of the short forms. Who knows
 * version 1 only refuses a block of version 2 because of its version. */
#ifndef DCAMP_REPORT_REPORT_H
#define DCAMP_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/limits.h"
#include "calculate/calculate.h"
#include "calculate/keys.h"
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

/* The same without its histogram. */
int report_add_moments(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                       uint32_t window_ms, const struct statistics_window *window);

/* The same as another node has reported it: of a window that was cut, each of its parts, one after
 * the other. */
struct report_window;
int report_add_part(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                    const struct report_window *part);

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

/* One execution of a step, as a program has recorded it. */
struct report_record {
    uint64_t start_ns; /* since 1970, by the clock of the node */
    uint64_t duration_ns;
    uint64_t sequence; /* the program's own: of what passes through several steps; 0: of nothing */
    int32_t result;    /* 0: as it should */
    bool has_cpu, has_allocated;
    uint64_t cpu_ns;    /* CPU time of the thread meanwhile */
    uint64_t allocated; /* octets of memory that the thread asked for meanwhile */
    /* The node on which it was, as a path from the one that reports: "collector1/node7"; less than
     * ALARM_PATH_SIZE octets, none of them NUL; of that one itself, 0. Belongs to somebody else, in
     * a report_entry to the block. */
    const char *node;
    size_t node_len;
};

/* Adds a record that was read, or has come, at wall_ms. 0, or ENOMEM: then nothing was added or
 * lost. */
int report_add_record(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      const struct report_record *record);

/* So many keys of a top are told, those that have most. */
#define REPORT_KEYS_MAX 100

/* Adds what the keys of a top had at wall_ms; none is something to be told, too. EINVAL for what
 * decoding would reject: a key that is not padded with zeros. ENOMEM and EINVAL: then nothing was
 * added or lost. */
int report_add_keys(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                    const struct top_keys *keys);

/* The texts of an alarm, as the columns of dcampChildAlarmTable have them. */
enum report_alarm_text {
    REPORT_ALARM_PATH, /* from the node that reports down to the one that raised it; "": itself */
    REPORT_ALARM_KEY,
    REPORT_ALARM_NODE,
    REPORT_ALARM_THRESHOLD,
    REPORT_ALARM_SENSOR,
    REPORT_ALARM_INSTANCE,
    REPORT_ALARM_VALUE,
    REPORT_ALARM_LIMIT,
    REPORT_ALARM_MESSAGE,
    REPORT_ALARM_ACKNOWLEDGED, /* by whom, and what they say; "": not */
    REPORT_ALARM_TEXTS
};

/* Severities as DcampSeverity has them; one that is clear is no alarm. */
#define REPORT_SEVERITY_MIN 2
#define REPORT_SEVERITY_MAX 4
#define REPORT_SEVERITIES (REPORT_SEVERITY_MAX - REPORT_SEVERITY_MIN + 1)

struct report_alarm {
    uint32_t id;    /* of this alarm while it is active, among those of the node; not 0 */
    uint32_t index; /* dcampAlarmIndex at the node that raised it */
    uint32_t severity;
    int64_t since_ms;
    int64_t unconfirmed_ms;  /* a node in between was not heard since; 0: confirmed */
    int64_t acknowledged_ms; /* 0: it is not acknowledged */
    struct {
        const char *at;
        size_t len;
    } text[REPORT_ALARM_TEXTS]; /* without NUL */
    char path[ALARM_PATH_SIZE]; /* room, for who composes one */
};

/* All alarms that were told of, and how many were not, for lack of room. */
struct report_alarms {
    bool complete;   /* the node knows of all that is below */
    uint32_t digest; /* of all that are told: their hashes, added without carry */
    uint32_t told;
    uint32_t left[REPORT_SEVERITIES]; /* by severity, the least first */
};

/* What was written: where, how long it is, and its hash, which is that of its octets. */
struct report_written {
    uint32_t block; /* the sequence number that the block will have */
    size_t len;
    uint32_t hash;
};

/* Each adds an entry about alarms. Where the blocks are too small for the texts of an alarm, its
 * message is cut short, then what was said at its acknowledgement; blocks of 1,000 octets have room
 * for all of any alarm. 0; ENOMEM; EMSGSIZE: no block has room for the rest. Then nothing was added
 * or lost. */
int report_add_alarm(struct report_ring *ring, int64_t wall_ms, const struct report_alarm *alarm,
                     struct report_written *written);
int report_add_alarm_cleared(struct report_ring *ring, int64_t wall_ms, uint32_t id);
int report_add_alarms(struct report_ring *ring, int64_t wall_ms, const struct report_alarms *alarms,
                      struct report_written *written);

/* Whether there are entries that will become a block. */
bool report_pending(const struct report_ring *ring);

/* What a block has room for, in octets of entries; and how many are kept. */
size_t report_room(const struct report_ring *ring);
uint32_t report_keep(const struct report_ring *ring);

/* Ends the draft, if it has entries: it becomes a block. 0 or ENOMEM. */
int report_flush(struct report_ring *ring);

/* Decoding, for parents and tests. The whole block is checked first: with EBADMSG or ENOMEM, and a
 * short reason in why, neither the callback was called nor the header filled. Then the callback
 * gets each entry; a non-zero return stops, which is no error. Any byte string is safe to give. */
struct report_header {
    uint32_t version, boot, sequence;
    int64_t wall_ms;
};
enum report_kind {
    REPORT_VALUE,
    REPORT_WINDOW,
    REPORT_RECORD,
    REPORT_KEYS,
    REPORT_ALARM,
    REPORT_ALARM_CLEARED,
    REPORT_ALARMS
};

/* One part of a window: the whole of it, unless it was cut. */
struct report_window {
    uint32_t window_ms;
    bool has_moments; /* of the first part only: count to m2 are there, about the whole window */
    uint64_t count;
    double min, max, mean, m2;
    bool has_totals; /* of the first part of an aggregate only */
    struct report_totals totals;
    const struct histogram *histogram; /* of this part; empty only where the count of an aggregate
                                        * is 0; valid during the callback. NULL: the whole window is
                                        * reported without it */
};
/* One part of the keys of a top: all of them, unless they were cut. */
struct report_keys {
    uint64_t absent;
    size_t size;           /* of all parts together, at most REPORT_KEYS_MAX */
    size_t n;              /* in this part; 0 only where there are none at all */
    const uint8_t *octets; /* for report_keys_read(); during the callback */
    size_t len;
};
struct report_entry {
    uint32_t series;
    int64_t wall_ms;
    enum report_kind kind;
    struct result result; /* of REPORT_VALUE */
    union {
        struct report_window window; /* of REPORT_WINDOW */
        struct report_record record; /* of REPORT_RECORD */
        struct report_keys keys;     /* of REPORT_KEYS */
        struct {
            uint32_t id;
            uint32_t hash;
            const uint8_t *octets; /* for report_alarm_read(); during the callback */
            size_t len;
        } alarm;                     /* of REPORT_ALARM, and the id of REPORT_ALARM_CLEARED */
        struct report_alarms alarms; /* of REPORT_ALARMS */
    };
};
typedef int report_entry_fn(void *context, const struct report_entry *entry);
int report_decode(const uint8_t *bytes, size_t len, struct report_header *header,
                  report_entry_fn *each, void *context, const char **why);

/* All of an entry of kind REPORT_ALARM. Its texts are within the entry's octets. */
void report_alarm_read(const struct report_entry *entry, struct report_alarm *alarm);

/* The n keys of a part, in ascending order of their octets, into room for as many. */
void report_keys_read(const struct report_keys *keys, struct top_key *key);

/* Adds a part to the statistics of a window, which may have been empty or of another node: the
 * moments as statistics_merge does, and the counts of the histogram. The parts of one window have
 * the same series, time and length, follow each other and may lie in several blocks; the window is
 * whole when its count is that of its histogram, or a part has none. Parts whose first one is
 * missing are better left out: they have counts only. EOVERFLOW, ENOMEM: nothing changed. */
int report_window_merge(struct statistics_window *into, const struct report_window *part);

#endif
