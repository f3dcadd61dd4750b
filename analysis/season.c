#include "analysis/season.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/autocorrelation.h"
#include "analysis/line.h"

/* The first maximum of at least this share of the largest one is taken for the season. */
#define NEARLY 0.9

struct place {
    double sum;
    size_t n;
};

/* A value is k / (k - 1) times as far from the mean of the k - 1 others as from that of all k. */
static double variance_left(const double *rest, size_t n, const struct place *places, size_t period,
                            double *all)
{
    double left = 0;
    *all = 0;
    for (size_t i = 0; i < n; i++) {
        const struct place *place = &places[i % period];
        if (!isfinite(rest[i]))
            continue;
        double size = (double)place->n, from = rest[i];
        if (place->n > 1)
            from = (rest[i] - place->sum / size) * size / (size - 1);
        left += from * from;
        *all += rest[i] * rest[i];
    }
    return left;
}

int season_strength(const double *rest, size_t n, size_t period, double *strength)
{
    struct place *places = calloc(period, sizeof *places);
    if (!places)
        return ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (isfinite(rest[i])) {
            places[i % period].sum += rest[i];
            places[i % period].n++;
        }
    double all, left = variance_left(rest, n, places, period, &all);
    *strength = all > 0 && isfinite(all) ? 1 - left / all : NAN;
    free(places);
    return 0;
}

/* Whether the autocorrelation at this lag is at least as large as beside it. */
static bool is_maximum(const double *r, size_t lag, size_t lags)
{
    return r[lag] >= r[lag - 1] && (lag == lags || r[lag] >= r[lag + 1]);
}

/* Returns 0 if there is none. */
static size_t first_maximum(const double *r, size_t lags, size_t from, double least)
{
    for (size_t lag = from; lag <= lags; lag++)
        if (r[lag] >= least && is_maximum(r, lag, lags))
            return lag;
    return 0;
}

static size_t candidate(const double *r, size_t lags)
{
    size_t from = 1, best = 0;
    while (from <= lags && !(r[from] < 0))
        from++;
    for (size_t lag = from; lag <= lags; lag++)
        if (r[lag] > 0 && is_maximum(r, lag, lags) && (!best || r[lag] > r[best]))
            best = lag;
    return best ? first_maximum(r, lags, from, NEARLY * r[best]) : 0;
}

/* Noise moves the maximum a little: among the periods close to it, this chooses the one that
 * accounts for most of the variance. */
static int refine(const double *rest, size_t n, size_t lags, struct season *season)
{
    size_t around = season->period / 20, middle = season->period;
    size_t from = middle - around, to = middle + around < lags ? middle + around : lags;
    for (size_t period = from; period <= to; period++) {
        double strength;
        int error = season_strength(rest, n, period, &strength);
        if (error)
            return error;
        if (isnan(season->strength) || strength > season->strength) {
            season->strength = strength;
            season->period = period;
        }
    }
    return 0;
}

static int find(const double *rest, size_t n, double *r, size_t lags, struct season *out)
{
    double band;
    int error = autocorrelation(rest, n, lags, r, &band);
    if (error)
        return error;
    if (isnan(r[0])) {
        out->why = "the values do not vary";
        return 0;
    }
    out->period = candidate(r, lags);
    if (out->period)
        error = refine(rest, n, lags, out);
    if (out->period)
        out->correlation = r[out->period];
    out->is_known = out->period && out->correlation > band && out->strength >= SEASON_STRENGTH;
    out->why = out->is_known ? NULL : "nothing repeats itself enough";
    return error;
}

int season_find(const double *values, size_t n, struct season *out)
{
    struct season season = {.correlation = NAN, .strength = NAN, .why = "too few values"};
    size_t lags = n / SEASON_CYCLES;
    int error = 0;
    if (lags >= 2) {
        double *rest = calloc(n, sizeof *rest), *r = calloc(lags + 1, sizeof *r);
        error = rest && r ? 0 : ENOMEM;
        if (!error) {
            line_remove(values, n, rest);
            error = find(rest, n, r, lags, &season);
        }
        free(rest);
        free(r);
    }
    if (!error)
        *out = season;
    return error;
}
