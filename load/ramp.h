/* How a load grows until something is at its limit. Pure.
 *
 * A load has a level, its workers or its rate. Each stage has half as much again as the one before,
 * until throughput grows by less than a twentieth of the largest one so far, the percentile that is
 * watched is beyond its limit, or the level is the largest one. */
#ifndef DCAMP_LOAD_RAMP_H
#define DCAMP_LOAD_RAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMP_STAGES_MAX 64

enum ramp_end {
    RAMP_GOES_ON,
    RAMP_THROUGHPUT, /* it does not grow any more */
    RAMP_PERCENTILE, /* it is beyond its limit */
    RAMP_LARGEST,    /* the level may not grow any more */
    RAMP_SCENARIO,   /* the scenario, its data or its duration were at their end before */
};

/* What was measured at one level. */
struct ramp_stage {
    double level;
    double throughput; /* operations that did not fail, a second */
    double percentile; /* seconds; not a number: no operation has ended */
    uint64_t operations, errors;
    bool is_cut; /* the test ended in the midst of it */
};

struct ramp {
    uint64_t stage_ns; /* 0: there is no ramp */
    double quantile;   /* which one is watched, as 0.99 */
    double limit_s;    /* infinite: none */
    double largest;    /* level */
    bool is_whole;     /* levels are whole numbers */
    struct ramp_stage stage[RAMP_STAGES_MAX];
    size_t n_stages;
    enum ramp_end end;
};

/* Takes what was measured; the level of the next stage, unless ramp->end says that this was the
 * last one. */
double ramp_next(struct ramp *ramp, const struct ramp_stage *measured);

/* The stage with the largest throughput among those that were whole, had operations that did not
 * fail, and whose percentile is within the limit; NULL: there is none. One that was cut has the
 * answers of operations that the stage before it had begun, in a short time. */
const struct ramp_stage *ramp_best(const struct ramp *ramp);

const char *ramp_reason(enum ramp_end end);

#endif
