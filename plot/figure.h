/* What is to be drawn: curves with their bands over one span of time. It comes as one JSON object:
 *
 *   {"title": "...", "unit": "%", "from": MS, "to": MS, "dark": false, "width": 960, "height": 420,
 *    "series": [{"name": "...", "step": MS, "interval": MS,
 *                "points": [[MS, MEAN, MIN, MAX, P10, P90], [MS], ...]}, ...]}
 *
 * Times are in milliseconds since 1970 UTC. step is the length of the span of a point, which begins
 * at its time; 0: a point is a value of that time. interval is how far points are apart as a rule.
 * A point of a time alone is a gap; one without P10 and P90 is one whose percentiles nobody knows.
 */
#ifndef DCAMP_PLOT_FIGURE_H
#define DCAMP_PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FIGURE_SERIES_MAX 16
#define FIGURE_SIDE_LEAST 100
#define FIGURE_SIDE_MOST 10000

struct figure_point {
    int64_t ms;
    bool is_gap;
    double mean, min, max; /* finite */
    double p10, p90;       /* the same, or both are NAN: not known */
};

struct figure_series {
    const char *name;
    int64_t step_ms, interval_ms;
    struct figure_point *points; /* ascending */
    size_t n;
};

/* What stands below the horizontal axis. */
enum figure_axis {
    FIGURE_DATES,   /* times of the day and dates */
    FIGURE_ELAPSED, /* times since 0 */
    FIGURE_PERCENT  /* thousandths of a percent in place of milliseconds */
};

struct figure {
    const char *title, *unit;
    enum figure_axis axis;  /* JSON has dates only */
    int64_t from_ms, to_ms; /* from < to */
    bool is_dark;
    int width, height; /* pixels, or points */
    struct figure_series series[FIGURE_SERIES_MAX];
    size_t n;
    void *document; /* which owns the texts */
};

/* Reads the whole file. False: error holds one line. To be released in either case. */
bool figure_read(struct figure *figure, FILE *from, char error[256]);
void figure_release(struct figure *figure);

/* Whether the curve is to be broken before a point: one of the two is a gap, or others should have
 * come in between. */
bool figure_is_broken(const struct figure_series *series, size_t point);

/* The least and the largest of all values. False: there are none. */
bool figure_range(const struct figure *figure, double *least, double *largest);

#endif
