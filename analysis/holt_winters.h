/* Exponential smoothing of a level, a trend and an additive season (Winters, Management Science 6,
 * 1960), with a trend that fades (Gardner, McKenzie, 31, 1985). Without damping, the results are
 * exactly those of R's HoltWinters(). Pure. */
#ifndef DCAMP_ANALYSIS_HOLT_WINTERS_H
#define DCAMP_ANALYSIS_HOLT_WINTERS_H

#include <stdbool.h>
#include <stddef.h>

/* alpha, beta, gamma: how fast level, trend and season follow the values, each from 0 to 1. phi:
 * which share of the trend is left after each step, from HOLT_WINTERS_DAMPING to 1. */
struct holt_winters_parameters {
    double alpha, beta, gamma, phi;
};
#define HOLT_WINTERS_DAMPING 0.8

struct holt_winters {
    struct holt_winters_parameters parameters;
    double level, trend;
    size_t period, next; /* next: the place of the next value in season */
    double *season;
};

/* Whether there are two periods of values, and a value at each place of the period; with less, it
 * cannot start. */
bool holt_winters_may_start(const double *values, size_t n, size_t period);

/* Begins as R does: with the moving average of the first two periods, the line through it, and the
 * distances of the values from it. Afterwards, it stands before the second period: the next value
 * to give it is values[period]. A value that is not finite is a gap; at the start, a gap is
 * replaced by the mean of all values at the same place of the period. holt_winters_may_start() has
 * to be true. Returns 0 or ENOMEM. */
int holt_winters_start(struct holt_winters *hw, const double *values, size_t n, size_t period,
                       struct holt_winters_parameters parameters);

/* Takes the next value; at a gap (a value that is not finite) everything goes on as forecast.
 * Returns the error of the forecast, value less forecast; 0 at a gap. */
double holt_winters_next(struct holt_winters *hw, double value);

/* The forecast for so many steps ahead; 1 is the next value. */
double holt_winters_ahead(const struct holt_winters *hw, size_t steps);

/* The parameters with the least sum of squared errors one step ahead, over all values from the
 * second period on; phi is 1 unless is_damped. squares may be NULL. holt_winters_may_start() has to
 * be true. Returns 0 or ENOMEM. */
int holt_winters_fit(const double *values, size_t n, size_t period, bool is_damped,
                     struct holt_winters_parameters *parameters, double *squares);

/* Frees what holt_winters_start() has allocated. */
void holt_winters_release(struct holt_winters *hw);

#endif
