/* How a load grows, and what ends it. */
#include <math.h>

#include "load/ramp.h"
#include "unit.h"

static double next(struct ramp *ramp, double level, double throughput, double percentile)
{
    const struct ramp_stage stage = {
        .level = level, .throughput = throughput, .percentile = percentile};
    return ramp_next(ramp, &stage);
}

static struct ramp new_ramp(double limit_s, double largest, bool is_whole)
{
    return (struct ramp){.stage_ns = 1,
                         .quantile = 0.99,
                         .limit_s = limit_s,
                         .largest = largest,
                         .is_whole = is_whole};
}

static void it_grows_by_half(void **state)
{
    struct ramp ramp = new_ramp(INFINITY, 5, true);
    (void)state;
    assert_true(next(&ramp, 1, 100, 0.1) == 2);
    assert_true(next(&ramp, 2, 200, 0.1) == 3);
    assert_true(next(&ramp, 3, 300, 0.1) == 5);
    assert_int_equal(ramp.end, RAMP_GOES_ON);
    next(&ramp, 5, 500, 0.1);
    assert_int_equal(ramp.end, RAMP_LARGEST);
    struct ramp rates = new_ramp(INFINITY, 1000, false);
    assert_true(next(&rates, 1, 1, 0.1) == 1.5);
}

static void throughput_ends_it(void **state)
{
    struct ramp ramp = new_ramp(INFINITY, 1e6, true);
    (void)state;
    next(&ramp, 10, 1000, 0.1);
    next(&ramp, 15, 1060, 0.1);
    assert_int_equal(ramp.end, RAMP_GOES_ON);
    next(&ramp, 23, 1100, 0.1); /* less than a twentieth more */
    assert_int_equal(ramp.end, RAMP_THROUGHPUT);
    assert_true(ramp_best(&ramp)->level == 23);
}

/* What was beyond the limit is not the best one, however much it has done. */
static void a_percentile_ends_it(void **state)
{
    struct ramp ramp = new_ramp(0.2, 1e6, false);
    (void)state;
    next(&ramp, 10, 10, 0.1);
    next(&ramp, 15, 15, 0.2);
    assert_int_equal(ramp.end, RAMP_GOES_ON);
    next(&ramp, 22.5, 22, 0.21);
    assert_int_equal(ramp.end, RAMP_PERCENTILE);
    assert_true(ramp_best(&ramp)->level == 15);
}

/* A stage in which nothing ended has no percentile. */
static void nothing_done_ends_it(void **state)
{
    struct ramp ramp = new_ramp(0.2, 1e6, false);
    (void)state;
    next(&ramp, 10, 0, (double)NAN);
    assert_int_equal(ramp.end, RAMP_THROUGHPUT);
    assert_null(ramp_best(&ramp));
}

/* However many answers came in the short time that it had. */
static void a_cut_stage_is_not_the_best(void **state)
{
    struct ramp ramp = new_ramp(INFINITY, 1e6, false);
    const struct ramp_stage cut = {.level = 15, .throughput = 500, .is_cut = true};
    (void)state;
    assert_null(ramp_best(&ramp));
    next(&ramp, 10, 10, 0.1);
    ramp_next(&ramp, &cut);
    assert_int_equal(ramp.n_stages, 2);
    assert_true(ramp_best(&ramp)->level == 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_grows_by_half),
        cmocka_unit_test(throughput_ends_it),
        cmocka_unit_test(a_percentile_ends_it),
        cmocka_unit_test(nothing_done_ends_it),
        cmocka_unit_test(a_cut_stage_is_not_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
