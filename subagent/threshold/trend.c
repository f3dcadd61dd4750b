#include "threshold/trend.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"

/* A slice: the mean of its values, and the mean of their times. */
struct point {
    uint64_t slice; /* the number of the slice on the clock */
    double value;
    double offset_ns; /* from the beginning of the slice */
    uint64_t count;   /* of the values; 0: the point is empty */
};

struct trend {
    uint64_t slice_ns;
    uint64_t span_ns;
    struct point points[TREND_POINTS + 1]; /* of the span, and of the slice being filled */
};

struct trend *trend_new(uint32_t span_ms)
{
    struct trend *trend = calloc(1, sizeof *trend);
    if (!trend)
        return NULL;
    trend->span_ns = span_ms * NS_PER_MS;
    trend->slice_ns = trend->span_ns / TREND_POINTS;
    if (trend->slice_ns == 0)
        trend->slice_ns = 1;
    return trend;
}

void trend_free(struct trend *trend)
{
    free(trend);
}

void trend_add(struct trend *trend, double value, uint64_t now_ns)
{
    if (!isfinite(value))
        return;
    uint64_t slice = now_ns / trend->slice_ns;
    struct point *point = &trend->points[slice % (TREND_POINTS + 1)];
    if (point->count == 0 || point->slice != slice)
        *point = (struct point){.slice = slice};
    point->count++;
    point->value += (value - point->value) / (double)point->count;
    double offset = (double)(now_ns - slice * trend->slice_ns);
    point->offset_ns += (offset - point->offset_ns) / (double)point->count;
}

/* The time of a point in seconds relative to now; negative. */
static double time_of(const struct trend *trend, const struct point *point, uint64_t now_ns)
{
    uint64_t begin = point->slice * trend->slice_ns;
    return (point->offset_ns - (double)(now_ns - begin)) / (double)NS_PER_S;
}

static bool counts(const struct trend *trend, const struct point *point, uint64_t now_ns)
{
    uint64_t slice = now_ns / trend->slice_ns;
    return point->count > 0 && point->slice <= slice && slice - point->slice <= TREND_POINTS;
}

struct sums {
    double mean_t, mean_v, tt, tv, vv, first_t, last_t;
    unsigned n;
};

static void mean(const struct trend *trend, uint64_t now_ns, struct sums *sums)
{
    sums->first_t = INFINITY;
    sums->last_t = -INFINITY;
    for (unsigned i = 0; i <= TREND_POINTS; i++) {
        const struct point *point = &trend->points[i];
        if (!counts(trend, point, now_ns))
            continue;
        double t = time_of(trend, point, now_ns);
        sums->n++;
        sums->mean_t += (t - sums->mean_t) / sums->n;
        sums->mean_v += (point->value - sums->mean_v) / sums->n;
        sums->first_t = fmin(sums->first_t, t);
        sums->last_t = fmax(sums->last_t, t);
    }
}

static void squares(const struct trend *trend, uint64_t now_ns, struct sums *sums)
{
    for (unsigned i = 0; i <= TREND_POINTS; i++) {
        const struct point *point = &trend->points[i];
        if (!counts(trend, point, now_ns))
            continue;
        double t = time_of(trend, point, now_ns) - sums->mean_t;
        double v = point->value - sums->mean_v;
        sums->tt += t * t;
        sums->tv += t * v;
        sums->vv += v * v;
    }
}

bool trend_line(const struct trend *trend, uint64_t now_ns, struct trend_line *line)
{
    struct sums sums = {.n = 0};
    mean(trend, now_ns, &sums);
    double half_s = (double)trend->span_ns / (double)NS_PER_S / 2;
    if (sums.n < 3 || sums.last_t - sums.first_t < half_s)
        return false;
    squares(trend, now_ns, &sums);
    if (!(sums.tt > 0) || !isfinite(sums.vv) || !isfinite(sums.tv))
        return false;
    line->slope = sums.tv / sums.tt;
    line->value = sums.mean_v - line->slope * sums.mean_t;
    line->confidence = sums.vv > 0 ? fmin(sums.tv / sums.tt * sums.tv / sums.vv, 1) : 0;
    line->covered_ns = (uint64_t)((sums.last_t - sums.first_t) * (double)NS_PER_S);
    line->points = sums.n;
    return true;
}
