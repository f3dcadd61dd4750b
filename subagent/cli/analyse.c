#include "cli/analyse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/review.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/text.h"
#include "cli/question.h"
#include "cli/range.h"
#include "cli/recall.h"
#include "publish/curve.h"

#define POINTS_MOST 20000

struct inquiry {
    struct recall recall;
    struct question *question;
    struct range range;
    struct catalog_series series;
    struct curve curve;
    double *values; /* of the spans; a gap is NAN */
    size_t n;
    int64_t from_ms;
};

/* -- The values ------------------------------------------------------------------------------- */

static bool read_curve(struct inquiry *inquiry)
{
    const struct curve_question question = {.paths = inquiry->recall.paths,
                                            .n_paths = inquiry->recall.n_chosen,
                                            .sensor = inquiry->series.sensor,
                                            .instance = inquiry->series.instance,
                                            .from_ms = inquiry->range.from_ms,
                                            .to_ms = inquiry->range.to_ms,
                                            .step_ms = inquiry->range.step_ms,
                                            .most = REVIEW_SPANS};
    if (!recall_check(&inquiry->recall,
                      curve_read(inquiry->recall.history, &question, &inquiry->curve)))
        return false;
    if (inquiry->curve.n_values == 0)
        return question_fail(inquiry->question, EXIT_CUT, "nothing of that time in the history");
    return inquiry->curve.step_ms > 0 ||
           question_fail(inquiry->question, EXIT_CUT, "one value is no series");
}

static bool take_values(struct inquiry *inquiry)
{
    const struct curve *curve = &inquiry->curve;
    size_t first;
    inquiry->values = curve_means(curve, &inquiry->n, &first);
    if (!inquiry->values)
        return question_no_memory(inquiry->question);
    inquiry->from_ms = curve->slots[first].start_ms;
    return inquiry->n <= POINTS_MOST ||
           question_fail(inquiry->question, EXIT_USAGE,
                         "%zu spans of --step are too many: %d at most", inquiry->n, POINTS_MOST);
}

/* -- For programs ----------------------------------------------------------------------------- */

static bool set_text(json_t *object, const char *name, const char *text)
{
    char *clean = sheet_clean(text, strlen(text));
    bool is_good = clean && json_object_set_new(object, name, json_string(clean)) == 0;
    free(clean);
    return is_good;
}

static bool print_json(const struct inquiry *inquiry, const struct review *review)
{
    const struct catalog_series *series = &inquiry->series;
    json_t *object = review_json(review, inquiry->from_ms, inquiry->curve.step_ms);
    bool is_good = object && set_text(object, "node", inquiry->question->command->words[0]) &&
                   set_text(object, "sensor", series->sensor) &&
                   set_text(object, "instance", series->instance) &&
                   set_text(object, "unit", series->unit);
    char *text = is_good ? json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(object);
    if (text)
        fprintf(inquiry->question->to, "%s\n", text);
    free(text);
    return text || question_no_memory(inquiry->question);
}

/* -- For people ------------------------------------------------------------------------------- */

/* "5m", "24h", "1.5 s" */
static void span_text(char text[32], double ms)
{
    static const struct {
        double ms;
        const char *unit;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "m"}, {1000, "s"}, {1, "ms"}};
    size_t i = 0;
    while (i < 4 && fmod(ms, units[i].ms) != 0)
        i++;
    text_format(text, 32, "%.6g%s", ms / units[i].ms, units[i].unit);
}

static bool print_title(const struct inquiry *inquiry)
{
    char text[512], step[32], from[DECIMAL_SIZE];
    const struct recall *recall = &inquiry->recall;
    span_text(step, (double)inquiry->curve.step_ms);
    date_to_text(from, inquiry->from_ms);
    text_format(text, sizeof text, "%s%s %s %s%s%s: %zu spans of %s from %s",
                recall_name(recall->chosen[0]), recall->n_chosen > 1 ? " and others" : "",
                inquiry->series.sensor, inquiry->series.instance,
                inquiry->series.unit[0] ? ", " : "", inquiry->series.unit, inquiry->n, step, from);
    char *clean = sheet_clean(text, strlen(text));
    if (!clean)
        return question_no_memory(inquiry->question);
    fprintf(inquiry->question->to, "%s\n", clean);
    free(clean);
    return true;
}

static void print_distribution(FILE *to, const struct distribution *d)
{
    fprintf(to,
            "values       %zu, gaps %zu; mean %.6g, deviation %.4g, lowest %.6g, highest %.6g\n",
            d->n, d->gaps, d->mean, d->deviation, d->least, d->largest);
    fputs("percentiles ", to);
    for (size_t i = 0; i < DISTRIBUTION_QUANTILES; i++)
        fprintf(to, "%s %g: %.5g", i ? "," : "", 100 * distribution_probability[i], d->quantile[i]);
    fprintf(to, "\nshape        skewness %.3g, excess %.3g (0 and 0: normal)\n", d->skewness,
            d->excess);
}

static void print_fit(FILE *to, enum fit_family family, const struct fit *fit)
{
    if (!fit->is_known)
        fprintf(to, "%-12s not known: %s\n", fit_name(family), fit->why);
    else
        fprintf(to, "%-12s %s: D %.4f, p %.3f; A2 %.4g, p %.3f\n", fit_name(family),
                fit->distance_p < 0.05 || fit->square_p < 0.05 ? "no" : "may be", fit->distance,
                fit->distance_p, fit->square, fit->square_p);
}

/* How long values resemble each other: up to the first lag whose correlation is within the band of
 * white noise. */
static void print_autocorrelation(FILE *to, const struct review *review, int64_t step_ms)
{
    char text[32];
    size_t lag = 1;
    if (review->lags < 1 || isnan(review->r[0])) {
        fputs("resemblance  not known: the values do not vary, or are too few\n", to);
        return;
    }
    while (lag <= review->lags && !(fabs(review->r[lag]) < review->band))
        lag++;
    span_text(text, (double)step_ms * (double)lag);
    fprintf(to, "resemblance  to the value before %.3f, %s %s (chance: %.3f)\n", review->r[1],
            lag > review->lags ? "and more than chance for longer than" : "gone after", text,
            review->band);
}

static void print_season(FILE *to, const struct season *season, int64_t step_ms)
{
    char text[32];
    span_text(text, (double)step_ms * (double)season->period);
    if (season->is_known)
        fprintf(to, "season       %s, which accounts for %.0f %% of the variance\n", text,
                100 * season->strength);
    else
        fprintf(to, "season       not known: %s\n", season->why);
}

static void print_point(FILE *to, const struct forecast_point *point, int64_t ms)
{
    char time[DECIMAL_SIZE];
    date_to_text(time, ms);
    fprintf(to, "  %s  %.6g", time, point->value);
    if (isfinite(point->low))
        fprintf(to, "  %g %% within %.6g and %.6g", 100 * REVIEW_LEVEL, point->low, point->high);
    fputs("\n", to);
}

/* Some of the points: the first, the last, and six in between. */
static void print_forecast(FILE *to, const char *name, const struct forecast *f, int64_t next_ms,
                           int64_t step_ms)
{
    if (!f->is_known)
        fprintf(to, "%-12s not known: %s\n", name, f->why);
    else
        fprintf(to, "%-12s off by %.4g on the average of its trials, the naive one by %.4g\n", name,
                f->error, f->naive);
    size_t stride = f->n / 7 + 1;
    for (size_t i = 0; i < f->n; i++)
        if (i % stride == 0 || i == f->n - 1)
            print_point(to, &f->points[i], next_ms + (int64_t)i * step_ms);
}

static void print_text(const struct inquiry *inquiry, const struct review *review)
{
    FILE *to = inquiry->question->to;
    int64_t step_ms = inquiry->curve.step_ms;
    int64_t next_ms = inquiry->from_ms + (int64_t)inquiry->n * step_ms;
    if (!print_title(inquiry))
        return;
    print_distribution(to, &review->distribution);
    for (int family = 0; family < FIT_FAMILIES; family++)
        print_fit(to, (enum fit_family)family, &review->fits[family]);
    print_autocorrelation(to, review, step_ms);
    print_season(to, &review->season, step_ms);
    print_forecast(to, "line", &review->line, next_ms, step_ms);
    print_forecast(to, "Holt-Winters", &review->holt_winters, next_ms, step_ms);
}

/* -- All -------------------------------------------------------------------------------------- */

static void analyse(struct inquiry *inquiry)
{
    struct review review = {0};
    if (review_of(inquiry->values, inquiry->n, &review))
        question_no_memory(inquiry->question);
    else if (inquiry->question->command->format == SHEET_JSON)
        print_json(inquiry, &review);
    else
        print_text(inquiry, &review);
    review_release(&review);
}

enum exit_status analyse_run(const struct command *command, struct client *client, FILE *to,
                             FILE *errors)
{
    struct question question = {
        .command = command, .client = client, .to = to, .errors = errors, .status = EXIT_GOOD};
    struct inquiry inquiry = {.question = &question};
    char *const *words = command->words;
    char error[512];
    if (!range_read(command, clock_now().wall_ms, &inquiry.range, error))
        question_fail(&question, EXIT_USAGE, "%s", error);
    else if (command->format == SHEET_TSV)
        question_fail(&question, EXIT_USAGE, "--tsv: this is no table; --json has all of it");
    else if (recall_open(&inquiry.recall, &question) && recall_choose(&inquiry.recall, words[0]) &&
             recall_find(&inquiry.recall, words[1], command->n_words > 2 ? words[2] : NULL,
                         &inquiry.series) &&
             read_curve(&inquiry) && take_values(&inquiry))
        analyse(&inquiry);
    free(inquiry.values);
    curve_release(&inquiry.curve);
    recall_release(&inquiry.series);
    recall_close(&inquiry.recall);
    return question.status;
}
