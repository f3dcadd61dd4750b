/* When operations are to begin in an open load, whoever is busy still. Pure. */
#ifndef DCAMP_LOAD_ARRIVALS_H
#define DCAMP_LOAD_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#define ARRIVALS_RATE_MIN 0.001 /* a second */
#define ARRIVALS_RATE_MAX 1e7

struct arrivals {
    double rate;     /* a second */
    bool is_poisson; /* the times between them are distributed exponentially; else they are equal */
    uint64_t n;      /* so many there were */
    double elapsed_s;         /* Poisson: of the last one */
    unsigned short chance[3]; /* of erand48(3) */
};

/* The same seed may be that of a walk: they have nothing to do with each other. */
void arrivals_begin(struct arrivals *arrivals, double rate, bool is_poisson, uint64_t seed);

/* Of the next one, in nanoseconds since the begin. The first of a constant rate is at 0. */
uint64_t arrivals_next(struct arrivals *arrivals);

#endif
