/* Whether a series repeats itself, and after how many steps. Pure. */
#ifndef DCAMP_ANALYSIS_SEASON_H
#define DCAMP_ANALYSIS_SEASON_H

#include <stdbool.h>
#include <stddef.h>

/* A season counts only if it accounts for at least this share of the variance, */
#define SEASON_STRENGTH 0.2
/* and if there are at least so many cycles of it. */
#define SEASON_CYCLES 3

struct season {
    bool is_known;      /* there is a season */
    const char *why;    /* why no season is known; otherwise NULL */
    size_t period;      /* steps, at least 2; of the best candidate if no season is known; 0 without
                         * one */
    double correlation; /* with the series one period before; NAN without a period */
    double strength;    /* see season_strength(); NAN without a period */
};

/* The period is found in the autocorrelation of the series less its straight line: it is the lag of
 * the largest maximum after the autocorrelation has been below 0; of several maxima that are nearly
 * as large, the first one. A value that is not finite is a gap. Returns 0 or ENOMEM. */
int season_find(const double *values, size_t n, struct season *out);

/* How much of the variance around the straight line is explained by each value's place in the
 * period. Each value is predicted from the other values of the same place; so 1 is all of the
 * variance, and for noise the result is below 0. NAN if nothing varies. rest: the series less its
 * line. Returns 0 or ENOMEM. */
int season_strength(const double *rest, size_t n, size_t period, double *strength);

#endif
