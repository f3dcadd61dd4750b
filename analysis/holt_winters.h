/* Exponential smoothing of a level, a trend and an additive season (Winters, Management Science 6,
 * 1960), with a trend that fades (Gardner, McKenzie, 31, 1985). Without damping, it is R's
 * HoltWinters() to the digit. Pure. */
#ifndef DCAMP_ANALYSIS_HOLT_WINTERS_H
#define DCAMP_ANALYSIS_HOLT_WINTERS_H

#include <stdbool.h>
#include <stddef.h>

/* How fast level, trend and season follow, each from 0 to 1; what is left of the trend after each
 * step, from HOLT_WINTERS_DAMPING to 1, which is all. */
struct holt_winters_parameters {
    double alpha, beta, gamma, phi;
};
#define HOLT_WINTERS_DAMPING 0.8

struct holt_winters {
    struct holt_winters_parameters parameters;
    double level, trend;
    size_t period, next; /* the place of the next value in season */
    double *season;
};

/* Whether there is a value at each place of the period, and two periods of them; less is no start.
 */
bool holt_winters_may_start(const double *values, size_t n, size_t period);

/* Begins as R does: with the moving average of the first two periods, the line through that, and
 * what values are from it. Then it stands before the second period: the next value is
 * values[period]. A value that is not finite is a gap: there, it begins with the mean of all values
 * of that place. holt_winters_may_start(). Returns 0 or ENOMEM. */
int holt_winters_start(struct holt_winters *hw, const double *values, size_t n, size_t period,
                       struct holt_winters_parameters parameters);

/* Takes the next value; at a gap (not finite) everything goes on as foretold. Returns how far the
 * value was from what was foretold; 0 at a gap. */
double holt_winters_next(struct holt_winters *hw, double value);

/* What is foretold for so many steps ahead, 1 is the next value. */
double holt_winters_ahead(const struct holt_winters *hw, size_t steps);

/* The parameters with the least sum of squares of how far all values from the second period on are
 * from what was foretold one step ahead; phi is 1 unless damped. squares may be NULL.
 * holt_winters_may_start(). Returns 0 or ENOMEM. */
int holt_winters_fit(const double *values, size_t n, size_t period, bool is_damped,
                     struct holt_winters_parameters *parameters, double *squares);

/* Frees what start has taken. */
void holt_winters_release(struct holt_winters *hw);

#endif
