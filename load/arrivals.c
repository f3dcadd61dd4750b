#include "load/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "load/chance.h"

/* The seed is changed, because a walk may have the same one: otherwise the walk's choices would
 * determine the times to the next arrivals. */
void arrivals_begin(struct arrivals *arrivals, double rate, bool is_poisson, uint64_t seed)
{
    *arrivals = (struct arrivals){.rate = rate, .is_poisson = is_poisson};
    chance_begin(arrivals->chance, ~seed);
}

/* At a constant rate, the time is computed from the arrival's number, so that no errors add up. */
uint64_t arrivals_next(struct arrivals *arrivals)
{
    double at = (double)arrivals->n++ / arrivals->rate;
    if (arrivals->is_poisson) {
        arrivals->elapsed_s -= log(1 - erand48(arrivals->chance)) / arrivals->rate;
        at = arrivals->elapsed_s;
    }
    return (uint64_t)(at * (double)NS_PER_S);
}
