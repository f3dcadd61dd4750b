/* What waits for the target: a directory with files of records that are only ever appended to,
 * and a mapped file that tells how far the target has got.
 *
 *   state       struct spool_state
 *   append      locked while records are added: state.intake and the newest segment
 *   deliver     locked while records are delivered: state.delivery
 *   NUMBER.json a segment: records, one line of JSON each (record.h)
 *
 * A record is in the page cache when spool_append() returns, so it survives the end of every
 * process; spool_sync() has it survive a power failure. After delivery the state is written by
 * the memory access that moves it on. A process that is killed between the two delivers again. */
#ifndef DCAMP_TRAP_SPOOL_H
#define DCAMP_TRAP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/sequence.h"

struct spool_counts {
    uint64_t received; /* traps that are dCAMP's and whole */
    uint64_t foreign, bad, duplicates;
    uint64_t missing; /* sequence numbers that did not come, less those that came late */
    uint64_t dropped; /* for want of room */
    uint64_t lost;    /* could be neither delivered nor kept */
};

struct spool_position {
    uint64_t segment, offset;
};

struct spool_state {
    char magic[8];
    struct {
        uint64_t oldest, newest; /* segments that there are */
        struct spool_counts counts;
        struct sequence sequence;
    } intake;
    struct {
        struct spool_position position; /* of the next record to deliver */
        uint64_t delivered, refused, expired, unreadable;
        uint64_t failures;   /* in a row */
        int64_t retry_at_ms; /* wall clock: not before */
    } delivery;
};

struct spool {
    int dir, append_lock, deliver_lock;
    int write_fd, read_fd; /* -1, or the segments below */
    uint64_t write_segment, read_segment;
    uint64_t most_segments;
    bool unsynced;
    struct spool_state *state;
};

/* Opens or makes it; max_bytes bounds the sum of its segments. 0, or an errno with what it is
 * about in error. */
int spool_open(struct spool *spool, const char *path, uint64_t max_bytes, char *error,
               size_t error_size);
void spool_close(struct spool *spool);

void spool_lock_intake(struct spool *spool);
void spool_unlock_intake(struct spool *spool);

/* Whole lines, all or none of them; with the intake locked. Too old segments go, and are counted
 * as dropped. 0 or an errno. */
int spool_append(struct spool *spool, const char *lines, size_t len);

/* What was appended goes to the disk. 0 or an errno. */
int spool_sync(struct spool *spool);

/* False: another process delivers. Not with the intake locked. */
bool spool_lock_delivery(struct spool *spool);
void spool_unlock_delivery(struct spool *spool);

/* Whole lines from the position on, as many as fit into some 64 KiB; empty: there are none. The
 * position may move on over what is not there any more. With the delivery locked. 0 or an errno. */
int spool_read(struct spool *spool, struct buffer *lines);

/* So many octets of them are done with. */
void spool_advance(struct spool *spool, size_t len);

/* Whether something waits. Needs no lock. */
bool spool_waits(struct spool *spool);

#endif
