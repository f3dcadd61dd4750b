/* How a load grows until something reaches its limit. Pure.
 *
 * A load has a level, which is its workers or its rate. The level of each stage is half as much
 * again as that of the stage before, until throughput exceeds the largest one so far by less than a
 * twentieth, the percentile that is watched is beyond its limit, or the level is the largest
 * one. */
#ifndef DCAMP_LOAD_RAMP_H
#define DCAMP_LOAD_RAMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RAMP_STAGES_MAX 64

enum ramp_end {
    RAMP_GOES_ON,
    RAMP_THROUGHPUT, /* throughput does not grow any more */
    RAMP_PERCENTILE, /* the percentile is beyond its limit */
    RAMP_LARGEST,    /* the level may not grow any more */
    RAMP_SCENARIO,   /* the scenario, its data or its duration ended before */
};

/* The measurements at one level. */
struct ramp_stage {
    double level;
    double throughput; /* operations that did not fail, per second */
    double percentile; /* seconds; NAN if no operation has ended */
    uint64_t operations, errors;
    bool is_cut; /* the test ended before the stage was complete */
};

struct ramp {
    uint64_t stage_ns; /* 0 if there is no ramp */
    double quantile;   /* which percentile is watched, such as 0.99 */
    double limit_s;    /* infinite if there is none */
    double largest;    /* the highest level */
    bool is_whole;     /* levels are whole numbers */
    struct ramp_stage stage[RAMP_STAGES_MAX];
    size_t n_stages;
    enum ramp_end end;
};

/* Takes the measurements of a stage and returns the level of the next one, unless ramp->end says
 * that this was the last stage. */
double ramp_next(struct ramp *ramp, const struct ramp_stage *measured);

/* The stage with the largest throughput, of those that were complete, had operations that did not
 * fail, and whose percentile is within the limit; NULL if there is none. A stage that was cut does
 * not count, because in its short time it has the answers of operations that the stage before it
 * had begun. */
const struct ramp_stage *ramp_best(const struct ramp *ramp);

const char *ramp_reason(enum ramp_end end);

#endif
