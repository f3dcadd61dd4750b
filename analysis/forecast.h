/* What the next values of a series will be, and how large the error was when the method was tried
 * on the last third of the series. Pure. */
#ifndef DCAMP_ANALYSIS_FORECAST_H
#define DCAMP_ANALYSIS_FORECAST_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/holt_winters.h"

/* With fewer values, there is no forecast. */
#define FORECAST_LEAST 24
/* Holt-Winters needs at least so many seasons. */
#define FORECAST_SEASONS 4

enum forecast_method {
    FORECAST_LINE,         /* the line through all values, by least squares */
    FORECAST_HOLT_WINTERS, /* damped, with an additive season and least-squares parameters */
};

struct forecast_point {
    double value;
    double low, high; /* NAN: there were too few trials for so many steps ahead */
};

struct forecast {
    bool is_known;   /* otherwise points is NULL */
    const char *why; /* why it is not known; otherwise NULL */
    size_t trials;   /* number of places of the last third it was tried from; 0: none */
    double
        error; /* mean absolute error of the trials, over all the steps ahead; NAN without trials */
    double naive; /* the same for a naive forecast: the value one season before, or the last one
                   * without a season */
    double slope; /* of the line: by how much values grow with each step */
    struct holt_winters_parameters parameters; /* of Holt-Winters */
    struct forecast_point *points;             /* the next values, one for each step */
    size_t n;
};

/* period: steps of a season, at least 2, or 0 if there is none; Holt-Winters needs one. horizon:
 * number of steps, at least 1. level: the probability that a value is in its interval, above 0 and
 * below 1. An interval for so many steps ahead needs at least 2 / (1 - level) - 1 errors of trials
 * that many steps ahead (split conformal: Vovk, Gammerman, Shafer, Algorithmic Learning in a Random
 * World, 2005). A value that is not finite is a gap.
 *
 * Not known: too few values or seasons; values that are too large; or the error is not less than
 * naive. Returns 0 or ENOMEM. out has to be released in either case. */
int forecast_of(enum forecast_method method, const double *values, size_t n, size_t period,
                size_t horizon, double level, struct forecast *out);

void forecast_release(struct forecast *forecast);

#endif
