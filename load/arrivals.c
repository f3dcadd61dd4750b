#include "load/arrivals.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "load/chance.h"

/* A walk of the same seed has other numbers: else what it chooses would decide how long the time
 * to the next arrival is. */
void arrivals_begin(struct arrivals *arrivals, double rate, bool is_poisson, uint64_t seed)
{
    *arrivals = (struct arrivals){.rate = rate, .is_poisson = is_poisson};
    chance_begin(arrivals->chance, ~seed);
}

/* That of a constant rate is computed of its number, so that no error adds up. */
uint64_t arrivals_next(struct arrivals *arrivals)
{
    double at = (double)arrivals->n++ / arrivals->rate;
    if (arrivals->is_poisson) {
        arrivals->elapsed_s -= log(1 - erand48(arrivals->chance)) / arrivals->rate;
        at = arrivals->elapsed_s;
    }
    return (uint64_t)(at * (double)NS_PER_S);
}
