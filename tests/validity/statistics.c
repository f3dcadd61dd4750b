/* Window statistics against exact computation: statistics [COUNT], by default a million values of
 * each distribution. Prints a table in Markdown; exits with 1 if a quantile is further than 1 %
 * from the exact one, if mean or deviation differ by more than rounding, or if the merged parts are
 * not the whole.
 *
 * A quantile of 0 has no relative error; nothing else is below HISTOGRAM_MIN here. */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/distributions.h"
#include "calculate/histogram_packed.h"
#include "calculate/statistics.h"

#define DEFAULT_COUNT 1000000
#define PARTS 100
#define ALPHA (0.01 * (1 + 1e-12))
/* Rounding of a million additions, relative to the largest value. */
#define ROUNDING 1e-11

static const double quantiles[] = {0, 0.01, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 1};
#define N_QUANTILES (sizeof quantiles / sizeof quantiles[0])

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double relative_error(double exact, double ours)
{
    return exact < 0 || exact > 0 ? fabs(ours - exact) / fabs(exact) : fabs(ours);
}

static bool row(const char *name, const char *what, double exact, double ours, bool good)
{
    printf("| %s | %s | %.9g | %.9g | %.4f %% | %s |\n", name, what, exact, ours,
           100 * relative_error(exact, ours), good ? "yes" : "**NO**");
    return good;
}

static bool check_quantiles(const char *name, const struct statistics_window *window,
                            const double *sorted, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < N_QUANTILES; i++) {
        double exact = sorted[(size_t)(quantiles[i] * (double)(count - 1))];
        double ours = statistics_quantile(window, quantiles[i]);
        char what[16];
        snprintf(what, sizeof what, "p%g", 100 * quantiles[i]);
        good &= row(name, what, exact, ours, relative_error(exact, ours) <= ALPHA);
    }
    return good;
}

/* By definition, in a wider type, in two passes. */
static bool check_moments(const char *name, const struct statistics_window *window,
                          const double *sorted, size_t count)
{
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    long double mean = sum / (long double)count;
    for (size_t i = 0; i < count; i++)
        squares += (sorted[i] - mean) * (sorted[i] - mean);
    double deviation = (double)sqrtl(squares / (long double)count);
    double room = ROUNDING * fmax(fabs(sorted[0]), fabs(sorted[count - 1]));
    double ours = statistics_deviation(window);
    bool good =
        row(name, "mean", (double)mean, window->mean, fabs(window->mean - (double)mean) <= room);
    good &=
        row(name, "deviation", deviation, ours, fabs(ours - deviation) <= 1e-7 * deviation + room);
    good &= row(name, "min", sorted[0], window->min,
                window->min >= sorted[0] && window->min <= sorted[0]);
    good &= row(name, "max", sorted[count - 1], window->max,
                window->max >= sorted[count - 1] && window->max <= sorted[count - 1]);
    return good;
}

/* Bucket by bucket, and through the octets in which a node would send it. */
static bool is_the_whole(const struct statistics_window *merged,
                         const struct statistics_window *whole)
{
    static uint8_t bytes[1 << 16];
    struct histogram decoded = {0};
    const char *why;
    size_t len = histogram_pack(&merged->histogram, bytes, sizeof bytes);
    bool good = len <= sizeof bytes && histogram_unpack(&decoded, bytes, len, &why) == 0 &&
                histogram_equal(&decoded, &whole->histogram);
    histogram_release(&decoded);
    return good && histogram_equal(&merged->histogram, &whole->histogram) &&
           merged->count == whole->count && merged->min >= whole->min &&
           merged->min <= whole->min && merged->max >= whole->max && merged->max <= whole->max;
}

static bool check_merge(const char *name, const double *values, size_t count,
                        const struct statistics_window *whole, struct statistics_window *merged)
{
    static struct statistics_window parts[PARTS];
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= statistics_window_add(&parts[i % PARTS], values[i]) == 0;
    for (size_t i = 0; i < PARTS; i++) {
        good &= statistics_merge(merged, &parts[i]) == 0;
        statistics_window_release(&parts[i]);
    }
    good &= is_the_whole(merged, whole);
    printf("| %s | %d parts merged | %" PRIu64 " | %" PRIu64 " | %s | %s |\n", name, PARTS,
           whole->count, merged->count, good ? "equal" : "different", good ? "yes" : "**NO**");
    return good;
}

static bool check(const struct distribution *distribution, double *values, size_t count)
{
    uint64_t seed = 1;
    struct statistics_window whole = {0}, merged = {0};
    const char *name = distribution->name;
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        values[i] = distribution->draw(&seed);
        good &= statistics_window_add(&whole, values[i]) == 0;
    }
    good &= check_merge(name, values, count, &whole, &merged);
    qsort(values, count, sizeof *values, compare);
    good &= check_quantiles(name, &whole, values, count);
    good &= check_moments(name, &whole, values, count);
    char of_parts[64];
    snprintf(of_parts, sizeof of_parts, "%s, merged", name);
    good &= check_moments(of_parts, &merged, values, count);
    statistics_window_release(&whole);
    statistics_window_release(&merged);
    return good;
}

int main(int argc, char **argv)
{
    long count = argc > 1 ? atol(argv[1]) : DEFAULT_COUNT;
    double *values = count > 0 ? calloc((size_t)count, sizeof *values) : NULL;
    if (!values) {
        fprintf(stderr, "usage: statistics [COUNT], 1 or more\n");
        return 2;
    }
    bool good = true;
    printf("%ld values of each distribution; quantiles may be 1 %% off\n\n", count);
    printf("| distribution | what | exact | ours | error | good |\n|---|---|---:|---:|---:|---|\n");
    for (size_t i = 0; i < sizeof distributions / sizeof distributions[0]; i++)
        good &= check(&distributions[i], values, (size_t)count);
    free(values);
    printf("\n%s\n", good ? "All within the bounds." : "NOT within the bounds.");
    return good ? 0 : 1;
}
