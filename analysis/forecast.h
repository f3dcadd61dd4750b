/* What the next values of a series will be, and how wrong that was when it was tried on the last
 * third of it. Pure. */
#ifndef DCAMP_ANALYSIS_FORECAST_H
#define DCAMP_ANALYSIS_FORECAST_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/holt_winters.h"

/* Of fewer values nothing is foretold. */
#define FORECAST_LEAST 24
/* Holt-Winters needs so many seasons. */
#define FORECAST_SEASONS 4

enum forecast_method {
    FORECAST_LINE,         /* the line through all values, by least squares */
    FORECAST_HOLT_WINTERS, /* damped, with an additive season; parameters of the least squares */
};

struct forecast_point {
    double value;
    double low, high; /* NAN: too few trials reached so far ahead */
};

struct forecast {
    bool is_known;   /* else points is NULL */
    const char *why; /* it is not known; else NULL */
    size_t trials;   /* from how many places of the last third it was tried; 0: it was not */
    double
        error; /* mean of how far it was from what came, over all steps ahead; NAN without trials */
    double naive; /* the same of the value one season before or, without a season, the last one */
    double slope; /* line: by how much values grow with each step */
    struct holt_winters_parameters parameters; /* Holt-Winters */
    struct forecast_point *points;             /* of the next values, one for each step */
    size_t n;
};

/* period: steps of a season, at least 2, 0 without one, which Holt-Winters needs. horizon: how many
 * steps, at least 1. level: how probably a value is to be in its interval, above 0, below 1; from
 * so many errors of so many steps ahead as one more is in 2 / (1 - level) (split conformal: Vovk,
 * Gammerman, Shafer, Algorithmic Learning in a Random World, 2005). A value that is not finite is a
 * gap.
 *
 * Not known: too few values or seasons; values that are too large; or the error is not less than
 * naive. Returns 0 or ENOMEM. out is to be released, in either case. */
int forecast_of(enum forecast_method method, const double *values, size_t n, size_t period,
                size_t horizon, double level, struct forecast *out);

void forecast_release(struct forecast *forecast);

#endif
