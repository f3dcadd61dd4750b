/* The straight line through the latest values: exact lines, noise, large offsets, gaps. */

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "threshold/trend.h"

#include "unit.h"

static const uint64_t start = UINT64_C(1000000) * NS_PER_S;

static void assert_near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* Values of a + b t, every step_ms for so long. */
static struct trend *line_of(double a, double b, uint32_t span_ms, uint32_t step_ms, uint32_t ms)
{
    struct trend *trend = trend_new(span_ms);
    for (uint32_t t = 0; t <= ms; t += step_ms)
        trend_add(trend, a + b * t / 1000, start + t * NS_PER_MS);
    return trend;
}

static void exact_lines(void **state)
{
    (void)state;
    static const struct {
        double a, b;
        uint32_t span_ms, step_ms, ms;
    } cases[] = {{10, 2, 60000, 1000, 60000},     {0, -0.001, 3600000, 1000, 3600000},
                 {1e12, 3, 60000, 100, 600000},   {-5, 1e6, 4000, 1000, 4000},
                 {1e9, 1e-3, 60000, 1000, 90000}, {5, 7, 86400000, 60000, 86400000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trend *trend =
            line_of(cases[i].a, cases[i].b, cases[i].span_ms, cases[i].step_ms, cases[i].ms);
        uint64_t now = start + cases[i].ms * NS_PER_MS;
        struct trend_line line;
        assert_true(trend_line(trend, now, &line));
        assert_near(line.slope, cases[i].b, fabs(cases[i].b) * 1e-3 + fabs(cases[i].a) * 1e-15);
        double value = cases[i].a + cases[i].b * cases[i].ms / 1000;
        assert_near(line.value, value, fabs(value) * 1e-9 + 1e-6);
        assert_near(line.confidence, 1, 1e-3);
        trend_free(trend);
    }
}

/* Against the textbook's sums over the same values, where those are harmless. */
static void against_the_plain_sums(void **state)
{
    (void)state;
    struct trend *trend = trend_new(60000);
    double n = 0, t1 = 0, v1 = 0, tt = 0, tv = 0, vv = 0;
    srand(7);
    for (int t = 0; t < 60; t++) {
        double value = 0.5 * t + rand() % 20;
        trend_add(trend, value, start + (uint64_t)t * NS_PER_S);
        n++, t1 += t, v1 += value, tt += (double)t * t, tv += t * value, vv += value * value;
    }
    struct trend_line line;
    assert_true(trend_line(trend, start + 59 * NS_PER_S, &line));
    double slope = (n * tv - t1 * v1) / (n * tt - t1 * t1);
    double r = (n * tv - t1 * v1) / sqrt((n * tt - t1 * t1) * (n * vv - v1 * v1));
    assert_near(line.slope, slope, 1e-9);
    assert_near(line.confidence, r * r, 1e-9);
    assert_near(line.value, (v1 + slope * (59 * n - t1)) / n, 1e-9);
    assert_int_equal(line.points, 60);
    assert_int_equal(line.covered_ns, 59 * NS_PER_S);
    trend_free(trend);
}

static void what_is_not_enough(void **state)
{
    (void)state;
    struct trend_line line;
    struct trend *trend = trend_new(10000);
    assert_false(trend_line(trend, start, &line));
    trend_add(trend, 1, start);
    trend_add(trend, 2, start + 8 * NS_PER_S);
    assert_false(trend_line(trend, start + 8 * NS_PER_S, &line)); /* two points */
    trend_add(trend, 3, start + 9 * NS_PER_S);
    assert_true(trend_line(trend, start + 9 * NS_PER_S, &line));
    assert_false(trend_line(trend, start + 15 * NS_PER_S, &line)); /* too little of the span */
    trend_add(trend, NAN, start + 16 * NS_PER_S);
    trend_add(trend, INFINITY, start + 16 * NS_PER_S);
    assert_false(trend_line(trend, start + 16 * NS_PER_S, &line));
    trend_free(trend);
    trend_free(NULL);
}

/* What is no number among numbers does not count. */
static void gaps_among_values(void **state)
{
    (void)state;
    struct trend *trend = line_of(1, 2, 10000, 1000, 10000);
    struct trend_line line;
    trend_add(trend, NAN, start + 10 * NS_PER_S);
    trend_add(trend, -INFINITY, start + 10 * NS_PER_S);
    assert_true(trend_line(trend, start + 10 * NS_PER_S, &line));
    assert_near(line.value, 21, 1e-9);
    trend_free(trend);
}

static void a_constant_has_no_trend(void **state)
{
    (void)state;
    struct trend *trend = line_of(42, 0, 10000, 1000, 20000);
    struct trend_line line;
    assert_true(trend_line(trend, start + 20 * NS_PER_S, &line));
    assert_near(line.slope, 0, 0);
    assert_near(line.value, 42, 0);
    assert_near(line.confidence, 0, 0);
    trend_free(trend);
}

/* What is older than the span has no say. */
static void forgets(void **state)
{
    (void)state;
    struct trend *trend = line_of(0, 100, 10000, 100, 60000);
    for (int t = 0; t <= 110; t++)
        trend_add(trend, -t, start + 60 * NS_PER_S + (uint64_t)t * NS_PER_S / 10);
    struct trend_line line;
    assert_true(trend_line(trend, start + 71 * NS_PER_S, &line));
    assert_near(line.slope, -10, 1e-2);
    trend_free(trend);
}

/* Just half of the span is enough; what is older than the span does not count, what is as old does.
 */
static void the_edges_of_a_span(void **state)
{
    (void)state;
    struct trend_line line;
    for (uint32_t ms = 20000; ms <= 40000; ms += 1000) {
        struct trend *trend = line_of(1, 1, 60000, 1000, ms);
        assert_int_equal(trend_line(trend, start + ms * NS_PER_MS, &line), ms >= 30000);
        trend_free(trend);
    }
    struct trend *trend = line_of(0, 1, 60000, 1000, 120000);
    assert_true(trend_line(trend, start + 120 * NS_PER_S, &line));
    assert_int_equal(line.points, TREND_POINTS + 1);
    assert_true(line.covered_ns == 60 * NS_PER_S);
    trend_free(trend);
}

/* Squares that no number holds make no line, whichever of the sums it is. */
static void too_large_for_a_line(void **state)
{
    (void)state;
    struct trend_line line;
    struct trend *trend = trend_new(60000);
    for (int t = 0; t <= 60; t++)
        trend_add(trend, t % 2 ? 1e300 : -1e300, start + (uint64_t)t * NS_PER_S);
    assert_false(trend_line(trend, start + 60 * NS_PER_S, &line));
    trend_free(trend);
}

/* The shortest spans have slices of less than a nanosecond's worth; no value is lost. */
static void the_shortest_span(void **state)
{
    (void)state;
    struct trend_line line;
    struct trend *trend = line_of(1, 1000, 1, 1, 0);
    assert_false(trend_line(trend, start, &line));
    trend_add(trend, 2, start + NS_PER_MS / 2);
    trend_add(trend, 3, start + NS_PER_MS);
    assert_true(trend_line(trend, start + NS_PER_MS, &line));
    assert_near(line.slope, 2000, 20);
    trend_free(trend);
}

/* No time has no slices. The rows do not allow it, and nothing is divided by it. */
static void no_span(void **state)
{
    (void)state;
    struct trend_line line;
    struct trend *trend = trend_new(0);
    for (uint64_t t = 0; t < 10; t++)
        trend_add(trend, (double)t, start + t);
    assert_true(trend_line(trend, start + 9, &line));
    assert_near(line.slope, 1e9, 1);
    trend_free(trend);
}

/* Values of one slice are one point at their mean, whatever was there a round before. */
static void one_point_a_slice(void **state)
{
    (void)state;
    const uint64_t slice = UINT64_C(60) * NS_PER_S / TREND_POINTS;
    struct trend *trend = trend_new(60000);
    struct trend_line line;
    for (uint64_t t = 0; t <= TREND_POINTS; t++) {
        trend_add(trend, 10.0 * (double)t - 1, start + t * slice);
        trend_add(trend, 10.0 * (double)t + 1, start + t * slice);
    }
    assert_true(trend_line(trend, start + TREND_POINTS * slice, &line));
    assert_int_equal(line.points, TREND_POINTS + 1);
    assert_near(line.slope, 10 / ((double)slice / (double)NS_PER_S), 1e-9);
    assert_near(line.value, 10.0 * TREND_POINTS, 1e-6);
    trend_free(trend);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_lines),
        cmocka_unit_test(against_the_plain_sums),
        cmocka_unit_test(what_is_not_enough),
        cmocka_unit_test(gaps_among_values),
        cmocka_unit_test(a_constant_has_no_trend),
        cmocka_unit_test(forgets),
        cmocka_unit_test(the_edges_of_a_span),
        cmocka_unit_test(too_large_for_a_line),
        cmocka_unit_test(the_shortest_span),
        cmocka_unit_test(no_span),
        cmocka_unit_test(one_point_a_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
