#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/statistics.h"

#include "distributions.h"
#include "heap.h"
#include "unit.h"

#define ALPHA (0.01 * (1 + 1e-12))
#define N_VALUES 20000
#define ROUNDING 1e-12

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

/* One step: a value at a time (not a number: only look), and what is to be seen then. */
struct step {
    double value;
    uint64_t at;
    bool complete;
    uint64_t begin, count;
    double mean;
};

#define LOOK NAN
#define STEPS 9
#define END ((uint64_t)-1)

struct scenario {
    const char *name;
    struct step steps[STEPS]; /* up to one at END */
};

/* The window has 10. */
static const struct scenario scenarios[] = {
    {"nothing yet", {{LOOK, 0, false, 0, 0, 0}, {LOOK, 1000, false, 0, 0, 0}, {.at = END}}},
    {"the open window while none is complete",
     {{1, 0, false, 0, 1, 1}, {3, 9, false, 0, 2, 2}, {LOOK, 9, false, 0, 2, 2}, {.at = END}}},
    {"a window ends where the next begins",
     {{1, 0, false, 0, 1, 1},
      {3, 9, false, 0, 2, 2},
      {LOOK, 10, true, 0, 2, 2},
      {7, 10, true, 0, 2, 2},
      {LOOK, 19, true, 0, 2, 2},
      {LOOK, 20, true, 10, 1, 7},
      {.at = END}}},
    {"aligned to multiples, whenever it began",
     {{1, 1234, false, 1230, 1, 1},
      {5, 1239, false, 1230, 2, 3},
      {7, 1240, true, 1230, 2, 3},
      {9, 1250, true, 1240, 1, 7},
      {.at = END}}},
    {"one empty window",
     {{1, 5, false, 0, 1, 1},
      {LOOK, 15, true, 0, 1, 1},
      {LOOK, 25, true, 10, 0, 0},
      {2, 26, true, 10, 0, 0},
      {LOOK, 29, true, 10, 0, 0},
      {LOOK, 30, true, 20, 1, 2},
      {.at = END}}},
    {"many empty windows",
     {{1, 5, false, 0, 1, 1},
      {2, 1005, true, 990, 0, 0},
      {4, 1006, true, 990, 0, 0},
      {LOOK, 1010, true, 1000, 2, 3},
      {LOOK, 1020, true, 1010, 0, 0},
      {LOOK, 99999, true, 99980, 0, 0},
      {8, 100000, true, 99990, 0, 0},
      {.at = END}}},
    {"a look changes nothing",
     {{1, 5, false, 0, 1, 1},
      {LOOK, 500, true, 490, 0, 0},
      {3, 6, false, 0, 2, 2},
      {LOOK, 12, true, 0, 2, 2},
      {.at = END}}},
    {"the clock steps back: counted in the window that is open",
     {{1, 15, false, 10, 1, 1},
      {3, 5, false, 10, 2, 2},
      {LOOK, 5, false, 10, 2, 2},
      {5, 20, true, 10, 2, 2},
      {7, 12, true, 10, 2, 2},
      {LOOK, 30, true, 20, 2, 6},
      {.at = END}}},
    {"every window has its own values",
     {{1, 0, false, 0, 1, 1},
      {2, 10, true, 0, 1, 1},
      {3, 20, true, 10, 1, 2},
      {4, 30, true, 20, 1, 3},
      {5, 31, true, 20, 1, 3},
      {6, 40, true, 30, 2, 4.5},
      {7, 60, true, 50, 0, 0},
      {8, 70, true, 60, 1, 7},
      {.at = END}}},
    {"the end of the clock",
     {{1, UINT64_MAX - 16, false, UINT64_MAX - 25, 1, 1},
      {2, UINT64_MAX - 1, true, UINT64_MAX - 15, 0, 0},
      {.at = END}}},
};

static void check_step(const char *name, size_t i, struct statistics *s, const struct step *step)
{
    if (!isnan(step->value))
        assert_int_equal(statistics_add(s, step->value, step->at, 10), 0);
    struct statistics_view view = statistics_view(s, step->at);
    if (view.complete != step->complete || view.begin_ns != step->begin ||
        view.window->count != step->count || view.window->mean != step->mean ||
        view.window->histogram.count != step->count)
        fail_msg("%s, step %zu: complete %d, begin %ju, count %ju, mean %g", name, i, view.complete,
                 (uintmax_t)view.begin_ns, (uintmax_t)view.window->count, view.window->mean);
}

static void test_windows(void **state)
{
    (void)state;
    struct statistics kept = {0};
    for (size_t n = 0; n < sizeof scenarios / sizeof scenarios[0]; n++) {
        struct statistics fresh = {0};
        for (size_t i = 0; i < STEPS && scenarios[n].steps[i].at != END; i++) {
            check_step(scenarios[n].name, i, &fresh, &scenarios[n].steps[i]);
            check_step(scenarios[n].name, i, &kept, &scenarios[n].steps[i]);
        }
        statistics_release(&fresh);
        statistics_reset(&kept);
    }
    statistics_release(&kept);
    assert_int_equal(kept.window_ns, 0);
}

static void test_another_length_begins_anew(void **state)
{
    (void)state;
    struct statistics s = {0};
    assert_int_equal(statistics_add(&s, 1, 15, 10), 0);
    assert_int_equal(statistics_add(&s, 2, 25, 10), 0);
    assert_true(statistics_view(&s, 25).complete);
    assert_int_equal(statistics_add(&s, 3, 26, 20), 0);
    struct statistics_view view = statistics_view(&s, 26);
    assert_false(view.complete);
    assert_int_equal(view.begin_ns, 20);
    assert_int_equal(view.window->count, 1);
    assert_true(view.window->mean == 3);
    assert_int_equal(statistics_add(&s, 3, 27, 0), EINVAL);
    assert_int_equal(statistics_view(&s, 27).window->count, 1);
    statistics_release(&s);
}

static void test_what_is_no_value_is_not_counted(void **state)
{
    (void)state;
    struct statistics s = {0};
    static const double others[] = {NAN, INFINITY, -INFINITY, 1.1e140, -1e300};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(statistics_add(&s, others[i], 5, 10), EDOM);
        assert_int_equal(statistics_view(&s, 5).window->count, 0);
        assert_int_equal(statistics_view(&s, 5).window->histogram.count, 0);
    }
    assert_int_equal(statistics_add(&s, 2, 6, 10), 0);
    /* Time goes on with them. */
    assert_int_equal(statistics_add(&s, NAN, 12, 10), EDOM);
    assert_int_equal(s.begin_ns, 10);
    assert_int_equal(statistics_view(&s, 12).window->count, 1);
    assert_int_equal(statistics_view(&s, 22).window->count, 0);
    statistics_release(&s);
}

static void test_largest_values_stay_finite(void **state)
{
    (void)state;
    struct statistics_window w = {0};
    for (int i = 0; i < 1000; i++)
        assert_int_equal(statistics_window_add(&w, i % 2 ? 1e140 : -1e140), 0);
    assert_true(isfinite(w.mean) && isfinite(w.m2));
    assert_true(near(statistics_deviation(&w), 1e140, ROUNDING));
    for (int i = 0; i < 20; i++)
        assert_int_equal(statistics_merge(&w, &w), 0);
    assert_true(isfinite(w.mean) && isfinite(w.m2));
    assert_true(w.min == -1e140 && w.max == 1e140);
    statistics_window_release(&w);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By definition, in a wider type, in two passes. Sorts the values. */
static void check_exactly(const struct statistics_window *w, double *values, size_t n)
{
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    long double mean = sum / (long double)n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double deviation = (double)sqrtl(squares / (long double)n);
    qsort(values, n, sizeof *values, compare);
    assert_int_equal(w->count, n);
    assert_int_equal(w->histogram.count, n);
    assert_true(w->min == values[0] && w->max == values[n - 1]);
    double scale = fmax(fabs(w->min), fabs(w->max));
    assert_true(fabs(w->mean - (double)mean) <= ROUNDING * scale);
    assert_true(fabs(statistics_deviation(w) - deviation) <= 1e-9 * deviation + ROUNDING * scale);
    for (int i = 0; i <= 100; i++) {
        double q = i / 100.0, exact = values[(size_t)(q * (double)(n - 1))];
        double ours = statistics_quantile(w, q);
        assert_true(fabs(ours - exact) <= ALPHA * fabs(exact) + HISTOGRAM_MIN);
        assert_true(ours >= w->min && ours <= w->max);
    }
}

static void test_random_values(void **state)
{
    (void)state;
    double *values = malloc(N_VALUES * sizeof *values);
    assert_non_null(values);
    uint64_t seed = 1;
    static const size_t sizes[] = {1, 2, 10, 60, N_VALUES};
    struct statistics_window w = {0};
    for (size_t d = 0; d < N_DISTRIBUTIONS; d++)
        for (size_t round = 0; round < 5; round++) {
            for (size_t i = 0; i < sizes[round]; i++) {
                values[i] = distributions[d].draw(&seed);
                assert_int_equal(statistics_window_add(&w, values[i]), 0);
            }
            check_exactly(&w, values, sizes[round]);
            statistics_window_reset(&w);
        }
    statistics_window_release(&w);
    free(values);
}

/* The same by the histogram of the values, and their mean. */
static void check_nearly(const struct histogram *histogram, double *values, size_t n)
{
    long double sum = 0, squares = 0, around = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        squares += (long double)values[i] * values[i];
    }
    double mean = (double)(sum / (long double)n);
    for (size_t i = 0; i < n; i++)
        around += (values[i] - (long double)mean) * (values[i] - (long double)mean);
    double deviation = (double)sqrtl(around / (long double)n);
    struct statistics_window w = statistics_of_histogram(histogram, mean);
    qsort(values, n, sizeof *values, compare);
    assert_int_equal(w.count, n);
    assert_true(w.mean == mean);
    assert_true(fabs(w.min - values[0]) <= ALPHA * fabs(values[0]) + HISTOGRAM_MIN);
    assert_true(fabs(w.max - values[n - 1]) <= ALPHA * fabs(values[n - 1]) + HISTOGRAM_MIN);
    assert_true(w.min <= w.mean && w.mean <= w.max);
    /* Each value is moved by at most 1 % of itself. */
    double moved = ALPHA * (double)sqrtl(squares / (long double)n) + HISTOGRAM_MIN;
    assert_true(fabs(statistics_deviation(&w) - deviation) <= moved);
    for (int i = 0; i <= 100; i++) {
        double exact = values[(size_t)(i / 100.0 * (double)(n - 1))];
        double ours = statistics_quantile(&w, i / 100.0);
        assert_true(fabs(ours - exact) <= ALPHA * fabs(exact) + HISTOGRAM_MIN);
    }
}

static void test_of_histogram(void **state)
{
    (void)state;
    double *values = malloc(N_VALUES * sizeof *values);
    assert_non_null(values);
    uint64_t seed = 9;
    static const size_t sizes[] = {1, 2, 10, N_VALUES};
    for (size_t d = 0; d < N_DISTRIBUTIONS; d++)
        for (size_t round = 0; round < 4; round++) {
            struct histogram histogram = {0};
            for (size_t i = 0; i < sizes[round]; i++) {
                values[i] = distributions[d].draw(&seed);
                assert_int_equal(histogram_add(&histogram, values[i]), 0);
            }
            check_nearly(&histogram, values, sizes[round]);
            histogram_release(&histogram);
        }
    free(values);
}

/* All that has the same value is known exactly, though its bucket stands for another one. */
static void test_a_constant_by_its_histogram(void **state)
{
    (void)state;
    static const double constants[] = {0.1, -1e9 / 3, 0, 1e17 / 3, 1e-7, -42};
    for (size_t c = 0; c < 6; c++) {
        struct statistics s = {0};
        struct histogram histogram = {0};
        for (int i = 0; i < 1000; i++)
            histogram_add(&histogram, constants[c]);
        assert_int_equal(statistics_add_all(&s, &histogram, constants[c], 5, 10), 0);
        assert_int_equal(statistics_add_all(&s, &histogram, constants[c], 6, 10), 0);
        const struct statistics_window *w = statistics_view(&s, 6).window;
        assert_int_equal(w->count, 2000);
        assert_int_equal(w->histogram.count, 2000);
        assert_true(w->mean == constants[c] && statistics_deviation(w) == 0);
        /* One of the two is what the bucket stands for. */
        assert_true(near(w->min, constants[c], ALPHA) && near(w->max, constants[c], ALPHA));
        assert_true(w->min == constants[c] || w->max == constants[c]);
        histogram_release(&histogram);
        statistics_release(&s);
    }
}

/* Values that come one by one and all at once are in the same windows. */
static void test_windows_of_many_at_once(void **state)
{
    (void)state;
    struct statistics s = {0};
    struct histogram two = {0}, none = {0};
    histogram_add(&two, 1);
    histogram_add(&two, 3);
    assert_int_equal(statistics_add_all(&s, &two, 2, 15, 0), EINVAL);
    assert_int_equal(s.window_ns, 0);
    assert_int_equal(statistics_add_all(&s, &two, 2, 15, 10), 0);
    assert_int_equal(statistics_add(&s, 8, 16, 10), 0);
    assert_int_equal(statistics_add_all(&s, &two, 2, 19, 10), 0);
    struct statistics_view view = statistics_view(&s, 19);
    assert_false(view.complete);
    assert_int_equal(view.window->count, 5);
    assert_true(near(view.window->mean, 3.2, ROUNDING));
    assert_true(view.window->max == 8);
    assert_int_equal(statistics_add_all(&s, &none, NAN, 20, 10), 0);
    view = statistics_view(&s, 20);
    assert_true(view.complete && view.window->count == 5 && s.current.count == 0);
    static const double others[] = {NAN, INFINITY, -1.1e140};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(statistics_add_all(&s, &two, others[i], 31, 10), EDOM);
    view = statistics_view(&s, 31);
    assert_true(view.complete && view.begin_ns == 20 && view.window->count == 0);
    assert_int_equal(s.current.count, 0);
    assert_int_equal(statistics_add_all(&s, &two, 2, 32, 20), 0);
    assert_int_equal(statistics_view(&s, 32).window->count, 2);
    statistics_release(&s);
    histogram_release(&two);
}

static void test_constants_are_exact(void **state)
{
    (void)state;
    static const double constants[] = {42.42, -1e9 / 3, 0, 1e17 / 3, 1e-7, 1e30, 1e-10, -1e-10};
    for (size_t c = 0; c < 8; c++) {
        struct statistics_window w = {0};
        for (int i = 0; i < 1000; i++)
            statistics_window_add(&w, constants[c]);
        assert_true(w.mean == constants[c]);
        assert_true(statistics_deviation(&w) == 0);
        for (int i = 0; i <= 10; i++)
            assert_true(statistics_quantile(&w, i / 10.0) == constants[c]);
        statistics_window_release(&w);
    }
}

static void test_population_deviation(void **state)
{
    (void)state;
    struct statistics_window w = {0};
    assert_true(statistics_deviation(&w) == 0);
    assert_true(isnan(statistics_quantile(&w, 0.5)));
    static const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    static const double deviations[] = {0, 1};
    for (size_t i = 0; i < 8; i++) {
        statistics_window_add(&w, values[i]);
        if (i < 2)
            assert_true(statistics_deviation(&w) == deviations[i]);
    }
    assert_true(w.mean == 5);
    assert_true(statistics_deviation(&w) == 2);
    assert_true(isnan(statistics_quantile(&w, -1)) && isnan(statistics_quantile(&w, NAN)));
    statistics_window_release(&w);
}

/* The sum of squares minus the square of the sum would have no digit left here. */
static void test_small_deviation_of_a_large_mean(void **state)
{
    (void)state;
    static const double offsets[] = {0, 1e9, -1e9, 1e12};
    static const double steps[] = {4, 7, 13, 16};
    const double exact = sqrt(22.5);
    for (size_t o = 0; o < 4; o++) {
        struct statistics_window w = {0}, half = {0};
        for (int i = 0; i < 100000; i++) {
            assert_int_equal(statistics_window_add(&w, offsets[o] + steps[i % 4]), 0);
            if (i % 2)
                statistics_window_add(&half, offsets[o] + steps[i % 4]);
        }
        assert_true(near(w.mean, offsets[o] + 10, 1e-14));
        assert_true(near(statistics_deviation(&w), exact, 1e-7));
        assert_true(near(statistics_deviation(&half), 4.5, 1e-7));
        statistics_merge(&w, &half);
        /* 4, 7, 7, 13, 16 and 16, around 10.5 */
        assert_true(near(statistics_deviation(&w), sqrt(133.5 / 6), 1e-7));
        statistics_window_release(&w);
        statistics_window_release(&half);
    }
}

#define PARTS 9

static void test_merge_of_parts_is_the_whole(void **state)
{
    (void)state;
    double *values = malloc(N_VALUES * sizeof *values);
    assert_non_null(values);
    uint64_t seed = 4;
    for (size_t d = 0; d < N_DISTRIBUTIONS; d++) {
        struct statistics_window whole = {0}, merged = {0}, parts[PARTS] = {{0}};
        for (size_t i = 0; i < N_VALUES; i++) {
            values[i] = distributions[d].draw(&seed);
            statistics_window_add(&whole, values[i]);
            /* Of very different sizes; the last one stays empty. */
            double u = uniform(&seed);
            statistics_window_add(&parts[(int)(u * u * u * (PARTS - 1))], values[i]);
        }
        for (size_t i = 0; i < PARTS; i++) {
            assert_int_equal(statistics_merge(&merged, &parts[i]), 0);
            statistics_window_release(&parts[i]);
        }
        assert_true(histogram_equal(&merged.histogram, &whole.histogram));
        assert_int_equal(merged.count, whole.count);
        assert_true(merged.min == whole.min && merged.max == whole.max);
        check_exactly(&merged, values, N_VALUES);
        statistics_window_release(&whole);
        statistics_window_release(&merged);
    }
    free(values);
}

static void test_merge_edges(void **state)
{
    (void)state;
    struct statistics_window a = {0}, b = {0};
    assert_int_equal(statistics_merge(&a, &b), 0);
    assert_int_equal(a.count, 0);
    statistics_window_add(&b, 5);
    statistics_window_add(&b, 7);
    assert_int_equal(statistics_merge(&a, &b), 0);
    assert_true(a.count == 2 && a.min == 5 && a.max == 7 && a.mean == 6 && a.m2 == 2);
    statistics_window_reset(&b);
    assert_int_equal(statistics_merge(&a, &b), 0);
    assert_true(a.count == 2 && a.min == 5 && a.max == 7 && a.mean == 6 && a.m2 == 2);
    assert_int_equal(statistics_merge(&a, &a), 0);
    assert_true(a.count == 4 && a.min == 5 && a.max == 7 && a.mean == 6 && a.m2 == 4);
    statistics_window_add(&b, 100);
    assert_int_equal(histogram_side_add(&a.histogram.positive, histogram_index(100), UINT32_MAX),
                     0);
    assert_int_equal(statistics_merge(&a, &b), EOVERFLOW);
    assert_true(a.count == 4 && a.min == 5 && a.max == 7 && a.mean == 6 && a.m2 == 4);
    assert_int_equal(statistics_window_add(&a, 100), EOVERFLOW);
    assert_true(a.count == 4 && a.max == 7);
    statistics_window_release(&a);
    statistics_window_release(&b);
}

/* What never had a value has no windows, at any time. */
static void test_time_alone_makes_no_window(void **state)
{
    (void)state;
    struct statistics s = {0};
    statistics_advance(&s, 0);
    statistics_advance(&s, UINT64_C(1000000000000));
    assert_false(s.complete);
    assert_false(statistics_view(&s, UINT64_C(1000000000000)).complete);
    assert_int_equal(statistics_add(&s, 1, 5, 0), EINVAL);
    statistics_release(&s);
}

/* The same to the last bit: they were counted in the same order. */
static void assert_same_window(const struct statistics_window *a, const struct statistics_window *b)
{
    assert_int_equal(a->count, b->count);
    assert_true(a->mean == b->mean && a->m2 == b->m2);
    assert_true(a->count == 0 || (a->min == b->min && a->max == b->max));
    assert_true(histogram_equal(&a->histogram, &b->histogram));
}

/* A window of n values, which somebody looks at after every so many of them (0: never). */
static void window_with_looks(size_t n, size_t every)
{
    struct statistics s = {0};
    struct statistics_window expected = {0};
    for (size_t i = 0; i < n; i++) {
        double value = (double)(i * i % 37) - 7.5;
        assert_int_equal(statistics_add(&s, value, i, 1000), 0);
        assert_int_equal(statistics_window_add(&expected, value), 0);
        if (every > 0 && i % every == 0)
            assert_same_window(statistics_view(&s, i).window, &expected);
    }
    struct statistics_view view = statistics_view(&s, 1000);
    assert_int_equal(view.complete, n > 0);
    assert_same_window(view.window, &expected);
    statistics_advance(&s, 1000);
    assert_same_window(statistics_view(&s, 1000).window, &expected);
    statistics_window_release(&expected);
    statistics_release(&s);
}

static void test_what_waits_is_counted_before_anybody_looks(void **state)
{
    (void)state;
    for (size_t n = 0; n <= 3 * STATISTICS_WAITING + 1; n++)
        for (size_t every = 0; every <= n; every++)
            window_with_looks(n, every);
}

static void test_what_waits_goes_into_its_own_window(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 2 * STATISTICS_WAITING + 1; n++) {
        struct statistics s = {0};
        for (uint64_t i = 0; i < n; i++)
            statistics_add(&s, 1, i, 100);
        statistics_add(&s, 2, 100, 100);
        struct statistics_view view = statistics_view(&s, 100);
        assert_int_equal(view.window->count, n);
        assert_true(view.window->max == 1);
        view = statistics_view(&s, 200);
        assert_int_equal(view.window->count, 1);
        statistics_add(&s, 3, 250, 100);
        statistics_reset(&s);
        assert_int_equal(statistics_view(&s, 250).window->count, 0);
        statistics_release(&s);
    }
}

/* A narrow window after a wide one takes no more memory than the first narrow one. */
static void test_a_window_has_its_own_memory(void **state)
{
    (void)state;
    struct statistics s = {0};
    int narrow = 0;
    for (uint64_t window = 0; window < 6; window++) {
        for (uint64_t i = 0; i < 50; i++) {
            double value = window % 2 == 1 ? (double)(i + 1) * 1e6 * (double)i : 100;
            assert_int_equal(statistics_add(&s, value, window * 100 + i, 100), 0);
        }
        statistics_advance(&s, (window + 1) * 100);
        int size = s.last.histogram.positive.size;
        narrow = window == 0 ? size : narrow;
        assert_true(window % 2 == 1 ? size > 2 * narrow : size == narrow);
        assert_int_equal(s.current.histogram.positive.size, 0);
    }
    statistics_release(&s);
}

static void play_windows(void)
{
    struct statistics s = {0};
    for (uint64_t t = 0; t < 5; t++) {
        statistics_add(&s, 1, t * 10, 10);
        statistics_add(&s, -1e9, t * 10, 10);
    }
    statistics_release(&s);
}

static void test_gives_back_both_windows(void **state)
{
    (void)state;
    assert_keeps_nothing(play_windows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_another_length_begins_anew),
        cmocka_unit_test(test_what_is_no_value_is_not_counted),
        cmocka_unit_test(test_largest_values_stay_finite),
        cmocka_unit_test(test_random_values),
        cmocka_unit_test(test_of_histogram),
        cmocka_unit_test(test_a_constant_by_its_histogram),
        cmocka_unit_test(test_windows_of_many_at_once),
        cmocka_unit_test(test_constants_are_exact),
        cmocka_unit_test(test_population_deviation),
        cmocka_unit_test(test_small_deviation_of_a_large_mean),
        cmocka_unit_test(test_merge_of_parts_is_the_whole),
        cmocka_unit_test(test_merge_edges),
        cmocka_unit_test(test_time_alone_makes_no_window),
        cmocka_unit_test(test_what_waits_is_counted_before_anybody_looks),
        cmocka_unit_test(test_what_waits_goes_into_its_own_window),
        cmocka_unit_test(test_a_window_has_its_own_memory),
        cmocka_unit_test(test_gives_back_both_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
