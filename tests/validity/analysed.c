/* What analysis/ computes of series, for analysis.R, which compares it with what R does.
 *
 *   analysed acf LAGS                         r of each lag from 0, and the band
 *   analysed distribution                     n, mean, deviation, least, largest, quantiles
 *   analysed fit FAMILY SEED                  for each: parameters, D and its p, A^2 and its p
 *   analysed season                           period (0: none), strength
 *   analysed holt PERIOD ALPHA BETA GAMMA N   squares of the errors, level, trend, N values ahead
 *   analysed fitted PERIOD N                  the same with parameters that were found, and these
 *   analysed block                            the length of blocks for means
 *   analysed difference FILE STATISTIC LEVEL SEED    difference, low, high, both lengths of blocks
 *
 * The series is the standard input, a number or NA in each line; FILE is another one. FAMILY and
 * STATISTIC are numbers of their enumerations. Prints a number in each line, with all its digits.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/autocorrelation.h"
#include "analysis/bootstrap.h"
#include "analysis/distribution.h"
#include "analysis/fit.h"
#include "analysis/holt_winters.h"
#include "analysis/season.h"

struct series {
    double *values;
    size_t n;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "analysed: %s\n", what);
    exit(2);
}

static void say(double number)
{
    printf("%.17g\n", number);
}

static struct series read_series(FILE *from)
{
    struct series series = {0};
    char word[64];
    while (from && fscanf(from, "%63s", word) == 1) {
        double *more = reallocarray(series.values, series.n + 1, sizeof *more);
        if (!more)
            fail("no memory");
        series.values = more;
        series.values[series.n++] = strcmp(word, "NA") == 0 ? NAN : strtod(word, NULL);
    }
    if (!series.n)
        fail("there is no series");
    return series;
}

static int say_acf(struct series s, char **given)
{
    size_t lags = strtoul(given[0], NULL, 10);
    double *r = calloc(lags + 1, sizeof *r), band;
    int error = r && lags < s.n ? autocorrelation(s.values, s.n, lags, r, &band) : 1;
    for (size_t i = 0; i <= lags && !error; i++)
        say(r[i]);
    if (!error)
        say(band);
    free(r);
    return error;
}

static int say_distribution(struct series s, char **given)
{
    (void)given;
    struct distribution d;
    int error = distribution_of(s.values, s.n, &d);
    const double numbers[] = {(double)d.n, d.mean, d.deviation, d.least, d.largest};
    for (size_t i = 0; i < 5 && !error; i++)
        say(numbers[i]);
    for (size_t i = 0; i < DISTRIBUTION_QUANTILES && !error; i++)
        say(d.quantile[i]);
    return error;
}

static int say_fit(struct series s, char **given)
{
    struct fit fit;
    double *sorted = distribution_sorted(s.values, &s.n);
    if (!sorted ||
        fit_test(sorted, s.n, (enum fit_family)atoi(given[0]), strtoull(given[1], NULL, 10),
                 &fit) ||
        !fit.is_known)
        return 1;
    const double numbers[] = {fit.parameter[0], fit.parameter[1], fit.distance,
                              fit.distance_p,   fit.square,       fit.square_p};
    for (size_t i = 0; i < 6; i++)
        say(numbers[i]);
    free(sorted);
    return 0;
}

static int say_season(struct series s, char **given)
{
    (void)given;
    struct season season;
    int error = season_find(s.values, s.n, &season);
    say(season.is_known ? (double)season.period : 0);
    say(season.strength);
    return error;
}

static int say_holt_winters(struct series s, size_t period,
                            struct holt_winters_parameters parameters, size_t ahead)
{
    struct holt_winters hw;
    double squares = 0;
    if (holt_winters_start(&hw, s.values, s.n, period, parameters))
        return 1;
    for (size_t i = period; i < s.n; i++) {
        double error = holt_winters_next(&hw, s.values[i]);
        squares += error * error;
    }
    say(squares);
    say(hw.level);
    say(hw.trend);
    for (size_t i = 1; i <= ahead; i++)
        say(holt_winters_ahead(&hw, i));
    holt_winters_release(&hw);
    return 0;
}

static int say_holt(struct series s, char **given)
{
    struct holt_winters_parameters parameters = {strtod(given[1], NULL), strtod(given[2], NULL),
                                                 strtod(given[3], NULL), 1};
    return say_holt_winters(s, strtoul(given[0], NULL, 10), parameters,
                            strtoul(given[4], NULL, 10));
}

static int say_fitted(struct series s, char **given)
{
    struct holt_winters_parameters p;
    size_t period = strtoul(given[0], NULL, 10);
    if (!holt_winters_may_start(s.values, s.n, period) ||
        holt_winters_fit(s.values, s.n, period, false, &p, NULL))
        return 1;
    say(p.alpha);
    say(p.beta);
    say(p.gamma);
    return say_holt_winters(s, period, p, strtoul(given[1], NULL, 10));
}

static int say_block(struct series s, char **given)
{
    (void)given;
    say((double)bootstrap_block_length(s.values, s.n));
    return 0;
}

static int say_difference(struct series s, char **given)
{
    struct bootstrap_interval out;
    FILE *file = fopen(given[0], "r");
    struct series other = read_series(file);
    fclose(file);
    int error = bootstrap_difference(s.values, s.n, other.values, other.n,
                                     (enum bootstrap_statistic)atoi(given[1]),
                                     strtod(given[2], NULL), strtoull(given[3], NULL, 10), &out);
    free(other.values);
    if (error || !out.is_known)
        return 1;
    const double numbers[] = {out.difference, out.low, out.high, (double)out.block_a,
                              (double)out.block_b};
    for (size_t i = 0; i < 5; i++)
        say(numbers[i]);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int arguments;
        int (*say)(struct series, char **);
    } questions[] = {{"acf", 1, say_acf},     {"distribution", 0, say_distribution},
                     {"fit", 2, say_fit},     {"season", 0, say_season},
                     {"holt", 5, say_holt},   {"fitted", 2, say_fitted},
                     {"block", 0, say_block}, {"difference", 4, say_difference}};
    for (size_t i = 0; i < sizeof questions / sizeof *questions && argc > 1; i++)
        if (strcmp(argv[1], questions[i].name) == 0 && argc - 2 == questions[i].arguments) {
            struct series series = read_series(stdin);
            int error = questions[i].say(series, argv + 2);
            free(series.values);
            return error;
        }
    fail("what?");
}
