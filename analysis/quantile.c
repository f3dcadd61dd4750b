#include "analysis/quantile.h"

#include <math.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void quantile_sort(double *values, size_t n)
{
    if (n)
        qsort(values, n, sizeof *values, ascending);
}

double quantile_of(const double *sorted, size_t n, double p)
{
    double place = (double)(n - 1) * p, below = floor(place);
    size_t i = (size_t)below;
    if (i + 1 >= n)
        return sorted[n - 1];
    return sorted[i] + (place - below) * (sorted[i + 1] - sorted[i]);
}
