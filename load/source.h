/* Where the operations of an open load come from: a way through a scenario, at a rate that may
 * change. Pure but for the memory of the walk. Moments are in nanoseconds, of any one clock. */
#ifndef DCAMP_LOAD_SOURCE_H
#define DCAMP_LOAD_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/arrivals.h"
#include "load/ramp.h"
#include "load/walk.h"

/* A rate and the moment from which on it is that of the arrivals. */
struct source_rate {
    double rate; /* a second */
    uint64_t from_ns;
};

struct source {
    struct walk walk;
    struct arrivals arrivals;
    bool is_poisson;
    uint64_t seed;
    struct source_rate rate[RAMP_STAGES_MAX]; /* one after the other; a ramp sets them */
    size_t n_rates, n_taken;                  /* so many are set, and have taken effect */
    uint64_t base_ns;                         /* arrivals count from here; pauses move it */
    uint64_t at_ns;     /* when the next one is due; UINT64_MAX: there are no more */
    bool is_pausing;    /* it is not an operation, but the end of a pause */
    uint32_t operation; /* a place in scenario.name */
};

struct source_options {
    double rate; /* a second */
    bool is_poisson;
    uint64_t seed;
};

/* What arrives first is then known. The scenario stays as it is while there is a source. False: no
 * memory. */
bool source_open(struct source *source, const struct scenario *scenario,
                 const struct source_options *options, uint64_t now_ns);

/* All zero octets are fine. */
void source_close(struct source *source);

/* Goes on to what arrives next. A pause is from the arrival before it, and moves all that come. */
void source_advance(struct source *source);

/* Arrivals at this rate from a moment on, which is not before that of the last call; at most
 * RAMP_STAGES_MAX calls. Those that are due before it, though nobody may have begun them yet, stay
 * as they are, and a pause that goes on is not cut: the rate is then from its end on. */
void source_set_rate(struct source *source, double rate, uint64_t from_ns);

/* Goes on to what arrives at that moment or later, by about a second's worth of steps at most:
 * where there are more, the source is then still before it. How many operations were due before it.
 */
#define SOURCE_SKIP_STEPS 50000000
uint64_t source_skip(struct source *source, uint64_t until_ns);

#endif
