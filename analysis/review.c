#include "analysis/review.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/autocorrelation.h"

/* It is constant, so that the same series gives the same review. */
#define SEED 1

/* -- What there is to say --------------------------------------------------------------------- */

static int set_fits(struct review *review, const double *values, size_t n)
{
    double *sorted = distribution_sorted(values, &n);
    int error = sorted ? 0 : ENOMEM;
    for (int family = 0; family < FIT_FAMILIES && !error; family++)
        error = fit_test(sorted, n, (enum fit_family)family, SEED, &review->fits[family]);
    free(sorted);
    return error;
}

static int set_autocorrelation(struct review *review, const double *values, size_t n)
{
    review->lags = n / SEASON_CYCLES < REVIEW_LAGS ? n / SEASON_CYCLES : REVIEW_LAGS;
    review->r = n ? calloc(review->lags + 1, sizeof *review->r) : NULL;
    if (!n)
        return 0;
    return review->r ? autocorrelation(values, n, review->lags, review->r, &review->band) : ENOMEM;
}

static int set_forecasts(struct review *review, const double *values, size_t n)
{
    size_t period = review->season.is_known ? review->season.period : 0;
    size_t ahead = period ? period : n / 10 + 1;
    ahead = ahead < REVIEW_AHEAD ? ahead : REVIEW_AHEAD;
    int error = forecast_of(FORECAST_LINE, values, n, period, ahead, REVIEW_LEVEL, &review->line);
    return error ? error
                 : forecast_of(FORECAST_HOLT_WINTERS, values, n, period, ahead, REVIEW_LEVEL,
                               &review->holt_winters);
}

int review_of(const double *values, size_t n, struct review *review)
{
    *review = (struct review){.n = n, .band = NAN};
    int error = distribution_of(values, n, &review->distribution);
    if (!error)
        error = set_fits(review, values, n);
    if (!error)
        error = set_autocorrelation(review, values, n);
    if (!error)
        error = season_find(values, n, &review->season);
    return error ? error : set_forecasts(review, values, n);
}

void review_release(struct review *review)
{
    free(review->r);
    review->r = NULL;
    forecast_release(&review->line);
    forecast_release(&review->holt_winters);
}

/* -- As JSON. jansson accepts a NULL and returns NULL at the end: see CONTRIBUTING. ------------ */

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *reason(bool is_known, const char *why)
{
    return is_known || !why ? json_null() : json_string(why);
}

/* Takes ownership of the item, which may be NULL. */
static void append(json_t **array, json_t *item)
{
    if (json_array_append_new(*array, item)) {
        json_decref(*array);
        *array = NULL;
    }
}

static json_t *distribution_json(const struct distribution *d)
{
    json_t *quantiles = json_array();
    for (size_t i = 0; i < DISTRIBUTION_QUANTILES && d->n; i++)
        append(&quantiles, json_pack("[fo]", distribution_probability[i], number(d->quantile[i])));
    if (!d->n)
        return json_pack("{s:i, s:I, s:o}", "n", 0, "gaps", (json_int_t)d->gaps, "quantiles",
                         quantiles);
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "n", (json_int_t)d->n, "gaps",
                     (json_int_t)d->gaps, "mean", number(d->mean), "deviation",
                     number(d->deviation), "skewness", number(d->skewness), "excess",
                     number(d->excess), "min", number(d->least), "max", number(d->largest),
                     "quantiles", quantiles);
}

static json_t *fit_json(enum fit_family family, const struct fit *fit)
{
    if (!fit->is_known)
        return json_pack("{s:s, s:b, s:o}", "family", fit_name(family), "known", 0, "why",
                         reason(false, fit->why));
    return json_pack("{s:s, s:b, s:o, s:[oo], s:o, s:o, s:o, s:o}", "family", fit_name(family),
                     "known", 1, "why", json_null(), "parameters", number(fit->parameter[0]),
                     number(fit->parameter[1]), "distance", number(fit->distance), "distance_p",
                     number(fit->distance_p), "square", number(fit->square), "square_p",
                     number(fit->square_p));
}

static json_t *fits_json(const struct review *review)
{
    json_t *fits = json_array();
    for (int family = 0; family < FIT_FAMILIES; family++)
        append(&fits, fit_json((enum fit_family)family, &review->fits[family]));
    return fits;
}

static json_t *autocorrelation_json(const struct review *review)
{
    json_t *r = json_array();
    for (size_t i = 0; review->r && i <= review->lags; i++)
        append(&r, number(review->r[i]));
    return json_pack("{s:o, s:o}", "band", number(review->band), "r", r);
}

static json_t *season_json(const struct season *season, int64_t step_ms)
{
    return json_pack("{s:b, s:o, s:I, s:o, s:o}", "known", (int)season->is_known, "why",
                     reason(season->is_known, season->why), "period",
                     (json_int_t)season->period * step_ms, "correlation",
                     number(season->correlation), "strength", number(season->strength));
}

static json_t *forecast_json(const struct forecast *f, const char *method, int64_t next_ms,
                             int64_t step_ms)
{
    const struct holt_winters_parameters *p = &f->parameters;
    bool is_smooth = f->is_known && p->phi > 0;
    json_t *points = json_array();
    for (size_t i = 0; i < f->n; i++)
        append(&points, json_pack("[Iooo]", (json_int_t)(next_ms + (int64_t)i * step_ms),
                                  number(f->points[i].value), number(f->points[i].low),
                                  number(f->points[i].high)));
    return json_pack(
        "{s:s, s:b, s:o, s:f, s:I, s:o, s:o, s:o, s:o, s:o}", "method", method, "known",
        (int)f->is_known, "why", reason(f->is_known, f->why), "level", REVIEW_LEVEL, "trials",
        (json_int_t)f->trials, "error", number(f->error), "naive_error", number(f->naive), "slope",
        f->is_known && !is_smooth ? number(f->slope) : json_null(), "parameters",
        is_smooth ? json_pack("[ffff]", p->alpha, p->beta, p->gamma, p->phi) : json_null(),
        "points", points);
}

json_t *review_json(const struct review *review, int64_t from_ms, int64_t step_ms)
{
    int64_t next_ms = from_ms + (int64_t)review->n * step_ms;
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:[oo]}", "from", (json_int_t)from_ms, "step",
                     (json_int_t)step_ms, "distribution", distribution_json(&review->distribution),
                     "fits", fits_json(review), "autocorrelation", autocorrelation_json(review),
                     "season", season_json(&review->season, step_ms), "forecasts",
                     forecast_json(&review->line, "line", next_ms, step_ms),
                     forecast_json(&review->holt_winters, "holt-winters", next_ms, step_ms));
}
