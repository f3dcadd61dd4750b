#include "plot/figure.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"

/* The curve is broken where two points are more than so many times their usual distance apart. One
 * or two missing points are no gap yet, since values come a little late now and then. */
#define BREAK 3.5

#define POINT_FIGURES 6
#define POINT_MOMENTS 4 /* without percentiles */

static bool refuse(char error[256], const char *what)
{
    text_format(error, 256, "%s", what);
    return false;
}

/* -- Points ---------------------------------------------------------------------------------- */

static bool read_point(const json_t *json, struct figure_point *point)
{
    double figures[POINT_FIGURES] = {[POINT_MOMENTS] = NAN, NAN};
    size_t n = json_array_size(json);
    bool is_point = n == 1 || n == POINT_MOMENTS || n == POINT_FIGURES;
    if (!is_point || !json_is_integer(json_array_get(json, 0)))
        return false;
    for (size_t i = 1; i < n; i++) {
        const json_t *figure = json_array_get(json, i);
        figures[i] = json_number_value(figure);
        if (!json_is_number(figure) || !isfinite(figures[i]))
            return false;
    }
    *point = (struct figure_point){.ms = json_integer_value(json_array_get(json, 0)),
                                   .is_gap = n == 1,
                                   .mean = figures[1],
                                   .min = figures[2],
                                   .max = figures[3],
                                   .p10 = figures[4],
                                   .p90 = figures[5]};
    return true;
}

static bool read_series(const json_t *json, struct figure_series *series, char error[256])
{
    const json_t *points = json_object_get(json, "points");
    series->name = json_string_value(json_object_get(json, "name"));
    series->step_ms = json_integer_value(json_object_get(json, "step"));
    series->interval_ms = json_integer_value(json_object_get(json, "interval"));
    if (!series->name || !json_is_array(points) || series->step_ms < 0 || series->interval_ms < 0)
        return refuse(error, "a series has no name, step, interval or points");
    size_t n = json_array_size(points);
    series->points = calloc(n + 1, sizeof *series->points);
    if (!series->points)
        return refuse(error, "no memory");
    for (; series->n < n; series->n++) {
        struct figure_point *point = &series->points[series->n];
        if (!read_point(json_array_get(points, series->n), point) ||
            (series->n > 0 && point->ms < point[-1].ms))
            return refuse(error, "a point is none, or before the one before it");
    }
    return true;
}

/* -- All ------------------------------------------------------------------------------------- */

static bool is_side(int64_t side)
{
    return side >= FIGURE_SIDE_LEAST && side <= FIGURE_SIDE_MOST;
}

static bool read_figure(struct figure *figure, const json_t *json, char error[256])
{
    const json_t *series = json_object_get(json, "series");
    int64_t width = json_integer_value(json_object_get(json, "width"));
    int64_t height = json_integer_value(json_object_get(json, "height"));
    figure->title = json_string_value(json_object_get(json, "title"));
    figure->unit = json_string_value(json_object_get(json, "unit"));
    figure->from_ms = json_integer_value(json_object_get(json, "from"));
    figure->to_ms = json_integer_value(json_object_get(json, "to"));
    figure->is_dark = json_is_true(json_object_get(json, "dark"));
    if (!figure->title || !figure->unit || figure->from_ms >= figure->to_ms)
        return refuse(error, "title, unit, from or to is missing");
    if (!is_side(width) || !is_side(height))
        return refuse(error, "width or height: expected 100 to 10000");
    figure->width = (int)width;
    figure->height = (int)height;
    if (!json_is_array(series) || json_array_size(series) > FIGURE_SERIES_MAX)
        return refuse(error, "series: expected at most 16");
    for (size_t i = 0; i < json_array_size(series); i++) {
        figure->n = i + 1;
        if (!read_series(json_array_get(series, i), &figure->series[i], error))
            return false;
    }
    return true;
}

bool figure_read(struct figure *figure, FILE *from, char error[256])
{
    json_error_t why;
    json_t *json = json_loadf(from, 0, &why);
    *figure = (struct figure){.document = json};
    if (json)
        return read_figure(figure, json, error);
    text_format(error, 256, "line %d: %s", why.line, why.text);
    return false;
}

void figure_release(struct figure *figure)
{
    for (size_t i = 0; i < figure->n; i++)
        free(figure->series[i].points);
    json_decref(figure->document);
    *figure = (struct figure){0};
}

bool figure_is_broken(const struct figure_series *series, size_t point)
{
    const struct figure_point *at = &series->points[point];
    return point == 0 || at->is_gap || at[-1].is_gap ||
           (series->interval_ms > 0 &&
            (double)(at->ms - at[-1].ms) > BREAK * (double)series->interval_ms);
}

bool figure_range(const struct figure *figure, double *least, double *largest)
{
    *least = INFINITY;
    *largest = -INFINITY;
    for (size_t i = 0; i < figure->n; i++)
        for (size_t p = 0; p < figure->series[i].n; p++) {
            const struct figure_point *point = &figure->series[i].points[p];
            if (point->is_gap)
                continue;
            *least = fmin(*least, point->min);
            *largest = fmax(*largest, point->max);
        }
    return *least <= *largest;
}
