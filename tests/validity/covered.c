/* covered PAIRS: how often two series of one process differ beyond chance at 0.95, by
 * analysis/bootstrap.h, of so many pairs for each statistic, length and process. Prints a table in
 * Markdown for doc/validity.md; 1: something is out of its bound.
 *
 * In a process each value has a part of the one before. Of short series that resemble themselves
 * for long, percentiles are beyond chance too often; bounds say how much that may be, and to them
 * comes what so many pairs leave to chance: four standard errors. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/bootstrap.h"
#include "analysis/normal.h"
#include "analysis/random.h"

#define LENGTH_MOST 3600

static const struct {
    const char *name;
    enum bootstrap_statistic statistic;
    double bound[3]; /* percent more or less than 5: of parts below 0.9, and of 0.9 with few and
                      * with more values */
} statistics[] = {{"mean", BOOTSTRAP_MEAN, {1, 1, 1}},
                  {"median", BOOTSTRAP_MEDIAN, {4, 14, 4}},
                  {"90th percentile", BOOTSTRAP_P90, {4, 14, 4}},
                  {"95th percentile", BOOTSTRAP_P95, {4, 14, 4}},
                  {"99th percentile", BOOTSTRAP_P99, {4, 14, 4}}};
static const size_t lengths[] = {60, 600, LENGTH_MOST};
static const double parts[] = {0, 0.45, 0.9};

static void make(double *values, size_t n, double part, struct random_state *random)
{
    double x = normal_quantile(random_unit(random)) / sqrt(1 - part * part);
    for (size_t i = 0; i < n; i++) {
        values[i] = x;
        x = part * x + normal_quantile(random_unit(random));
    }
}

/* Percent of the pairs; NAN where nothing is said of so few values. */
static double beyond(enum bootstrap_statistic statistic, size_t n, double part, long pairs)
{
    static double a[LENGTH_MOST], b[LENGTH_MOST];
    struct random_state random = {1};
    long found = 0;
    for (long i = 0; i < pairs; i++) {
        struct bootstrap_interval out;
        make(a, n, part, &random);
        make(b, n, part, &random);
        if (bootstrap_difference(a, n, b, n, statistic, 0.95, (uint64_t)i, &out)) {
            fputs("covered: no memory\n", stderr);
            exit(2);
        }
        if (!out.is_known)
            return NAN;
        found += out.beyond_chance;
    }
    return 100 * (double)found / (double)pairs;
}

static bool say(size_t statistic, size_t length, size_t part, long pairs)
{
    double percent = beyond(statistics[statistic].statistic, lengths[length], parts[part], pairs);
    double bound = statistics[statistic].bound[part < 2      ? 0
                                               : length == 0 ? 1
                                                             : 2] +
                   400 * sqrt(0.05 * 0.95 / (double)pairs);
    bool is_good = isnan(percent) || fabs(percent - 5) <= bound;
    if (!isnan(percent))
        printf("| %s | %zu | %g | %ld | %.1f %% | 5 +- %.1f %% | %s |\n",
               statistics[statistic].name, lengths[length], parts[part], pairs, percent, bound,
               is_good ? "pass" : "**FAIL**");
    return is_good;
}

int main(int argc, char **argv)
{
    long pairs = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    int failed = 0;
    if (pairs < 1) {
        fputs("covered: expected PAIRS\n", stderr);
        return 2;
    }
    puts("| statistic | values | part of the one before | pairs | beyond chance | bound | verdict "
         "|\n"
         "| --- | ---: | ---: | ---: | ---: | ---: | --- |");
    for (size_t statistic = 0; statistic < sizeof statistics / sizeof *statistics; statistic++)
        for (size_t length = 0; length < sizeof lengths / sizeof *lengths; length++)
            for (size_t part = 0; part < sizeof parts / sizeof *parts; part++)
                failed |= !say(statistic, length, part, pairs);
    return failed;
}
