/* Inside application/: endpoints, as they are shared by the core, which shows what they say, and
 * the thread that asks them. Pure but for the lock. */
#ifndef DCAMP_APPLICATION_ENDPOINT_H
#define DCAMP_APPLICATION_ENDPOINT_H

#include <pthread.h>
#include <sys/queue.h>

#include "application/endpoints.h"
#include "application/exposed.h"
#include "application/trouble.h"

struct fetch;

enum endpoint_trouble {
    ENDPOINT_FAILS,     /* it does not answer as it should */
    ENDPOINT_ERRS,      /* lines of its answers are wrong */
    ENDPOINT_IS_FULL,   /* series that sensors select are left out */
    ENDPOINT_IS_HUGE,   /* its answers are larger than what is read of one */
    ENDPOINT_IS_COARSE, /* histograms have no events */
    ENDPOINT_TROUBLES
};

/* What the metrics of an endpoint itself are made from. */
struct endpoint_status {
    bool is_known;                                    /* it was asked at least once, */
    bool is_good;                                     /* and the last answer was good */
    uint64_t good_ns;                                 /* monotonic: when the last good answer
                                                       * came */
    uint64_t took_ns, octets, kept, left_out, beyond; /* of that answer */
    uint64_t answers, failures, faults;               /* totals so far */
};

struct endpoint {
    LIST_ENTRY(endpoint) link;
    uint64_t born;                             /* no two endpoints have the same number; never 0 */
    struct endpoint_setup setup;               /* lock */
    bool is_dropped;                           /* lock: the thread frees it */
    uint64_t due_ns;                           /* lock: monotonic: when to ask it next */
    struct endpoint_status status;             /* lock */
    struct exposed exposed;                    /* lock */
    struct trouble trouble[ENDPOINT_TROUBLES]; /* only the thread */
    struct fetch *fetch;                       /* only the thread; NULL: it is not being asked */
};

LIST_HEAD(endpoint_list, endpoint);

/* What sensors want of series, with copies of the patterns. */
struct endpoint_wishes {
    unsigned users; /* lock */
    size_t n;
    struct endpoint_wish wish[];
};

struct fetcher;

struct endpoints {
    pthread_mutex_t lock;
    struct endpoint_list all;       /* lock */
    struct endpoint_wishes *wishes; /* lock; NULL: nothing is wanted, and nobody is asked */
    uint64_t born;                  /* only the core, like the following: the number of the last
                                     * endpoint */
    size_t hidden;                  /* series that the last pass could not show */
    bool is_hiding_told;
    struct fetcher *fetcher; /* NULL: no endpoint was wanted yet */
};

/* Whether anybody wants any of these numbers of an instance: in the form of scrape_setup.wants. */
bool endpoint_wishes_have(const void *wishes, const char *name, unsigned has);

/* Adds a user of the wishes, and removes one. Under the lock. */
struct endpoint_wishes *endpoint_wishes_use(struct endpoint_wishes *wishes);
void endpoint_wishes_leave(struct endpoint_wishes *wishes);

/* When an endpoint that is asked now is asked again: a little before the times at which sensors
 * with that interval are sampled. */
uint64_t endpoint_next(uint64_t interval_ns, uint64_t now_ns);

/* Whether what it last said is still valid: it has not failed since, and was not forgotten. */
bool endpoint_is_up(const struct endpoint *endpoint, uint64_t now_ns);

/* Takes an answer, or the lack of one. Under the lock. */
void endpoint_answers(struct endpoint *endpoint, struct scrape *scrape, uint64_t took_ns,
                      struct moment now);
void endpoint_fails(struct endpoint *endpoint);

/* Must be in no list any more. NULL is allowed. */
void endpoint_free(struct endpoint *endpoint);

#endif
