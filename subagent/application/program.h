/* One process that publishes a segment, over time: what it has counted since the last reading goes
 * to the series of its application. Pure. */
#ifndef DCAMP_APPLICATION_PROGRAM_H
#define DCAMP_APPLICATION_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "application/application.h"
#include "application/segment.h"
#include "application/steps.h"

struct program;
struct program_sensor;

/* Who takes the records of steps: each one once, those of a shard in the order of their numbers. */
struct program_observer {
    void *context;
    void (*stepped)(void *context, const struct program *program, struct application_series *series,
                    const struct segment_record *record);
};

/* What of a segment is read besides words and buckets: it needs copies from before and after. */
#define PROGRAM_TOPS 1u
#define PROGRAM_STEPS 2u
#define PROGRAM_THREADS 4u /* the shares of threads: of programs that live */

/* Who a process is, as its segment says. */
struct program_identity {
    uint32_t pid;        /* as the process sees it */
    uint64_t start_time; /* clock ticks since the boot */
    uint64_t opened;     /* nanoseconds since 1970 */
    char name[SEGMENT_NAME];
};

struct program {
    struct application *application;
    struct program_identity identity;
    char writer[33];                 /* printable */
    bool is_closed;                  /* nothing more will come in this segment */
    uint32_t refused, crowded, full; /* as the segment says: libdcamp/segment.h */
    uint64_t readings;               /* that were taken */
    uint64_t fallen; /* words that were less than before, in the second reading as well */
    uint64_t lost;   /* records of steps that were overwritten before they were read */
    unsigned over_quota, clashing;     /* sensors without a series: EDQUOT, EEXIST */
    unsigned no_room;                  /* sensors that there is no room for: owner.h. They are not
                                          read, or without some of their values or keys */
    bool lacks_sensors;                /* of these, some are not even known */
    bool no_memory;                    /* in the last reading: the next one makes up for it */
    bool late, had_steps, had_threads; /* for this file only, as all that follows */
    uint32_t sensors;
    struct program_sensor **sensor; /* by descriptor; NULL: none */
    struct steps *steps[SEGMENT_SHARDS];
};

enum program_outcome {
    PROGRAM_TAKEN,
    PROGRAM_DOUBTFUL, /* a counter has fallen, or jumped by 2^32: nothing was taken. The segment is
                         worth being copied again, and what that says is taken. */
    PROGRAM_REPLACED, /* the segment is another one now: nothing was taken. This program has ended.
                       */
};

/* A process whose segment is sound. late: it was not read before though it was there, so that what
 * it has counted until now is in the totals only of series that are new with it, and has not grown
 * in this pass. NULL: no memory. */
struct program *program_new(struct applications *applications, struct owner *owner,
                            const struct segment *segment, bool late);

/* Ends it: what it has counted stays with its application. NULL is allowed. */
void program_free(struct program *program, struct applications *applications);

/* Likewise, of one that is not read for a while: the keys of its tops leave with it, for it has
 * them all when it is read again. Then it is a new program, which is late, and has come back: the
 * one that was set aside has not ended. */
void program_set_aside(struct program *program, struct applications *applications);
void program_comes_back(struct program *program);

/* What its descriptors were in the last reading: a segment_known.descriptor of segment.h, whose
 * context is the program. */
const struct segment_descriptor *program_descriptor(const void *program, uint32_t index);

/* One reading. again: it is the second one, after one that was doubtful. */
enum program_outcome program_read(struct program *program, struct applications *applications,
                                  const struct segment *segment, unsigned wanted, bool again,
                                  const struct program_observer *observer);

#endif
