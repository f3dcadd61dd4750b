#include "runs/picture.h"

#include <cairo-svg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/quantile.h"
#include "base/text.h"
#include "plot/draw.h"

#define WIDTH 620
#define HEIGHT 300
#define SLOTS 120    /* of a curve, at most */
#define PER_SLOT 4   /* values, at least, on average */
#define PERCENTS 200 /* points of a curve of quantiles */

/* A value with its time since the start of the run. */
struct moment {
    int64_t ms;
    double value;
};

struct moments {
    struct moment *list; /* ascending */
    size_t n;
};

struct picture {
    struct figure figure;
    struct figure_point *points[2];
    char names[2][RUN_NAME_MAX + 8];
    char title[WORDING_NAME_SIZE], unit[WORDING_SIZE];
};

/* -- What there is --------------------------------------------------------------------------- */

static int order_moments(const void *a, const void *b)
{
    const struct moment *one = a, *other = b;
    return (one->ms > other->ms) - (one->ms < other->ms);
}

static struct moments moments_of_records(const struct run *run, const struct run_series *series)
{
    struct moments moments = {calloc(series->n_records + 1, sizeof *moments.list), 0};
    for (size_t i = 0; moments.list && i < series->n_records; i++)
        moments.list[moments.n++] = (struct moment){
            series->records[i].start_ns / 1000000 - run->start_ms, series->records[i].seconds};
    return moments;
}

static struct moments moments_of_points(const struct run *run, const struct run_series *series)
{
    struct moments moments = {calloc(series->n_points + 1, sizeof *moments.list), 0};
    for (size_t i = 0; moments.list && i < series->n_points; i++)
        moments.list[moments.n++] =
            (struct moment){series->points[i].ms - run->start_ms, series->points[i].value};
    return moments;
}

/* By how much a counter grew in a second. */
static void differentiate(struct moments *moments)
{
    size_t n = 0;
    for (size_t i = 1; i < moments->n; i++) {
        const struct moment *at = &moments->list[i], *before = at - 1;
        if (at->ms > before->ms && at->value >= before->value)
            moments->list[n++] = (struct moment){at->ms, (at->value - before->value) * 1e3 /
                                                             (double)(at->ms - before->ms)};
    }
    moments->n = n;
}

static struct moments moments_of_minutes(const struct run *run, const struct run_series *series)
{
    struct moments moments = {calloc(series->n_minutes + 1, sizeof *moments.list), 0};
    for (size_t i = 0; moments.list && i < series->n_minutes; i++)
        moments.list[moments.n++] = (struct moment){
            series->minutes[i].start_ms - run->start_ms + 30000, series->minutes[i].window.mean};
    return moments;
}

static struct moments moments_of(const struct run *run, const struct run_series *series,
                                 const struct compare_row *row)
{
    bool is_growth = row->statistic == COMPARE_RATE && !row->is_step;
    struct moments moments = row->is_step           ? moments_of_records(run, series)
                             : series->n_points > 0 ? moments_of_points(run, series)
                                                    : moments_of_minutes(run, series);
    if (is_growth && moments.n > 0)
        differentiate(&moments);
    if (moments.n > 0)
        qsort(moments.list, moments.n, sizeof *moments.list, order_moments);
    return moments;
}

/* -- Over the time --------------------------------------------------------------------------- */

static struct figure_point point_of(const struct moment *moments, size_t n, int64_t ms,
                                    double *values)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i] = moments[i].value;
    quantile_sort(values, n);
    return (struct figure_point){.ms = ms,
                                 .mean = sum / (double)n,
                                 .min = values[0],
                                 .max = values[n - 1],
                                 .p10 = quantile_of(values, n, 0.1),
                                 .p90 = quantile_of(values, n, 0.9)};
}

static size_t slots_of(size_t n)
{
    size_t slots = n / PER_SLOT;
    return slots < 1 ? 1 : slots > SLOTS ? SLOTS : slots;
}

/* How many executions there were per second in each slot; without executions, the rate is 0. */
static void take_rate(const struct moments *moments, int64_t length_ms, size_t slots,
                      struct figure_series *series)
{
    double seconds = (double)length_ms / 1e3 / (double)slots;
    for (size_t slot = 0, i = 0; slot < slots; slot++) {
        double end_ms = (double)length_ms * (double)(slot + 1) / (double)slots;
        size_t from = i;
        while (i < moments->n && ((double)moments->list[i].ms < end_ms || slot + 1 == slots))
            i++;
        double rate = (double)(i - from) / seconds;
        series->points[series->n++] = (struct figure_point){.ms = (int64_t)(end_ms - seconds * 1e3),
                                                            .mean = rate,
                                                            .min = rate,
                                                            .max = rate,
                                                            .p10 = rate,
                                                            .p90 = rate};
    }
}

static void take_slots(const struct moments *moments, int64_t length_ms, size_t slots,
                       double *values, struct figure_series *series)
{
    for (size_t slot = 0, i = 0; slot < slots; slot++) {
        double end_ms = (double)length_ms * (double)(slot + 1) / (double)slots;
        size_t from = i;
        while (i < moments->n && ((double)moments->list[i].ms < end_ms || slot + 1 == slots))
            i++;
        int64_t ms = (int64_t)((double)length_ms * (double)slot / (double)slots);
        series->points[series->n++] = i > from
                                          ? point_of(moments->list + from, i - from, ms, values)
                                          : (struct figure_point){.ms = ms, .is_gap = true};
    }
}

static bool take_curve(const struct run *run, const struct run_series *from,
                       const struct compare_row *row, struct figure_series *series)
{
    struct moments moments = moments_of(run, from, row);
    int64_t length_ms = run->stop_ms - run->start_ms;
    size_t slots = slots_of(moments.n);
    double *values = calloc(moments.n + 1, sizeof *values);
    bool good = moments.list && values;
    if (good && moments.n > 0 && length_ms > 0) {
        series->step_ms = length_ms / (int64_t)slots;
        if (row->is_step && row->statistic == COMPARE_RATE)
            take_rate(&moments, length_ms, slots, series);
        else
            take_slots(&moments, length_ms, slots, values, series);
    }
    free(moments.list);
    free(values);
    return good;
}

/* -- As quantiles ---------------------------------------------------------------------------- */

static void add_quantile(struct figure_series *series, double percent, double value)
{
    series->points[series->n++] = (struct figure_point){.ms = llround(percent * 1000),
                                                        .mean = value,
                                                        .min = value,
                                                        .max = value,
                                                        .p10 = value,
                                                        .p90 = value};
}

static bool quantiles_of_minutes(const struct run_series *from, struct figure_series *series)
{
    struct statistics_window all = {.count = 0};
    int error = 0;
    for (size_t i = 0; i < from->n_minutes && !error; i++)
        error = statistics_merge(&all, &from->minutes[i].window);
    for (int i = 0; i <= PERCENTS && !error && all.histogram.count > 0; i++)
        add_quantile(series, 100.0 * i / PERCENTS, statistics_quantile(&all, (double)i / PERCENTS));
    statistics_window_release(&all);
    return !error;
}

static bool quantiles_of_records(const struct run_series *from, struct figure_series *series)
{
    double *sorted = calloc(from->n_records + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < from->n_records; i++)
        sorted[i] = from->records[i].seconds;
    quantile_sort(sorted, from->n_records);
    for (int i = 0; i <= PERCENTS && from->n_records > 0; i++)
        add_quantile(series, 100.0 * i / PERCENTS,
                     quantile_of(sorted, from->n_records, (double)i / PERCENTS));
    free(sorted);
    return true;
}

static bool take_quantiles(const struct run *run, const struct run_series *from,
                           const struct compare_row *row, struct figure_series *series)
{
    (void)run;
    return row->is_step ? quantiles_of_records(from, series) : quantiles_of_minutes(from, series);
}

/* -- Drawn ----------------------------------------------------------------------------------- */

/* A cairo_write_func_t. */
static cairo_status_t take_octets(void *context, const unsigned char *octets, unsigned n)
{
    struct octets *svg = context;
    octets_add(svg, (const char *)octets, n);
    return svg->failed ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

static bool draw(const struct figure *figure, struct octets *svg)
{
    cairo_surface_t *surface =
        cairo_svg_surface_create_for_stream(take_octets, svg, figure->width, figure->height);
    cairo_t *cairo = cairo_create(surface);
    draw_figure(cairo, figure);
    cairo_destroy(cairo);
    cairo_surface_finish(surface);
    bool good = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS;
    cairo_surface_destroy(surface);
    return good && !svg->failed;
}

/* Base64 (RFC 4648, section 4). */
static void add_base64(struct octets *to, const struct octets *from)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < from->len; i += 3) {
        size_t n = from->len - i < 3 ? from->len - i : 3;
        uint32_t bits = 0;
        char four[4];
        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < n ? (unsigned char)from->at[i + k] : 0);
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= n ? digits[bits >> (18 - 6 * k) & 63] : '=';
        octets_add(to, four, 4);
    }
}

static bool add_picture(struct picture *picture, const char *alternative, struct octets *to)
{
    struct octets svg = {0};
    bool good = draw(&picture->figure, &svg);
    if (good) {
        octets_add_text(to, "<img alt=\"");
        octets_add_text(to, alternative);
        octets_add_text(to, "\" width=\"620\" height=\"300\" src=\"data:image/svg+xml;base64,");
        add_base64(to, &svg);
        octets_add_text(to, "\">\n");
    }
    octets_release(&svg);
    return good && !to->failed;
}

static void name_curves(const struct print_subject *subject, const struct compare_row *row,
                        const char *what, struct picture *picture)
{
    struct figure *figure = &picture->figure;
    wording_name(subject->a, row, picture->title);
    text_format(picture->title + strlen(picture->title),
                sizeof picture->title - strlen(picture->title), "%s", what);
    text_clean(picture->title, sizeof picture->title, '?');
    wording_unit(row, picture->unit);
    text_clean(picture->unit, sizeof picture->unit, '?');
    figure->title = picture->title;
    figure->unit = picture->unit;
    for (int side = 0; side < 2; side++) {
        text_format(picture->names[side], sizeof picture->names[side], "%c  %s", side ? 'B' : 'A',
                    (side ? subject->b : subject->a)->name);
        figure->series[side].name = picture->names[side];
        figure->series[side].points = picture->points[side];
    }
}

/* Short times are drawn in ms or us. */
static void scale_times(struct picture *picture)
{
    struct figure *figure = &picture->figure;
    double least, largest;
    if (strcmp(picture->unit, "s") != 0 || !figure_range(figure, &least, &largest) || largest >= 1)
        return;
    double scale = largest >= 1e-3 ? 1e3 : 1e6;
    text_format(picture->unit, sizeof picture->unit, "%s", largest >= 1e-3 ? "ms" : "us");
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < figure->series[side].n; i++) {
            struct figure_point *point = &picture->points[side][i];
            point->mean *= scale;
            point->min *= scale;
            point->max *= scale;
            point->p10 *= scale;
            point->p90 *= scale;
        }
}

typedef bool take_curve_fn(const struct run *run, const struct run_series *from,
                           const struct compare_row *row, struct figure_series *series);

static bool make(const struct print_subject *subject, const struct compare_row *row,
                 take_curve_fn *take, struct picture *picture)
{
    struct figure *figure = &picture->figure;
    figure->n = 2;
    figure->width = WIDTH;
    figure->height = HEIGHT;
    for (int side = 0; side < 2; side++)
        if (!(picture->points[side] = calloc(PERCENTS + 1, sizeof *picture->points[side])))
            return false;
    name_curves(subject, row, figure->axis == FIGURE_PERCENT ? ": quantiles" : ": over the run",
                picture);
    return take(subject->a, row->a_series, row, &figure->series[0]) &&
           take(subject->b, row->b_series, row, &figure->series[1]);
}

static bool add(const struct print_subject *subject, const struct compare_row *row,
                take_curve_fn *take, struct picture *picture, const char *alternative,
                struct octets *to)
{
    bool good = make(subject, row, take, picture);
    if (good && (picture->figure.series[0].n > 0 || picture->figure.series[1].n > 0)) {
        scale_times(picture);
        good = add_picture(picture, alternative, to);
    }
    free(picture->points[0]);
    free(picture->points[1]);
    return good;
}

bool picture_of_time(const struct print_subject *subject, const struct compare_row *row,
                     struct octets *to)
{
    int64_t a_ms = subject->a->stop_ms - subject->a->start_ms;
    int64_t b_ms = subject->b->stop_ms - subject->b->start_ms;
    struct picture picture = {
        .figure = {.axis = FIGURE_ELAPSED, .from_ms = 0, .to_ms = a_ms > b_ms ? a_ms : b_ms}};
    if (picture.figure.to_ms <= 0)
        return true;
    return add(subject, row, take_curve, &picture, "over the run", to);
}

bool picture_of_quantiles(const struct print_subject *subject, const struct compare_row *row,
                          struct octets *to)
{
    struct picture picture = {.figure = {.axis = FIGURE_PERCENT, .from_ms = 0, .to_ms = 100000}};
    if (row->group != COMPARE_RESPONSE)
        return true;
    return add(subject, row, take_quantiles, &picture, "quantiles", to);
}
