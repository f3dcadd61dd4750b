#include "load/ramp.h"

#include <math.h>

#define GROWTH 1.5      /* of the level */
#define LEAST_GAIN 1.05 /* factor that throughput has to grow by for another stage */

static bool is_within(const struct ramp *ramp, const struct ramp_stage *stage)
{
    return !(stage->percentile > ramp->limit_s);
}

const struct ramp_stage *ramp_best(const struct ramp *ramp)
{
    const struct ramp_stage *best = NULL;
    for (size_t i = 0; i < ramp->n_stages; i++)
        if (!ramp->stage[i].is_cut && ramp->stage[i].throughput > 0 &&
            is_within(ramp, &ramp->stage[i]) &&
            (!best || ramp->stage[i].throughput > best->throughput))
            best = &ramp->stage[i];
    return best;
}

static double grown(const struct ramp *ramp, double level)
{
    double next = level * GROWTH;
    if (ramp->is_whole)
        next = ceil(next);
    return next < ramp->largest ? next : ramp->largest;
}

double ramp_next(struct ramp *ramp, const struct ramp_stage *measured)
{
    const struct ramp_stage *best = ramp_best(ramp);
    double least = best ? best->throughput * LEAST_GAIN : 0;
    ramp->stage[ramp->n_stages++] = *measured;
    if (!is_within(ramp, measured))
        ramp->end = RAMP_PERCENTILE;
    else if (measured->throughput <= least)
        ramp->end = RAMP_THROUGHPUT;
    else if (measured->level >= ramp->largest || ramp->n_stages == RAMP_STAGES_MAX)
        ramp->end = RAMP_LARGEST;
    return grown(ramp, measured->level);
}

const char *ramp_reason(enum ramp_end end)
{
    static const char *const reasons[] = {[RAMP_GOES_ON] = "interrupted",
                                          [RAMP_THROUGHPUT] = "throughput does not grow any more",
                                          [RAMP_PERCENTILE] = "the percentile is beyond its limit",
                                          [RAMP_LARGEST] = "the load may not grow any more",
                                          [RAMP_SCENARIO] =
                                              "the test was at its end before a limit was found"};
    return reasons[end];
}
