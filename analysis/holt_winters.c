#include "analysis/holt_winters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/line.h"
#include "analysis/nelder_mead.h"

/* -- The start -------------------------------------------------------------------------------- */

bool holt_winters_may_start(const double *values, size_t n, size_t period)
{
    if (period < 2 || n / 2 < period)
        return false;
    for (size_t place = 0; place < period; place++) {
        size_t i = place;
        while (i < n && !isfinite(values[i]))
            i += period;
        if (i >= n)
            return false;
    }
    return true;
}

static double mean_of_place(const double *values, size_t n, size_t period, size_t place)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = place; i < n; i += period)
        if (isfinite(values[i])) {
            sum += values[i];
            found++;
        }
    return sum / (double)found;
}

/* The mean over one period around a value; if the period is even, the first and the last value have
 * half the weight. */
static double moving_average(const double *filled, size_t period, size_t middle)
{
    size_t half = period / 2;
    const double *first = filled + middle - half;
    double sum = period % 2 ? first[0] : (first[0] + first[period]) / 2;
    for (size_t i = 1; i < period; i++)
        sum += first[i];
    return sum / (double)period;
}

/* filled: two periods without gaps. */
static void decompose(struct holt_winters *hw, const double *filled)
{
    size_t period = hw->period, from = period / 2, to = 2 * period - from;
    struct line line = {0};
    double mean = 0;
    memset(hw->season, 0, period * sizeof *hw->season);
    for (size_t i = from; i < to; i++) {
        double average = moving_average(filled, period, i), from_it = filled[i] - average;
        bool is_twice = i >= from + period; /* if the period is odd, one place occurs twice */
        line_add(&line, (double)(i - from + 1), average);
        hw->season[i % period] = is_twice ? (hw->season[i % period] + from_it) / 2 : from_it;
    }
    for (size_t i = 0; i < period; i++)
        mean += hw->season[i] / (double)period;
    for (size_t i = 0; i < period; i++)
        hw->season[i] -= mean;
    hw->level = line_at(&line, 0);
    hw->trend = line_slope(&line);
}

int holt_winters_start(struct holt_winters *hw, const double *values, size_t n, size_t period,
                       struct holt_winters_parameters parameters)
{
    double *filled = calloc(2 * period, sizeof *filled);
    *hw = (struct holt_winters){.parameters = parameters, .period = period};
    hw->season = calloc(period, sizeof *hw->season);
    if (!filled || !hw->season) {
        free(filled);
        holt_winters_release(hw);
        return ENOMEM;
    }
    for (size_t i = 0; i < 2 * period; i++)
        filled[i] = isfinite(values[i]) ? values[i] : mean_of_place(values, n, period, i % period);
    decompose(hw, filled);
    free(filled);
    return 0;
}

void holt_winters_release(struct holt_winters *hw)
{
    free(hw->season);
    hw->season = NULL;
}

/* -- Step by step ----------------------------------------------------------------------------- */

double holt_winters_next(struct holt_winters *hw, double value)
{
    const struct holt_winters_parameters *p = &hw->parameters;
    double *season = &hw->season[hw->next], trend = p->phi * hw->trend;
    double foretold = hw->level + trend, level = foretold, error = 0;
    hw->next = hw->next + 1 < hw->period ? hw->next + 1 : 0;
    if (isfinite(value)) {
        error = value - foretold - *season;
        level = p->alpha * (value - *season) + (1 - p->alpha) * foretold;
        *season = p->gamma * (value - level) + (1 - p->gamma) * *season;
        trend = p->beta * (level - hw->level) + (1 - p->beta) * trend;
    }
    hw->level = level;
    hw->trend = trend;
    return error;
}

double holt_winters_ahead(const struct holt_winters *hw, size_t steps)
{
    double phi = hw->parameters.phi, left = (double)steps;
    if (phi < 1)
        left = phi * (1 - pow(phi, (double)steps)) / (1 - phi);
    return hw->level + left * hw->trend + hw->season[(hw->next + steps - 1) % hw->period];
}

/* -- The parameters --------------------------------------------------------------------------- */

struct search {
    const double *values;
    size_t n;
    struct holt_winters begin;
    double *season; /* of period: a copy of begin's season */
};

static double into(double value, double least, double largest, double *outside)
{
    double in = fmin(fmax(value, least), largest);
    *outside += (value - in) * (value - in);
    return in;
}

/* A nelder_mead_function. Parameters outside of their ranges make the result larger, the more so
 * the farther they are outside. */
static double sum_of_squares(const double *at, void *context)
{
    struct search *search = context;
    struct holt_winters hw = search->begin;
    double outside = 0, squares = 0;
    hw.parameters.alpha = into(at[0], 0, 1, &outside);
    hw.parameters.beta = into(at[1], 0, 1, &outside);
    hw.parameters.gamma = into(at[2], 0, 1, &outside);
    if (hw.parameters.phi < 1)
        hw.parameters.phi = into(at[3], HOLT_WINTERS_DAMPING, 1, &outside);
    memcpy(hw.season, search->season, hw.period * sizeof *hw.season);
    for (size_t i = hw.period; i < search->n; i++) {
        double error = holt_winters_next(&hw, search->values[i]);
        squares += error * error;
    }
    return squares * (1 + outside);
}

/* The search starts at several places, for there may be several minima; it is repeated from the
 * best one, because a simplex may get stuck. */
static double search_parameters(struct search *search, size_t n, double *best)
{
    static const double starts[][4] = {{0.3, 0.1, 0.1, 0.95},
                                       {0.1, 0.01, 0.4, 0.9},
                                       {0.8, 0.05, 0.8, 0.98},
                                       {0.05, 0.5, 0.05, 0.85}};
    double least = INFINITY, again[4];
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        double at[4];
        memcpy(at, starts[i], sizeof at);
        double found = nelder_mead(sum_of_squares, search, at, n, 0.1, 1e-9, 400);
        if (i == 0 || found < least) {
            least = found;
            memcpy(best, at, sizeof at);
        }
    }
    memcpy(again, best, sizeof again);
    double found = nelder_mead(sum_of_squares, search, again, n, -0.05, 1e-12, 600);
    if (found <= least)
        memcpy(best, again, sizeof again);
    return fmin(found, least);
}

int holt_winters_fit(const double *values, size_t n, size_t period, bool is_damped,
                     struct holt_winters_parameters *parameters, double *squares)
{
    struct search search = {.values = values, .n = n};
    struct holt_winters_parameters unset = {.phi = is_damped ? 0.9 : 1};
    double best[4] = {0}, outside = 0;
    int error = holt_winters_start(&search.begin, values, n, period, unset);
    if (error)
        return error;
    search.season = calloc(period, sizeof *search.season);
    if (search.season) {
        memcpy(search.season, search.begin.season, period * sizeof *search.season);
        double found = search_parameters(&search, is_damped ? 4 : 3, best);
        *parameters = (struct holt_winters_parameters){
            into(best[0], 0, 1, &outside), into(best[1], 0, 1, &outside),
            into(best[2], 0, 1, &outside),
            is_damped ? into(best[3], HOLT_WINTERS_DAMPING, 1, &outside) : 1};
        if (squares)
            *squares = found;
    }
    holt_winters_release(&search.begin);
    error = search.season ? 0 : ENOMEM;
    free(search.season);
    return error;
}
