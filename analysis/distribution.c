#include "analysis/distribution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/quantile.h"

const double distribution_probability[DISTRIBUTION_QUANTILES] = {0.01, 0.05, 0.1,  0.25, 0.5,
                                                                 0.75, 0.9,  0.95, 0.99};

double *distribution_sorted(const double *values, size_t *n)
{
    double *sorted = calloc(*n ? *n : 1, sizeof *sorted);
    if (!sorted)
        return NULL;
    size_t found = 0;
    for (size_t i = 0; i < *n; i++)
        if (isfinite(values[i]))
            sorted[found++] = values[i];
    quantile_sort(sorted, found);
    *n = found;
    return sorted;
}

/* Computed around the median, so that large values that hardly differ lose no precision. */
static void set_moments(struct distribution *out, const double *sorted, size_t n)
{
    double size = (double)n, middle = sorted[n / 2], sum = 0, power[3] = {0};
    for (size_t i = 0; i < n; i++)
        sum += (sorted[i] - middle) / size;
    for (size_t i = 0; i < n; i++) {
        double from = sorted[i] - middle - sum, square = from * from;
        power[0] += square;
        power[1] += square * from;
        power[2] += square * square;
    }
    double variance = power[0] / size;
    out->mean = middle + sum;
    out->deviation = n > 1 ? sqrt(power[0] / (size - 1)) : NAN;
    out->skewness = variance > 0 ? power[1] / size / (variance * sqrt(variance)) : NAN;
    out->excess = variance > 0 ? power[2] / size / (variance * variance) - 3 : NAN;
}

int distribution_of(const double *values, size_t n, struct distribution *out)
{
    size_t found = n;
    double *sorted = distribution_sorted(values, &found);
    if (!sorted)
        return ENOMEM;
    *out = (struct distribution){.n = found, .gaps = n - found};
    if (found) {
        set_moments(out, sorted, found);
        out->least = sorted[0];
        out->largest = sorted[found - 1];
        for (size_t i = 0; i < DISTRIBUTION_QUANTILES; i++)
            out->quantile[i] = quantile_of(sorted, found, distribution_probability[i]);
    }
    free(sorted);
    return 0;
}
