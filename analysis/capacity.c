#include "analysis/capacity.h"

#include <math.h>

#include "analysis/line.h"
#include "analysis/normal.h"

struct windows {
    const double *throughput, *utilisation, *response;
    size_t n;
    double full;
};

static bool counts(const struct windows *windows, size_t i)
{
    double x = windows->throughput[i], u = windows->utilisation[i];
    return isfinite(x) && isfinite(u) && x >= 0 && u >= 0;
}

/* Whether a parabola explains no more of what the line leaves than chance would. Its share is
 * computed from the square of throughput, less that square's own line: Frisch, Waugh, Econometrica
 * 1, 1933. */
static bool is_linear(const struct windows *windows, const struct line *line)
{
    struct line squares = {0}, rest = {0};
    for (size_t i = 0; i < windows->n; i++)
        if (counts(windows, i)) {
            double from = windows->throughput[i] - line->x;
            line_add(&squares, windows->throughput[i], from * from);
        }
    for (size_t i = 0; i < windows->n; i++)
        if (counts(windows, i)) {
            double x = windows->throughput[i], from = x - line->x;
            line_add(&rest, from * from - line_at(&squares, x),
                     windows->utilisation[i] - line_at(line, x));
        }
    double freedom = (double)line->n - 3;
    double left = rest.yy - line_slope(&rest) * rest.xy;
    if (!(rest.xx > 1e-9 * squares.yy) || !(rest.yy > 1e-18 * line->yy))
        return true;
    double t = line_slope(&rest) * sqrt(rest.xx * freedom / fmax(left, 1e-300));
    return fabs(t) <= student_quantile(0.975, freedom);
}

/* The range of loads at which the resource may be full: those at which the confidence limits of the
 * line, within which the average utilisation is, reach full (Fieller, JRSS B 16, 1954). */
static void set_range(struct capacity *out, const struct line *line, double full)
{
    double t = student_quantile(0.975, (double)line->n - 2), deviation = line_deviation(line);
    double slope = line_slope(line), above = full - line->y;
    double g = t * deviation * t * deviation / line->xx, a = slope * slope - g;
    double root = t * deviation * sqrt(fmax(0, a / (double)line->n + above * above / line->xx));
    out->low = a > 0 ? line->x + (slope * above - root) / a : 0;
    out->high = a > 0 ? line->x + (slope * above + root) / a : INFINITY;
}

static void set_response(struct capacity *out, const struct windows *windows)
{
    struct line mean = {0};
    double demands = 0, left = 0;
    out->response_demand = out->response_determined = NAN;
    for (int pass = 0; windows->response && pass < 2; pass++) {
        for (size_t i = 0; i < windows->n; i++) {
            double r = windows->response[i], free = 1 - windows->utilisation[i] / windows->full;
            if (!counts(windows, i) || !isfinite(r) || !(free > 0))
                continue;
            double from = r - out->response_demand / free;
            if (pass == 0)
                line_add(&mean, 0, r);
            demands += pass == 0 ? r * free : 0;
            left += pass == 0 ? 0 : from * from;
        }
        if (mean.n < CAPACITY_LEAST)
            return;
        out->response_demand = demands / (double)mean.n;
    }
    out->response_determined = mean.yy > 0 ? 1 - left / mean.yy : NAN;
}

static void set_law(struct capacity *out, const struct line *line, double full)
{
    double deviation = line_deviation(line), n = (double)line->n;
    double t = student_quantile(0.975, n - 2);
    out->demand = line_slope(line);
    out->demand_error = deviation / sqrt(line->xx);
    out->idle = line_at(line, 0);
    out->idle_error = deviation * sqrt(1 / n + line->x * line->x / line->xx);
    out->load = (full - out->idle) / out->demand;
    out->determined = line_slope(line) * line->xy / line->yy;
    out->is_proportional = fabs(out->idle) <= t * out->idle_error + 1e-9 * full;
}

void capacity_of(const double *throughput, const double *utilisation, const double *response,
                 size_t n, double full, struct capacity *out)
{
    struct windows windows = {throughput, utilisation, response, n, full};
    struct line line = {0};
    double least = INFINITY, most = 0, busiest = 0;
    for (size_t i = 0; i < n; i++)
        if (counts(&windows, i)) {
            line_add(&line, throughput[i], utilisation[i]);
            least = fmin(least, throughput[i]);
            most = fmax(most, throughput[i]);
            busiest = fmax(busiest, utilisation[i]);
        }
    *out = (struct capacity){.n = line.n, .most = most};
    if (line.n < CAPACITY_LEAST)
        out->why = "too few windows";
    else if (!(line.xx > 1e-12 * line.x * line.x * (double)line.n))
        out->why = "the load was always the same";
    else if (!isfinite(line.xx * line.yy) || !(line_slope(&line) > 0))
        out->why = "utilisation does not grow with the load";
    if (out->why)
        return;
    out->is_known = true;
    set_law(out, &line, full);
    set_range(out, &line, full);
    set_response(out, &windows);
    out->is_spread = most >= CAPACITY_SPREAD * least;
    out->is_reached = busiest >= CAPACITY_REACHED * full;
    out->is_linear = is_linear(&windows, &line);
}
