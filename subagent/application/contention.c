#include "application/contention.h"

#include <math.h>

#define NS_IN_SECOND 1e9

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

struct contention contention_of(const struct contention_sums *sums)
{
    struct contention contention = {NAN, NAN, NAN, NAN, NAN};
    double arrivals = (double)sums->arrivals;
    contention.rate = ratio(arrivals, sums->seconds);
    if (sums->arrivals >= CONTENTION_LEAST)
        contention.probability = fmin((double)sums->waits / arrivals, 1);
    if (sums->holds >= CONTENTION_LEAST)
        contention.hold = (double)sums->held_ns / NS_IN_SECOND / (double)sums->holds;
    if (sums->failures <= sums->arrivals)
        contention.load =
            ratio((double)(sums->arrivals - sums->failures), sums->seconds) * contention.hold;
    contention.factor = ratio(contention.probability, contention.load);
    return contention;
}
