#include "analysis/line.h"

#include <math.h>

/* Welford, Technometrics 4, 1962. */
void line_add(struct line *line, double x, double y)
{
    line->n++;
    double dx = x - line->x, dy = y - line->y, part = 1 / (double)line->n;
    line->x += dx * part;
    line->y += dy * part;
    line->xx += dx * (x - line->x);
    line->xy += dx * (y - line->y);
    line->yy += dy * (y - line->y);
}

double line_slope(const struct line *line)
{
    return line->xx > 0 ? line->xy / line->xx : 0;
}

double line_at(const struct line *line, double x)
{
    return line->n ? line->y + line_slope(line) * (x - line->x) : NAN;
}

double line_deviation(const struct line *line)
{
    if (line->n < 3)
        return NAN;
    return sqrt(fmax(0, line->yy - line_slope(line) * line->xy) / (double)(line->n - 2));
}

void line_remove(const double *values, size_t n, double *rest)
{
    struct line line = {0};
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i]))
            line_add(&line, (double)i, values[i]);
    for (size_t i = 0; i < n; i++)
        rest[i] = isfinite(values[i]) ? values[i] - line_at(&line, (double)i) : NAN;
}
