/* Inside application/: endpoints, as the core, which shows what they say, and the thread that asks
 * them share them. Pure but for the lock. */
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
    ENDPOINT_IS_HUGE,   /* its answers have more than is read of one */
    ENDPOINT_IS_COARSE, /* histograms have no events */
    ENDPOINT_TROUBLES
};

/* What the metrics of an endpoint itself are made of. */
struct endpoint_status {
    bool is_known;                                    /* it was asked at least once, */
    bool is_good;                                     /* and the last time it answered well */
    uint64_t good_ns;                                 /* when it did last, monotonic */
    uint64_t took_ns, octets, kept, left_out, beyond; /* of that answer */
    uint64_t answers, failures, faults;               /* so far */
};

struct endpoint {
    LIST_ENTRY(endpoint) link;
    uint64_t born;                             /* no two have the same number; never 0 */
    struct endpoint_setup setup;               /* lock */
    bool is_dropped;                           /* lock: the thread frees it */
    uint64_t due_ns;                           /* lock: when it is asked next, monotonic */
    struct endpoint_status status;             /* lock */
    struct exposed exposed;                    /* lock */
    struct trouble trouble[ENDPOINT_TROUBLES]; /* only the thread */
    struct fetch *fetch;                       /* only the thread; NULL: it is not being asked */
};

LIST_HEAD(endpoint_list, endpoint);

/* What sensors want of series, with patterns of its own. */
struct endpoint_wishes {
    unsigned users; /* lock */
    size_t n;
    struct endpoint_wish wish[];
};

struct fetcher;

struct endpoints {
    pthread_mutex_t lock;
    struct endpoint_list all;       /* lock */
    struct endpoint_wishes *wishes; /* lock; NULL: there are none, and nobody is asked */
    uint64_t born;                  /* only the core, like what follows: of the last one */
    size_t hidden;                  /* series that the last pass could not show */
    bool is_hiding_told;
    struct fetcher *fetcher; /* NULL: no endpoint was wanted yet */
};

/* Whether anybody wants any of these numbers of an instance: as scrape_setup.wants. */
bool endpoint_wishes_have(const void *wishes, const char *name, unsigned has);

/* Another user of the wishes; one less. Under the lock. */
struct endpoint_wishes *endpoint_wishes_use(struct endpoint_wishes *wishes);
void endpoint_wishes_leave(struct endpoint_wishes *wishes);

/* When an endpoint is asked again that is asked now: at places of the clock that are a little
 * before those at which sensors of that interval are sampled. */
uint64_t endpoint_next(uint64_t interval_ns, uint64_t now_ns);

/* Whether what it said last still holds: it did not fail since, and was not forgotten. */
bool endpoint_is_up(const struct endpoint *endpoint, uint64_t now_ns);

/* An answer, or none. Under the lock. */
void endpoint_answers(struct endpoint *endpoint, struct scrape *scrape, uint64_t took_ns,
                      struct moment now);
void endpoint_fails(struct endpoint *endpoint);

/* Once it is in no list. NULL is allowed. */
void endpoint_free(struct endpoint *endpoint);

#endif
