#include "analysis/autocorrelation.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* With four separate sums, an addition need not wait for the one before it. */
double autocovariance(const double *centred, size_t n, size_t lag)
{
    const double *later = centred + lag;
    size_t pairs = n - lag, i = 0;
    double sum[4] = {0};
    for (; i + 4 <= pairs; i += 4)
        for (size_t j = 0; j < 4; j++)
            sum[j] += centred[i + j] * later[i + j];
    for (; i < pairs; i++)
        sum[0] += centred[i] * later[i];
    return (sum[0] + sum[1] + (sum[2] + sum[3])) / (double)n;
}

/* Subtracts the mean from the values; gaps become NAN. Returns how many values are not gaps. */
static size_t centre(const double *values, size_t n, double *centred)
{
    double sum = 0, first = NAN;
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            first = found++ ? first : values[i];
            sum += values[i] - first;
        }
    for (size_t i = 0; i < n; i++)
        centred[i] = isfinite(values[i]) ? values[i] - first - sum / (double)found : NAN;
    return found;
}

/* The divisor is pairs + lag, which is n where there are no gaps. */
static double covariance_of_pairs(const double *centred, size_t n, size_t lag)
{
    double sum = 0;
    size_t pairs = 0;
    for (size_t i = 0; i + lag < n; i++) {
        double product = centred[i] * centred[i + lag];
        if (!isnan(product)) {
            sum += product;
            pairs++;
        }
    }
    return pairs ? sum / (double)(pairs + lag) : NAN;
}

/* With gaps, the covariance of the pairs may exceed the variance; R limits the result, too. */
static double bounded(double correlation)
{
    return correlation > 1 ? 1 : correlation < -1 ? -1 : correlation;
}

int autocorrelation(const double *values, size_t n, size_t lags, double *r, double *band)
{
    double *centred = calloc(n ? n : 1, sizeof *centred);
    if (!centred)
        return ENOMEM;
    size_t found = centre(values, n, centred);
    double variance =
        found == n && n ? autocovariance(centred, n, 0) : covariance_of_pairs(centred, n, 0);
    bool is_good = variance > 0 && isfinite(variance);
    for (size_t lag = 0; lag <= lags; lag++)
        r[lag] = !is_good     ? NAN
                 : found == n ? autocovariance(centred, n, lag) / variance
                              : bounded(covariance_of_pairs(centred, n, lag) / variance);
    *band = found ? 1.959963984540054 / sqrt((double)found) : NAN;
    free(centred);
    return 0;
}
