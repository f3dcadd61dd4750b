/* Steps and sequences: how long the executions of steps take, how much of the time steps are busy,
 * and how long what passes through several steps takes between them and from the first to the last,
 * on whatever nodes. Pure.
 *
 * Records come from many nodes and in any order: those of one sequence wait until none has come for
 * a while; then they are put in order, and the latencies between each and the next one are counted.
 * Each application has one struct sequences, because it has its own numbers of sequences.
 *
 * The clocks of two nodes differ, and steps may overlap: then a latency is below 0. It is counted
 * as it is, and the number of such latencies is told. */
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
    double seconds; /* the length of that span */
    uint64_t begun; /* executions that began: they are the arrivals at the step */
    uint64_t ended;
    uint64_t failed;  /* of those that have ended */
    uint64_t busy_ns; /* the total time of those that have ended */
};

/* What is not known, because there was no time or no execution, is not a number. */
struct step_figures {
    double runtime;      /* the mean, in seconds */
    double throughput;   /* per second: ended / the sum of their durations. One thread that does
                          * nothing else would complete so many */
    double arrivals;     /* per second */
    double completions;  /* per second */
    double failures;     /* the part of the ended ones that failed, from 0 to 1 */
    double offered_load; /* arrivals / throughput, in erlang: how many executions are under way at
                          * the same time, on average. Research papers call it the capacity */
};

struct step_figures step_figures_of(const struct step_sums *sums);

/* -- Sequences --------------------------------------------------------------------------------- */

/* A sequence with more records is lost; no figures are kept of further steps and latencies. */
#define SEQUENCE_RECORDS_MAX 64
#define SEQUENCE_STEPS_MAX 256
#define SEQUENCE_LATENCIES_MAX 512

struct sequence_bounds {
    size_t records; /* how many may wait, of all sequences; must be more than SEQUENCE_RECORDS_MAX.
                     * Each needs at most some 250 octets. */
    uint64_t
        settle_ns; /* a sequence is complete when nothing came for so long: longer than a record is
                    * on its way, from any node. What comes later counts as another sequence. */
};

/* One execution. Nodes and steps have numbers that the owner gives them; the same step has the same
 * number on all nodes. */
struct sequence_record {
    uint32_t node, step;
    uint32_t place;    /* if steps follow each other in one order, the place of this one in it;
                        * otherwise 0: they are in the order in which they began */
    int32_t result;    /* 0: success */
    uint64_t sequence; /* 0: it belongs to no sequence */
    uint64_t start_ns; /* since 1970, by the clock of the node */
    uint64_t duration_ns;
};

/* The steps are in the order in which they first came. */
struct sequence_step {
    UT_hash_handle hh;
    uint32_t step;
    uint64_t failed;
    struct statistics_window runtime; /* of all records, in seconds */
};

/* Between the end of a step and the beginning of the next one in the same sequence. */
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

/* Counts since the figures began. */
struct sequence_totals {
    uint64_t complete;
    uint64_t failed;   /* of these: those in which a step had another result than 0 */
    uint64_t lost;     /* sequences that were dropped before they were complete: the oldest, when
                        * there were too many records; those with too many records of their own; and
                        * those for which there was no memory. What comes of them later is taken for
                        * other sequences. */
    uint64_t left_out; /* records and latencies that are in no figures, because there were too many
                        * steps, or pairs of them, or no memory */
    uint64_t negative; /* sequences whose end is before their beginning, because clocks differ */
    struct statistics_window whole; /* of complete sequences: from the beginning of the first step
                                     * to the end of the last one, in seconds */
};

struct sequences;

/* NULL: no memory, or bounds.records is too small. */
struct sequences *sequences_new(const struct sequence_bounds *bounds);
void sequences_free(struct sequences *sequences); /* NULL is allowed */

/* Takes a record; now is monotonic. What could not be taken is counted in the totals. */
void sequences_add(struct sequences *sequences, const struct sequence_record *record,
                   uint64_t now_ns);

/* Counts the sequences that are complete by now. */
void sequences_settle(struct sequences *sequences, uint64_t now_ns);

/* Changes bounds.settle_ns. */
void sequences_settle_after(struct sequences *sequences, uint64_t settle_ns);

/* The figures begin anew. Waiting records go on waiting. */
void sequences_begin(struct sequences *sequences);

/* The present figures. Pointers are valid until the next call that changes something. */
const struct sequence_totals *sequences_totals(const struct sequences *sequences);
const struct sequence_step *sequences_steps(const struct sequences *sequences);
const struct sequence_latency *sequences_latencies(const struct sequences *sequences);
const struct sequence_latency *sequences_latency(const struct sequences *sequences, uint32_t from,
                                                 uint32_t to); /* NULL: none yet */

/* How many sequences and records wait. */
size_t sequences_waiting(const struct sequences *sequences, size_t *records);

#endif
