/* Against SciPy: fit_truth.py. */
#include "calculate/incomplete_gamma.h"

#include <math.h>

#include "fit_truth.h"
#include "unit.h"

static const struct truth {
    double a, x, q;
} truths[] = {INCOMPLETE_GAMMA_TRUTHS};

static void is_that_of_scipy(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(truths); i++) {
        const struct truth *truth = &truths[i];
        double q = incomplete_gamma(truth->a, truth->x);
        if (!(fabs(q - truth->q) <= 1e-9 * truth->q + 1e-300))
            fail_msg("Q(%g, %g) is %.17g, not %.17g", truth->a, truth->x, q, truth->q);
    }
}

/* Of two degrees of freedom, it is the exponential function. */
static void is_exponential_for_two_degrees(void **state)
{
    (void)state;
    for (double x = 0; x < 700; x += 0.7)
        assert_true(fabs(incomplete_gamma(1, x) / exp(-x) - 1) < 1e-9);
}

/* No step where one expansion gives way to the other. */
static void falls_all_the_way(void **state)
{
    (void)state;
    for (double a = 0.5; a <= INCOMPLETE_GAMMA_MAX; a *= 3)
        for (double x = 0, last = 1; x < 3 * a; x += a / 64) {
            double q = incomplete_gamma(a, x);
            assert_true(q >= 0 && q <= last);
            last = q;
        }
    double above = nextafter(8, INFINITY), below = nextafter(8, 0);
    assert_true(fabs(incomplete_gamma(7, above) / incomplete_gamma(7, below) - 1) < 1e-12);
}

static void what_has_no_value_is_no_number(void **state)
{
    (void)state;
    const double wrong[][2] = {
        {0, 1},     {0.49, 1},     {-1, 1},  {INCOMPLETE_GAMMA_MAX * 1.01, 1},
        {1, -1e-9}, {1, INFINITY}, {NAN, 1}, {1, NAN}};
    for (size_t i = 0; i < N_OF(wrong); i++)
        assert_true(isnan(incomplete_gamma(wrong[i][0], wrong[i][1])));
    assert_true(incomplete_gamma(INCOMPLETE_GAMMA_MIN, 0) == 1);
    assert_true(incomplete_gamma(1, 1e300) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_that_of_scipy),
        cmocka_unit_test(is_exponential_for_two_degrees),
        cmocka_unit_test(falls_all_the_way),
        cmocka_unit_test(what_has_no_value_is_no_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
