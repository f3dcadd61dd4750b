/* The straight line through values that are evenly spaced, by least squares. Pure. */
#ifndef DCAMP_ANALYSIS_LINE_H
#define DCAMP_ANALYSIS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Points are added one by one, and the line is known at any time. All 0: begins. */
struct line {
    size_t n;
    double x, y;       /* means */
    double xx, xy, yy; /* sums of products of what they are from the means */
};

/* Both finite. */
void line_add(struct line *line, double x, double y);

/* 0 unless two places were added. */
double line_slope(const struct line *line);

/* NAN without values. */
double line_at(const struct line *line, double x);

/* The standard deviation of values around it, n - 2 in its divisor; NAN of less than three. */
double line_deviation(const struct line *line);

/* Values less the line through them; what is not finite is a gap and becomes NAN. May be the same.
 */
void line_remove(const double *values, size_t n, double *rest);

#endif
