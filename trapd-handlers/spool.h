/* What waits for the target: a directory with files of records that are only appended to, and a
 * mapped file that says how much has been delivered.
 *
 *   state       struct spool_state
 *   append      locked while records are added: protects state.intake and the newest segment
 *   deliver     locked while records are delivered: protects state.delivery
 *   NUMBER.json a segment: records, one line of JSON each (record.h)
 *
 * A record is in the page cache when spool_append() returns, so it survives the end of every
 * process; after spool_sync(), it survives a power failure, too. After a delivery, a store to the
 * mapped memory moves the position on. If a process is killed between the two, the record is
 * delivered again. */
#ifndef DCAMP_TRAP_SPOOL_H
#define DCAMP_TRAP_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/sequence.h"

struct spool_counts {
    uint64_t received; /* complete notifications of dCAMP */
    uint64_t foreign, bad, duplicates;
    uint64_t missing; /* sequence numbers that did not come, without those that came late */
    uint64_t dropped; /* because the spool was full */
    uint64_t lost;    /* could neither be delivered nor kept */
};

struct spool_position {
    uint64_t segment, offset;
};

struct spool_state {
    char magic[8];
    struct {
        uint64_t oldest, newest; /* numbers of the segments that exist */
        struct spool_counts counts;
        struct sequence sequence;
    } intake;
    struct {
        struct spool_position position; /* of the next record to deliver */
        uint64_t delivered, refused, expired, unreadable;
        uint64_t failures;   /* in a row */
        int64_t retry_at_ms; /* wall clock time before which there is no further attempt */
    } delivery;
};

struct spool {
    int dir, append_lock, deliver_lock;
    int write_fd, read_fd; /* of the segments below; -1 if not open */
    uint64_t write_segment, read_segment;
    uint64_t most_segments;
    bool unsynced;
    struct spool_state *state;
};

/* Opens or makes the spool; max_bytes limits the total size of its segments. Returns 0, or an errno
 * with a text in error. */
int spool_open(struct spool *spool, const char *path, uint64_t max_bytes, char *error,
               size_t error_size);
void spool_close(struct spool *spool);

void spool_lock_intake(struct spool *spool);
void spool_unlock_intake(struct spool *spool);

/* Appends whole lines, all or none of them; the intake has to be locked. Segments beyond the limit
 * are removed, and their records counted as dropped. Returns 0 or an errno. */
int spool_append(struct spool *spool, const char *lines, size_t len);

/* Writes what was appended to the disk. Returns 0 or an errno. */
int spool_sync(struct spool *spool);

/* Returns false if another process delivers. Must not be called with the intake locked. */
bool spool_lock_delivery(struct spool *spool);
void spool_unlock_delivery(struct spool *spool);

/* Reads whole lines from the position on, some 64 KiB of them; empty if there are none. The
 * position may skip segments that no longer exist. The delivery has to be locked. Returns 0 or an
 * errno. */
int spool_read(struct spool *spool, struct buffer *lines);

/* Marks so many octets as delivered. */
void spool_advance(struct spool *spool, size_t len);

/* Whether records wait. Needs no lock. */
bool spool_waits(struct spool *spool);

#endif
