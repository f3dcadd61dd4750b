/* The series of one endpoint over time: what its answers say, one after the other, as counters that
 * only grow and as histograms of what has come since. Pure. */
#ifndef DCAMP_APPLICATION_EXPOSED_H
#define DCAMP_APPLICATION_EXPOSED_H

#include "application/scrape.h"
#include "base/clock.h"

/* A histogram of which a value came in a bucket that is too wide has no events for so long. */
#define EXPOSED_UNFIT_NS (900 * NS_PER_S)

/* A counter of the program, as one that never falls. The program may begin anew: then it counts
 * from 0 on, which is seen by its number having fallen, or by the time at which it says that it
 * began.
 *
 * In the latter case all that it has counted came since, and is added. In the former nobody knows
 * how much of it was counted before: nothing is added, and there is a gap. */
struct exposed_total {
    double offset; /* what it has counted more than it says now */
    double last;   /* what it said at the last answer */
};

struct exposed_series {
    UT_hash_handle hh;
    char name[INSTANCE_SIZE];
    char unit[SAMPLE_UNIT_SIZE];
    enum scraped_kind kind;
    uint64_t born;     /* the answer that it was in first: exposed.answers then */
    uint64_t answer;   /* the last one */
    uint64_t taken_ns; /* when that came, monotonic */
    unsigned has;      /* SCRAPED_COUNT, _SUM, _LEVEL: which numbers there are; none after a gap */
    double level;
    double begun_s;
    struct exposed_total count, sum;

    /* Of a histogram. */
    struct bucket *bucket; /* of the last answer, in ascending order */
    size_t n_buckets;
    double events_sum;      /* of all events that came before, or are in what has grown */
    struct histogram grown; /* what came since exposed_collect() */
    double grown_sum;
    struct histogram shown; /* what that has handed out */
    double shown_mean;
    uint64_t unfit_ns; /* when a value came last that no bucket tells enough of; 0: never */
};

struct exposed {
    struct exposed_series *by_name; /* in the order in which they came */
    struct exposed_series *gone; /* until exposed_collect(), for whoever still looks at what those
                                    show */
    uint64_t answers;
    double wall_s;                /* of the last answer; 0: there was none */
    size_t unfit;                 /* histograms without events, as of the last answer */
    char unfit_why[MESSAGE_SIZE]; /* which bucket of which of them is too wide */
};

/* All zero octets are none. */
void exposed_release(struct exposed *exposed);

/* When an answer came, by both clocks, and the largest error that a value may have. */
struct exposed_moment {
    uint64_t now_ns;
    double wall_s;
    double tolerance; /* as that of buckets_to_histogram() */
};

/* An answer: what is not in it is gone. Returns how many series there was no memory for: they come
 * with the next one. The scrape keeps its buckets no longer. */
size_t exposed_take(struct exposed *exposed, struct scrape *scrape,
                    const struct exposed_moment *moment);

/* Hands out the events that have come since, in .shown and .shown_mean of each series, until the
 * next time. */
void exposed_collect(struct exposed *exposed);

/* The number of a total: never less than before. */
double exposed_total(const struct exposed_total *total);

#endif
