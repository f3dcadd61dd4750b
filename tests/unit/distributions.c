#include "distributions.h"

#include <math.h>
#include <stddef.h>

double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return ((double)((*seed * UINT64_C(2685821657736338717)) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller */
static double normal(uint64_t *seed)
{
    return sqrt(-2 * log(uniform(seed))) * cos(2 * M_PI * uniform(seed));
}

static double from_uniform(uint64_t *seed)
{
    return 100 * uniform(seed);
}

static double from_exponential(uint64_t *seed)
{
    return -log(uniform(seed));
}

static double from_pareto(uint64_t *seed)
{
    return pow(uniform(seed), -1 / 1.5);
}

static double from_lognormal(uint64_t *seed)
{
    return exp(3 * normal(seed));
}

static double from_two_humps(uint64_t *seed)
{
    return uniform(seed) < 0.3 ? 1000 + 50 * normal(seed) : 10 + normal(seed);
}

static double from_constant(uint64_t *seed)
{
    (void)seed;
    return 42.42;
}

static double from_zero(uint64_t *seed)
{
    (void)seed;
    return 0;
}

static double from_negative(uint64_t *seed)
{
    return -from_exponential(seed);
}

static double from_both_signs(uint64_t *seed)
{
    return 1000 * normal(seed);
}

/* Many values are 0, as of an idle disk. */
static double from_bursts(uint64_t *seed)
{
    return uniform(seed) < 0.6 ? 0 : floor(1e6 * from_exponential(seed)) + 1;
}

static double from_offset(uint64_t *seed)
{
    return 1e9 + normal(seed);
}

const struct distribution distributions[N_DISTRIBUTIONS] = {
    {"uniform 0 to 100", from_uniform},
    {"exponential, mean 1", from_exponential},
    {"Pareto, alpha 1.5", from_pareto},
    {"log-normal, sigma 3", from_lognormal},
    {"two humps, 10 and 1000", from_two_humps},
    {"constant 42.42", from_constant},
    {"zero", from_zero},
    {"exponential, negative", from_negative},
    {"normal, sigma 1000", from_both_signs},
    {"bursts, 60 % zero", from_bursts},
    {"normal around 1e9", from_offset},
};
