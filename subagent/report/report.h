/* Reports: what passed the filters, in numbered immutable blocks that the parent fetches.
 *
 * A block is one CBOR (RFC 8949) array, at most block_bytes long:
 *   [version 2, boot, sequence, wall ms of the first entry, [entry, ...]]
 * An entry is [series, dt, value]. series is the number from the dictionary (dcampSeriesTable),
 * less that of the entry of a series before it in the block. dt is the milliseconds since the
 * block's time. value is the shortest of an integer and a float of 16, 32 or 64 bits that
 * represents it exactly, null if the value is unavailable, or undefined if there is a gap. Blocks
 * are numbered from 1 at each boot, without holes.
 *
 * An entry whose third element is an array carries the statistics of a window that ended then:
 *   [series, dt, [window_ms, count, min, max, mean, m2, histogram]]
 *   [series, dt, [window_ms, histogram]]
 *   [series, dt, [window_ms, count, min, max, mean, m2]]
 *   [series, dt, [window_ms, count, min, max, mean, m2, histogram, sum, expected, oldest_ms]]
 * window_ms is the length of the window, or 0 if it is that of the window before it in the block.
 * histogram is the octets of histogram_pack(), and the rest are the members of struct
 * statistics_window, written as values are. A histogram that does not fit into one block is cut
 * into parts by its buckets: the first entry, of the first form, carries the moments and the count
 * of the whole window; those that follow, of the second form and with the same series and time,
 * carry further buckets. Each part is a histogram of its own, and adding up the counts gives the
 * whole. Only what does not fit into an empty block is cut.
 *
 * The third form is the first one without the histogram; it is used for a series whose information
 * level is below LEVEL_PERCENTILE. The fourth is the first one with the members of struct
 * report_totals; it is used for an aggregate, about the latest values that it was computed of
 * (window_ms is its interval). Only in the fourth form may the count be 0; then the moments and the
 * sum are 0, too.
 *
 * In windows of the first or third form, what follows from the rest is left out:
 *   [series, dt, [window_ms, [count, value, null]]]
 *   [series, dt, [window_ms, [count, value]]]
 *   [series, dt, [window_ms, [mean, histogram]]]
 * In the first two, all values are equal; null stands for their histogram, which the second does
 * not have. In the last, count, min, max and m2 are those of the values that the buckets stand for,
 * as computed by statistics_of_histogram().
 *
 * If the array has four or five elements, the entry carries the record of one execution of a step
 * (libdcamp/segment.h), whose series is that of the step: [series, dt, [start, duration, sequence,
 * result]] [series, dt, [start, duration, sequence, result, [cpu, allocated]]] [series, dt, [start,
 * duration, sequence, result, [cpu, allocated, node]]] The elements are the members of struct
 * report_record; cpu and allocated are null if they are not known. The last form is used for a
 * record of a node below the one that reports. dt is that of the moment at which the node read the
 * record, since the start is what a program says, and may be anything.
 *
 * If the array has three elements, the entry carries keys of a top (libdcamp/segment.h) and what
 * each of them has had by then, as in calculate/keys.h: [series, dt, [absent, size, [key, count,
 * error, ...]]] key is a byte string, without the zeros that it is padded with; absent is the most
 * that any other key has, and size is how many keys there are in all parts. Keys that do not fit
 * into what is left of a block are cut: the entries that follow, with the same series, time, absent
 * and size, have more of them. All keys are in ascending order of their octets.
 *
 * An entry that is an array of two is about the active alarms of the node and of all nodes below:
 *   [dt, [id, index, severity, since_ms, unconfirmed_ms, acknowledged_ms, path, key, node,
 *         threshold, sensor, instance, value, limit, message, acknowledged]]
 *   [dt, [id]]
 *   [dt, [complete, digest, alarms, left_info, left_warning, left_critical]]
 * The first says what an alarm is now, by the members of struct report_alarm: it is new, or what
 * was said of this id before is no longer valid. The second says that the alarm no longer exists.
 * The third, which is written whenever one of the others was, sums up the alarms that there are at
 * this point, by the members of struct report_alarms. The ring's entry for each active alarm, and
 * the third form, are written again before they fall out: whoever reads a ring from its oldest
 * block to its newest knows every active alarm, and can check that by the digest. See
 * report/feed.h.
 *
 * Blocks of version 1 can be read, too. In them, series and window_ms are not differences,
 * histogram is the data item that histogram_decode() reads, and windows have none of the short
 * forms. A reader that knows only version 1 refuses a block of version 2 just because of its
 * version. */
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
    const uint8_t *bytes; /* valid until another block is added */
};

struct report_ring {
    struct index index; /* of struct report_block, the oldest first */
    uint32_t first;     /* sequence of the oldest block kept; 0 while there is none */
    uint32_t last;      /* sequence of the newest block; 0 while there is none */
    uint64_t bytes;     /* octets held by all blocks */
    struct report_draft *draft;
    bool urgent; /* set and cleared by the owner: the parent is not to wait for what was added */
};

/* keep: at most this many blocks; block_bytes: REPORT_BLOCK_MIN to REPORT_BLOCK_MAX.
 * 0, ENOMEM, or EINVAL for numbers out of these ranges. */
int report_open(struct report_ring *ring, uint32_t boot, uint32_t keep, size_t block_bytes);
void report_close(struct report_ring *ring);

/* Adds an entry to the draft; a full draft becomes a block first, and so does one whose time is too
 * far from wall_ms for dt. RESULT_WAITING adds no entry and returns 0. A value that is not finite
 * is written as a gap. Returns 0, or ENOMEM: then nothing was added or lost. */
int report_add(struct report_ring *ring, uint32_t series, int64_t wall_ms,
               const struct result *result);

/* Adds the statistics of a window that ended at wall_ms; a window without values adds no entry and
 * returns 0. EINVAL for what decoding would reject: a length of 0, impossible moments, a count
 * below that of the histogram. After ENOMEM or EINVAL nothing was added or lost, and no block was
 * made. A window that is cut into more blocks than are kept pushes its own first parts out. */
int report_add_window(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      uint32_t window_ms, const struct statistics_window *window);

/* The same, but without the histogram. */
int report_add_moments(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                       uint32_t window_ms, const struct statistics_window *window);

/* The same for a window that another node has reported: of one that was cut, each of its parts, one
 * after the other. */
struct report_window;
int report_add_part(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                    const struct report_window *part);

/* What the statistics do not tell of the values that an aggregate was computed of. */
struct report_totals {
    double sum;
    uint32_t expected;  /* values that there should be; at least the count */
    uint32_t oldest_ms; /* the age of the oldest value */
};

/* Adds what an aggregate was computed of, as report_add_window does, even if there are no values.
 */
int report_add_aggregate(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                         uint32_t window_ms, const struct statistics_window *window,
                         const struct report_totals *totals);

/* One execution of a step, as a program has recorded it. */
struct report_record {
    uint64_t start_ns; /* since 1970, by the clock of the node */
    uint64_t duration_ns;
    uint64_t sequence; /* the program's own number of what passes through several steps; 0: none */
    int32_t result;    /* 0: the step succeeded */
    bool has_cpu, has_allocated;
    uint64_t cpu_ns;    /* CPU time of the thread meanwhile */
    uint64_t allocated; /* octets of memory that the thread asked for meanwhile */
    /* The node on which the step ran, as a path from the node that reports: "collector1/node7",
     * less than ALARM_PATH_SIZE octets, none of them NUL; the length is 0 if it ran on the
     * reporting node itself. The text belongs to somebody else; in a report_entry, to the block. */
    const char *node;
    size_t node_len;
};

/* Adds a record that was read, or was received, at wall_ms. Returns 0, or ENOMEM: then nothing was
 * added or lost. */
int report_add_record(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      const struct report_record *record);

/* At most so many keys of a top are told, those that have most. */
#define REPORT_KEYS_MAX 100

/* Adds what the keys of a top had at wall_ms; that there are none is told, too. EINVAL for what
 * decoding would reject: a key that is not padded with zeros. After ENOMEM or EINVAL nothing was
 * added or lost. */
int report_add_keys(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                    const struct top_keys *keys);

/* The texts of an alarm, as the columns of dcampChildAlarmTable have them. */
enum report_alarm_text {
    REPORT_ALARM_PATH, /* from the node that reports down to the one that raised it; "": it raised
                          it itself */
    REPORT_ALARM_KEY,
    REPORT_ALARM_NODE,
    REPORT_ALARM_THRESHOLD,
    REPORT_ALARM_SENSOR,
    REPORT_ALARM_INSTANCE,
    REPORT_ALARM_VALUE,
    REPORT_ALARM_LIMIT,
    REPORT_ALARM_MESSAGE,
    REPORT_ALARM_ACKNOWLEDGED, /* by whom, and the comment; "": not acknowledged */
    REPORT_ALARM_TEXTS
};

/* Severities as in DcampSeverity; an alarm whose severity is clear is no alarm. */
#define REPORT_SEVERITY_MIN 2
#define REPORT_SEVERITY_MAX 4
#define REPORT_SEVERITIES (REPORT_SEVERITY_MAX - REPORT_SEVERITY_MIN + 1)

struct report_alarm {
    uint32_t id;    /* of this alarm while it is active, unique among those of the node; not 0 */
    uint32_t index; /* dcampAlarmIndex at the node that raised it */
    uint32_t severity;
    int64_t since_ms;
    int64_t unconfirmed_ms;  /* since when a node in between has not been heard; 0: confirmed */
    int64_t acknowledged_ms; /* 0: it is not acknowledged */
    struct {
        const char *at;
        size_t len;
    } text[REPORT_ALARM_TEXTS]; /* without NUL */
    char path[ALARM_PATH_SIZE]; /* room for a path that the caller composes */
};

/* All alarms that the blocks tell of, and how many they do not, for lack of room. */
struct report_alarms {
    bool complete;   /* the node knows all alarms of the nodes below */
    uint32_t digest; /* of all alarms that are told: their hashes, added without carry */
    uint32_t told;
    uint32_t left[REPORT_SEVERITIES]; /* left out, by severity, the least severe first */
};

/* What was written: where, how long it is, and the hash of its octets. */
struct report_written {
    uint32_t block; /* the sequence number that the block will have */
    size_t len;
    uint32_t hash;
};

/* Each adds an entry about alarms. If the blocks are too small for the texts of an alarm, its
 * message is cut short, then the comment of its acknowledgement; blocks of 1,000 octets have room
 * for all of any alarm. Returns 0; ENOMEM; or EMSGSIZE: no block has room for the rest. After an
 * error nothing was added or lost. */
int report_add_alarm(struct report_ring *ring, int64_t wall_ms, const struct report_alarm *alarm,
                     struct report_written *written);
int report_add_alarm_cleared(struct report_ring *ring, int64_t wall_ms, uint32_t id);
int report_add_alarms(struct report_ring *ring, int64_t wall_ms, const struct report_alarms *alarms,
                      struct report_written *written);

/* Whether there are entries that will become a block. */
bool report_pending(const struct report_ring *ring);

/* The room that a block has for entries, in octets; and how many blocks are kept. */
size_t report_room(const struct report_ring *ring);
uint32_t report_keep(const struct report_ring *ring);

/* Ends the draft: if it has entries, it becomes a block. Returns 0 or ENOMEM. */
int report_flush(struct report_ring *ring);

/* Decoding, for parents and tests. The whole block is checked first: with EBADMSG or ENOMEM, and a
 * short reason in why, no callback was made and the header was not filled. Otherwise the callback
 * gets each entry; if it does not return 0, decoding stops, which is no error. Any byte string is
 * safe to pass. */
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

/* One part of a window: the whole window, unless it was cut. */
struct report_window {
    uint32_t window_ms;
    bool has_moments; /* true for the first part only: count to m2 are set, for the whole window */
    uint64_t count;
    double min, max, mean, m2;
    bool has_totals; /* true for the first part of an aggregate only */
    struct report_totals totals;
    const struct histogram *histogram; /* of this part; empty only if the count of an aggregate
                                        * is 0; valid during the callback. NULL: the whole window is
                                        * reported without it */
};
/* One part of the keys of a top: all keys, unless they were cut. */
struct report_keys {
    uint64_t absent;
    size_t size;           /* of all parts together, at most REPORT_KEYS_MAX */
    size_t n;              /* in this part; 0 only if there are no keys at all */
    const uint8_t *octets; /* for report_keys_read(); valid during the callback */
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
            const uint8_t *octets; /* for report_alarm_read(); valid during the callback */
            size_t len;
        } alarm;                     /* of REPORT_ALARM; of REPORT_ALARM_CLEARED, only the id */
        struct report_alarms alarms; /* of REPORT_ALARMS */
    };
};
typedef int report_entry_fn(void *context, const struct report_entry *entry);
int report_decode(const uint8_t *bytes, size_t len, struct report_header *header,
                  report_entry_fn *each, void *context, const char **why);

/* Reads all of an entry of the kind REPORT_ALARM. Its texts point into the entry's octets. */
void report_alarm_read(const struct report_entry *entry, struct report_alarm *alarm);

/* Reads the n keys of a part, in ascending order of their octets; key has room for them. */
void report_keys_read(const struct report_keys *keys, struct top_key *key);

/* Adds a part to the statistics of a window, which may be empty or of another node: the moments as
 * statistics_merge does, and the counts of the histogram. The parts of one window have the same
 * series, time and length, follow each other and may lie in several blocks. The window is whole
 * when its count is that of its histogram, or when a part has no histogram. Parts whose first one
 * is missing should be left out: they have counts only. EOVERFLOW, ENOMEM: nothing changed. */
int report_window_merge(struct statistics_window *into, const struct report_window *part);

#endif
