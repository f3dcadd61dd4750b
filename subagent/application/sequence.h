/* Steps and sequences: how long the executions of steps take, how much of the time they are busy,
 * and how long what passes through several steps is on its way between them and from the first to
 * the last, on whatever nodes. Pure.
 *
 * Records come from many nodes and in any order: those of one sequence wait until none has come for
 * a while; then they are put in order, and the latencies between each and the next one are counted.
 * There is one struct sequences for each application, since the numbers of sequences are its own.
 *
 * The clocks of two nodes differ, and steps may overlap: then a latency is below 0. It is counted
 * as it is, and how many there are is told. */
#ifndef DCAMP_APPLICATION_SEQUENCE_H
#define DCAMP_APPLICATION_SEQUENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "calculate/statistics.h"

/* -- Figures of a step ------------------------------------------------------------------------- */

/* What came in a span of time: differences of the words of the step (libdcamp/segment.h), over all
 * processes. */
struct step_sums {
    double seconds; /* how long that is */
    uint64_t begun; /* executions: they are the arrivals at the step */
    uint64_t ended;
    uint64_t failed;  /* of those that have ended */
    uint64_t busy_ns; /* how long those that have ended took together */
};

/* What is not known, for want of time or of executions, is not a number. */
struct step_figures {
    double runtime;      /* the mean, in seconds */
    double throughput;   /* per second: ended / the sum of their durations. So many one thread would
                            get done that does nothing else */
    double arrivals;     /* per second */
    double completions;  /* per second */
    double failures;     /* the part of those that have ended, from 0 to 1 */
    double offered_load; /* arrivals / throughput, in erlang: how many executions go on at the same
                            time, in the mean. The research calls it the capacity */
};

struct step_figures step_figures_of(const struct step_sums *sums);

/* -- Sequences --------------------------------------------------------------------------------- */

/* A sequence with more records is lost; figures of further steps and latencies are not kept. */
#define SEQUENCE_RECORDS_MAX 64
#define SEQUENCE_STEPS_MAX 256
#define SEQUENCE_LATENCIES_MAX 512

struct sequence_bounds {
    size_t records; /* that wait, of all sequences; more than SEQUENCE_RECORDS_MAX. For each,
                       some 250 octets at the most are needed. */
    uint64_t
        settle_ns; /* a sequence is complete when nothing came for so long: longer than a record
                      is on its way, from any node. What comes later is another sequence. */
};

/* One execution. Nodes and steps are numbers that their owner has for them, the same step one
 * number on all nodes. */
struct sequence_record {
    uint32_t node, step;
    uint32_t place;    /* where steps follow each other in one order, the place of this one in it;
                          otherwise 0: they are in the order in which they have begun */
    int32_t result;    /* 0: as it should */
    uint64_t sequence; /* 0: it belongs to none */
    uint64_t start_ns; /* since 1970, by the clock of the node */
    uint64_t duration_ns;
};

/* In the order in which they came first. */
struct sequence_step {
    UT_hash_handle hh;
    uint32_t step;
    uint64_t failed;
    struct statistics_window runtime; /* of all records, in seconds */
};

/* Between the end of a step and the beginning of the next one of the same sequence. */
struct sequence_latency_key {
    uint32_t from, to;
};
struct sequence_latency {
    UT_hash_handle hh;
    struct sequence_latency_key key;
    struct statistics_window latency; /* in seconds; may be below 0 */
    uint64_t across;                  /* how many were between two nodes */
    uint64_t negative;                /* how many were below 0, */
    uint64_t negative_across;         /* and how many of these between two nodes */
};

/* Since the figures began. */
struct sequence_totals {
    uint64_t complete;
    uint64_t failed;   /* of these: a step had another result than 0 */
    uint64_t lost;     /* sequences that had to go before they were complete: the oldest, when there
                          were too many records; those with too many of their own; and for want of
                          memory. What comes of them later is taken for other sequences. */
    uint64_t left_out; /* records and latencies that are in no figures: too many steps, or pairs of
                          them, or no memory */
    uint64_t negative; /* sequences whose end is before their beginning: the clocks differ */
    struct statistics_window whole; /* of complete ones: from the beginning of the first step to the
                                       end of the last one, in seconds */
};

struct sequences;

/* NULL: no memory, or bounds.records is too few. */
struct sequences *sequences_new(const struct sequence_bounds *bounds);
void sequences_free(struct sequences *sequences); /* NULL is allowed */

/* Takes a record; now is monotonic. Whatever cannot be taken of it is in the totals. */
void sequences_add(struct sequences *sequences, const struct sequence_record *record,
                   uint64_t now_ns);

/* Counts the sequences that are complete by now. */
void sequences_settle(struct sequences *sequences, uint64_t now_ns);

/* Changes bounds.settle_ns. */
void sequences_settle_after(struct sequences *sequences, uint64_t settle_ns);

/* The figures begin anew. What waits goes on waiting. */
void sequences_begin(struct sequences *sequences);

/* What there is. Pointers are valid until the next call that changes something. */
const struct sequence_totals *sequences_totals(const struct sequences *sequences);
const struct sequence_step *sequences_steps(const struct sequences *sequences);
const struct sequence_latency *sequences_latencies(const struct sequences *sequences);
const struct sequence_latency *sequences_latency(const struct sequences *sequences, uint32_t from,
                                                 uint32_t to); /* NULL: none yet */

/* How many sequences and records wait. */
size_t sequences_waiting(const struct sequences *sequences, size_t *records);

#endif
