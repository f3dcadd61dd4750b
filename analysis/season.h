/* Whether a series repeats itself, and after how many steps. Pure. */
#ifndef DCAMP_ANALYSIS_SEASON_H
#define DCAMP_ANALYSIS_SEASON_H

#include <stdbool.h>
#include <stddef.h>

/* A season is known where it accounts for so much of the variance. */
#define SEASON_STRENGTH 0.2
/* And where there are so many of it. */
#define SEASON_CYCLES 3

struct season {
    bool is_known;   /* there is a season */
    const char *why; /* there is none that is known; else NULL */
    size_t period; /* steps, at least 2; the best candidate where none is known, 0: there is none */
    double correlation; /* with the series a period before; NAN without a period */
    double strength;    /* see season_strength(); NAN without a period */
};

/* The period is where the autocorrelation has its largest maximum, once it has been below 0, of the
 * series less its straight line; of maxima that are nearly as large the first. A value that is not
 * finite is a gap. Returns 0 or ENOMEM. */
int season_find(const double *values, size_t n, struct season *out);

/* How much of the variance around the straight line each value's place in the period accounts for,
 * where every value is foretold by the others of the same place: 1 is all, and what noise accounts
 * for is below 0. NAN where nothing varies. rest: the series less its line. Returns 0 or ENOMEM. */
int season_strength(const double *rest, size_t n, size_t period, double *strength);

#endif
