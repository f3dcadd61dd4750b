/* The trend of a series: the straight line through its latest values by least squares, for rates of
 * change and forecasts. Pure but for the memory.
 *
 * The values of the span are kept as the means of at most TREND_POINTS slices of it, so that memory
 * and time do not grow with the sampling rate. Times are counted from now and values from their
 * mean, and the sums are of squares of differences, so that large numbers are never subtracted from
 * each other. */
#ifndef DCAMP_THRESHOLD_TREND_H
#define DCAMP_THRESHOLD_TREND_H

#include <stdbool.h>
#include <stdint.h>

#define TREND_POINTS 60

struct trend;

/* NULL: no memory. span_ms > 0. */
struct trend *trend_new(uint32_t span_ms);
void trend_free(struct trend *trend);

/* Adds a value; times must not go back. A value that is not finite is left out. */
void trend_add(struct trend *trend, double value, uint64_t now_ns);

/* The line through the values of the span before now_ns. */
struct trend_line {
    double value;      /* of the line at now_ns */
    double slope;      /* per second */
    double confidence; /* R squared, 0..1: the part of the variance that the line explains. 1 if all
                          points lie on it; 0 for a constant, which has no trend */
    uint64_t covered_ns; /* from the first value to the last */
    unsigned points;     /* slices with values */
};

/* False: fewer than three slices have values, or they cover less than half of the span. */
bool trend_line(const struct trend *trend, uint64_t now_ns, struct trend_line *line);

#endif
