/* The series of one endpoint over time: what its successive answers say, as counters that only grow
 * and as histograms of what has come since. Pure. */
#ifndef DCAMP_APPLICATION_EXPOSED_H
#define DCAMP_APPLICATION_EXPOSED_H

#include "application/scrape.h"
#include "base/clock.h"

/* A histogram with a value in a bucket that is too wide has no events for this long. */
#define EXPOSED_UNFIT_NS (900 * NS_PER_S)

/* A counter of the program, as one that never falls. The program may begin anew: then it counts
 * from 0 on, which shows either in its number having fallen, or in the time at which it says that
 * it began.
 *
 * In the latter case everything that it has counted came since, and is added. In the former case
 * nobody knows how much of it was counted before: nothing is added, and there is a gap. */
struct exposed_total {
    double offset; /* how much more it has counted than it says now */
    double last;   /* what it said at the last answer */
};

struct exposed_series {
    UT_hash_handle hh;
    char name[INSTANCE_SIZE];
    char unit[SAMPLE_UNIT_SIZE];
    enum scraped_kind kind;
    uint64_t born;     /* the first answer that contained it: the value of exposed.answers then */
    uint64_t answer;   /* the last answer that contained it */
    uint64_t taken_ns; /* monotonic: when that answer came */
    unsigned has;      /* SCRAPED_COUNT, _SUM, _LEVEL: which numbers there are; none after a gap */
    double level;
    double begun_s;
    struct exposed_total count, sum;

    /* Only for a histogram. */
    struct bucket *bucket; /* of the last answer, in ascending order */
    size_t n_buckets;
    double events_sum;      /* of all events that came before, or that are in grown */
    struct histogram grown; /* what came since exposed_collect() */
    double grown_sum;
    struct histogram shown; /* what exposed_collect() last handed out */
    double shown_mean;
    uint64_t unfit_ns; /* when a value last came for which the buckets are too wide; 0: never */
};

struct exposed {
    struct exposed_series *by_name; /* in the order in which they came */
    struct exposed_series *gone; /* kept until exposed_collect(), for those that still look at what
                                  * they show */
    uint64_t answers;
    double wall_s;                /* of the last answer; 0: there was none */
    size_t unfit;                 /* how many histograms have no events, as of the last answer */
    char unfit_why[MESSAGE_SIZE]; /* which bucket of which histogram is too wide */
};

/* An all-zero struct is empty. */
void exposed_release(struct exposed *exposed);

/* When an answer came, by both clocks, and the largest error that a value may have. */
struct exposed_moment {
    uint64_t now_ns;
    double wall_s;
    double tolerance; /* in the form of buckets_to_histogram() */
};

/* Takes an answer: series that are not in it are gone. Returns for how many series there was no
 * memory: they come with the next answer. The buckets are taken out of the scrape. */
size_t exposed_take(struct exposed *exposed, struct scrape *scrape,
                    const struct exposed_moment *moment);

/* Hands out the events that have come since the last call, in .shown and .shown_mean of each
 * series, valid until the next call. */
void exposed_collect(struct exposed *exposed);

/* The number of a total: never less than before. */
double exposed_total(const struct exposed_total *total);

#endif
