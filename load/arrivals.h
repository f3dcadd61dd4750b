/* When the operations of an open load are to begin, even if all workers are still busy. Pure. */
#ifndef DCAMP_LOAD_ARRIVALS_H
#define DCAMP_LOAD_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#define ARRIVALS_RATE_MIN 0.001 /* per second */
#define ARRIVALS_RATE_MAX 1e7

struct arrivals {
    double rate;      /* per second */
    bool is_poisson;  /* exponentially distributed times between arrivals; otherwise equal ones */
    uint64_t n;       /* number of arrivals so far */
    double elapsed_s; /* Poisson: the time of the latest one */
    unsigned short chance[3]; /* of erand48(3) */
};

/* A walk may have the same seed: the two are independent nevertheless. */
void arrivals_begin(struct arrivals *arrivals, double rate, bool is_poisson, uint64_t seed);

/* Returns the time of the next arrival, in nanoseconds since the start. At a constant rate, the
 * first one is at 0. */
uint64_t arrivals_next(struct arrivals *arrivals);

#endif
