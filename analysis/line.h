/* The straight line through values that are evenly spaced, by least squares. Pure. */
#ifndef DCAMP_ANALYSIS_LINE_H
#define DCAMP_ANALYSIS_LINE_H

#include <stdbool.h>
#include <stddef.h>

/* Points are added one by one, and the line is known at any time. It begins with all members 0. */
struct line {
    size_t n;
    double x, y;       /* means */
    double xx, xy, yy; /* sums of products of the distances from the means */
};

/* Both have to be finite. */
void line_add(struct line *line, double x, double y);

/* 0 unless points with at least two different x were added. */
double line_slope(const struct line *line);

/* NAN without values. */
double line_at(const struct line *line, double x);

/* The standard deviation of the values around the line, with the divisor n - 2; NAN if there are
 * less than three. */
double line_deviation(const struct line *line);

/* rest becomes the values less the line through them; a value that is not finite is a gap and
 * becomes NAN. rest may be the same array as values. */
void line_remove(const double *values, size_t n, double *rest);

#endif
