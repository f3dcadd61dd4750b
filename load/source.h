/* The source of the operations of an open load: a walk through a scenario, at a rate that may
 * change. Pure except for the memory of the walk. Moments are in nanoseconds, of any one clock. */
#ifndef DCAMP_LOAD_SOURCE_H
#define DCAMP_LOAD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/arrivals.h"
#include "load/ramp.h"
#include "load/walk.h"

/* A rate of arrivals, and the moment from which on it applies. */
struct source_rate {
    double rate; /* per second */
    uint64_t from_ns;
};

struct source {
    struct walk walk;
    struct arrivals arrivals;
    bool is_poisson;
    uint64_t seed;
    struct source_rate rate[RAMP_STAGES_MAX]; /* in the order of time; a ramp sets them */
    size_t n_rates, n_taken;                  /* how many are set, and how many have taken effect */
    uint64_t base_ns;                         /* arrivals count from here; pauses move it */
    uint64_t at_ns;     /* when the next one is due; UINT64_MAX if there are no more */
    bool is_pausing;    /* what is due is the end of a pause, not an operation */
    uint32_t operation; /* an index of scenario.name */
};

struct source_options {
    double rate; /* per second */
    bool is_poisson;
    uint64_t seed;
};

/* Afterwards, the first arrival is known. The scenario must not change as long as there is a
 * source. Returns false if memory runs out. */
bool source_open(struct source *source, const struct scenario *scenario,
                 const struct source_options *options, uint64_t now_ns);

/* It may be all zero octets. */
void source_close(struct source *source);

/* Goes on to the next arrival. A pause begins at the arrival before it and delays all later
 * ones. */
void source_advance(struct source *source);

/* Sets the rate of arrivals from a moment on, which is not before that of the last call; at most
 * RAMP_STAGES_MAX calls. Arrivals that are due before that moment stay as they are, even if nobody
 * has begun them yet. A pause in progress is not cut: the rate then applies from its end on. */
void source_set_rate(struct source *source, double rate, uint64_t from_ns);

/* Goes on to the first arrival at that moment or later, and returns how many operations were due
 * before it. It takes at most about a second's worth of steps; if there are more, the source has
 * not reached the moment yet. */
#define SOURCE_SKIP_STEPS 50000000
uint64_t source_skip(struct source *source, uint64_t until_ns);

#endif
