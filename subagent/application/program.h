/* One process that publishes a segment, over time: what it has counted since the last reading is
 * added to the series of its application. Pure. */
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

/* What is read of a segment besides words and buckets: it needs copies from before and after. */
#define PROGRAM_TOPS 1u
#define PROGRAM_STEPS 2u
#define PROGRAM_THREADS 4u /* the shares of threads: only of programs that live */

/* The identity of a process, as its segment states it. */
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
    uint32_t refused, crowded, full; /* as the segment states: libdcamp/segment.h */
    uint64_t readings;               /* how many were taken */
    uint64_t fallen; /* words that were less than before, also in the second reading */
    uint64_t lost;   /* records of steps that were overwritten before they were read */
    unsigned over_quota, clashing;     /* sensors without a series, because of EDQUOT and EEXIST */
    unsigned no_room;                  /* sensors for which there is no room: owner.h. They are not
                                        * read, or without some of their values or keys */
    bool lacks_sensors;                /* some of these are not even known */
    bool no_memory;                    /* in the last reading: the next one makes up for that */
    bool late, had_steps, had_threads; /* only for this file, like the following */
    uint32_t sensors;
    struct program_sensor **sensor; /* by descriptor; NULL: none */
    struct steps *steps[SEGMENT_SHARDS];
};

enum program_outcome {
    PROGRAM_TAKEN,
    PROGRAM_DOUBTFUL, /* a counter has fallen, or jumped by 2^32: nothing was taken. The segment
                       * should be copied again, and then the reading is taken as it is. */
    PROGRAM_REPLACED, /* the segment is another one now: nothing was taken. This program has
                       * ended. */
};

/* Begins a process whose segment is sound. late: it existed before but was not read, so that what
 * it has counted until now is added to the totals only of series that are new with it, and has not
 * grown in this pass. NULL: no memory. */
struct program *program_new(struct applications *applications, struct owner *owner,
                            const struct segment *segment, bool late);

/* Ends the program: what it has counted stays with its application. NULL is allowed. */
void program_free(struct program *program, struct applications *applications);

/* The same for a program that is not read for a while: the keys of its tops leave with it, because
 * it brings all of them when it is read again. Then it is a new program, which is late, and has
 * come back: the one that was set aside has not ended. */
void program_set_aside(struct program *program, struct applications *applications);
void program_comes_back(struct program *program);

/* What its descriptors were in the last reading: a segment_known.descriptor of segment.h, whose
 * context is the program. */
const struct segment_descriptor *program_descriptor(const void *program, uint32_t index);

/* One reading. again: it is the second one, after a doubtful one. */
enum program_outcome program_read(struct program *program, struct applications *applications,
                                  const struct segment *segment, unsigned wanted, bool again,
                                  const struct program_observer *observer);

#endif
