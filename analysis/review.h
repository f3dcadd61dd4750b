/* All that is said of one series: its distribution, the families that fit it, its autocorrelation,
 * its season, and a forecast. Pure, except for the memory. */
#ifndef DCAMP_ANALYSIS_REVIEW_H
#define DCAMP_ANALYSIS_REVIEW_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/distribution.h"
#include "analysis/fit.h"
#include "analysis/forecast.h"
#include "analysis/season.h"

#define REVIEW_SPANS 2016 /* the default for the largest number of values: a week of 5 minutes */
#define REVIEW_LEVEL 0.9  /* of the intervals of forecasts */
#define REVIEW_LAGS 300   /* of the autocorrelation, at most; otherwise a third of the values */
#define REVIEW_AHEAD                                                                               \
    500 /* steps of the forecast, at most; otherwise one season, or a tenth of the values */

struct review {
    size_t n; /* values, gaps included */
    struct distribution distribution;
    double *r; /* r[0] to r[lags]; NULL without values */
    size_t lags;
    double band;
    struct season season;
    struct fit fits[FIT_FAMILIES];
    struct forecast line, holt_winters;
};

/* The values are evenly spaced; gaps are not finite. Returns 0 or ENOMEM. The review has to be
 * released in either case. */
int review_of(const double *values, size_t n, struct review *review);
void review_release(struct review *review);

/* As an object, which is described under docs of dcamp(1): values began at from_ms and are step_ms
 * apart. A number that is not known is null. Returns NULL if memory runs out. */
json_t *review_json(const struct review *review, int64_t from_ms, int64_t step_ms);

#endif
