#include "analysis/forecast.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/line.h"
#include "analysis/quantile.h"

/* At most so many trials are made; they begin at places that are spread evenly. */
#define TRIALS_MOST 500

/* A model that has seen the first values of a series, one by one. */
struct model {
    enum forecast_method method;
    size_t seen;
    struct line line;
    struct holt_winters hw;
};

struct trials {
    const double *values;
    size_t n, period, horizon;
    size_t first, stride, most; /* place of the first trial; distance between trials; number of
                                 * trials */
    double *errors;             /* horizon arrays of most: the errors one step ahead, two steps
                                 * ahead, and so on */
    size_t *found;              /* of horizon: how many errors each array has */
    double sum, naive_sum;
    size_t pairs;
};

/* -- Models ----------------------------------------------------------------------------------- */

/* The parameters are fitted to the first n values. */
static int model_start(struct model *model, enum forecast_method method, const double *values,
                       size_t n, size_t period)
{
    *model = (struct model){.method = method};
    if (method == FORECAST_LINE)
        return 0;
    struct holt_winters_parameters parameters;
    int error = holt_winters_fit(values, n, period, true, &parameters, NULL);
    model->seen = period;
    return error ? error : holt_winters_start(&model->hw, values, n, period, parameters);
}

static void model_see(struct model *model, const double *values, size_t n)
{
    for (; model->seen < n; model->seen++) {
        double value = values[model->seen];
        if (model->method == FORECAST_HOLT_WINTERS)
            holt_winters_next(&model->hw, value);
        else if (isfinite(value))
            line_add(&model->line, (double)model->seen, value);
    }
}

static double model_ahead(const struct model *model, size_t steps)
{
    return model->method == FORECAST_HOLT_WINTERS
               ? holt_winters_ahead(&model->hw, steps)
               : line_at(&model->line, (double)(model->seen + steps - 1));
}

/* -- Trials ----------------------------------------------------------------------------------- */

/* The value one or more seasons before, or the last one without a season. NAN if there is none. */
static double naive_ahead(const struct trials *trials, size_t seen, size_t steps)
{
    size_t period = trials->period;
    if (!period) {
        while (seen > 0 && !isfinite(trials->values[seen - 1]))
            seen--;
        return seen ? trials->values[seen - 1] : NAN;
    }
    size_t place = seen + steps - 1;
    do {
        if (place < period)
            return NAN;
        place -= period;
    } while (place >= seen || !isfinite(trials->values[place]));
    return trials->values[place];
}

static void try_from(struct trials *trials, const struct model *model)
{
    size_t seen = model->seen;
    for (size_t steps = 1; steps <= trials->horizon && seen + steps <= trials->n; steps++) {
        double came = trials->values[seen + steps - 1], naive = naive_ahead(trials, seen, steps);
        double error = came - model_ahead(model, steps);
        if (!isfinite(error)) /* a gap, or the model has seen only gaps */
            continue;
        size_t *found = &trials->found[steps - 1];
        trials->errors[(steps - 1) * trials->most + (*found)++] = error;
        if (isfinite(naive)) {
            trials->sum += fabs(error);
            trials->naive_sum += fabs(came - naive);
            trials->pairs++;
        }
    }
}

static int try_all(struct trials *trials, enum forecast_method method)
{
    struct model model;
    int error = model_start(&model, method, trials->values, trials->first, trials->period);
    for (size_t i = 0; i < trials->most && !error; i++) {
        model_see(&model, trials->values, trials->first + i * trials->stride);
        try_from(trials, &model);
    }
    holt_winters_release(&model.hw);
    return error;
}

static int trials_start(struct trials *trials)
{
    size_t n = trials->n, seasons = 3 * trials->period;
    trials->first = 2 * n / 3 > seasons ? 2 * n / 3 : seasons;
    size_t left = n - trials->first;
    trials->stride = (left + TRIALS_MOST - 1) / TRIALS_MOST;
    trials->most = (left + trials->stride - 1) / trials->stride;
    trials->errors = calloc(trials->most * trials->horizon, sizeof *trials->errors);
    trials->found = calloc(trials->horizon, sizeof *trials->found);
    return trials->errors && trials->found ? 0 : ENOMEM;
}

/* -- The forecast ----------------------------------------------------------------------------- */

/* Of m errors and the one to come, the latter is equally likely to have any of the m + 1 ranks. */
static void set_interval(struct forecast_point *point, double *errors, size_t n, double level)
{
    double tail = (double)(n + 1) * (1 - level) / 2 + 1e-9;
    point->low = point->high = NAN;
    if (tail < 1)
        return;
    size_t below = (size_t)tail;
    quantile_sort(errors, n);
    point->low = point->value + errors[below - 1];
    point->high = point->value + errors[n - below];
}

static int set_points(struct forecast *out, struct trials *trials, enum forecast_method method,
                      double level)
{
    struct model model;
    int error = model_start(&model, method, trials->values, trials->n, trials->period);
    out->points = calloc(trials->horizon, sizeof *out->points);
    if (!error && out->points) {
        model_see(&model, trials->values, trials->n);
        out->n = trials->horizon;
        out->slope = line_slope(&model.line);
        out->parameters = model.hw.parameters;
        for (size_t i = 0; i < out->n; i++) {
            out->points[i].value = model_ahead(&model, i + 1);
            set_interval(&out->points[i], trials->errors + i * trials->most, trials->found[i],
                         level);
        }
    }
    holt_winters_release(&model.hw);
    return out->points ? error : ENOMEM;
}

static const char *refusal(enum forecast_method method, const double *values, size_t n,
                           size_t period)
{
    size_t found = 0;
    double squares = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            squares += values[i] * values[i] * (double)n * (double)n;
            found++;
        }
    if (found < FORECAST_LEAST)
        return "too few values";
    if (!isfinite(squares))
        return "the values are too large";
    if (method == FORECAST_LINE && !period)
        return NULL;
    if (!period)
        return "there is no season";
    return n / FORECAST_SEASONS < period || !holt_winters_may_start(values, 3 * period, period)
               ? "too few seasons"
               : NULL;
}

static int try_and_tell(enum forecast_method method, struct trials *trials, double level,
                        struct forecast *out)
{
    int error = trials_start(trials);
    if (!error)
        error = try_all(trials, method);
    if (error)
        return error;
    if (!trials->pairs) {
        out->why = "too few values";
        return 0;
    }
    out->trials = trials->most;
    out->error = trials->sum / (double)trials->pairs;
    out->naive = trials->naive_sum / (double)trials->pairs;
    if (!(out->error < out->naive)) {
        out->why = trials->period ? "it does no better than the value one season before"
                                  : "it does no better than the last value";
        return 0;
    }
    error = set_points(out, trials, method, level);
    out->is_known = !error;
    return error;
}

int forecast_of(enum forecast_method method, const double *values, size_t n, size_t period,
                size_t horizon, double level, struct forecast *out)
{
    struct trials trials = {.values = values, .n = n, .period = period, .horizon = horizon};
    *out = (struct forecast){.error = NAN, .naive = NAN};
    out->why = refusal(method, values, n, period);
    int error = out->why ? 0 : try_and_tell(method, &trials, level, out);
    free(trials.errors);
    free(trials.found);
    if (error)
        forecast_release(out);
    return error;
}

void forecast_release(struct forecast *forecast)
{
    free(forecast->points);
    forecast->points = NULL;
    forecast->n = 0;
}
