/* When operations of an open load begin. */
#include <math.h>

#include "base/clock.h"
#include "load/arrivals.h"
#include "unit.h"

/* No error adds up: the millionth is where it has to be, to the nanosecond. */
static void constant_ones_are_exact(void **state)
{
    struct arrivals arrivals;
    uint64_t at_ns = 0;
    (void)state;
    arrivals_begin(&arrivals, 3, false, 1);
    assert_int_equal(arrivals_next(&arrivals), 0);
    assert_int_equal(arrivals_next(&arrivals), 333333333);
    assert_int_equal(arrivals_next(&arrivals), 666666666);
    assert_int_equal(arrivals_next(&arrivals), NS_PER_S);
    arrivals_begin(&arrivals, 7000, false, 1);
    for (int i = 0; i <= 7000000; i++)
        at_ns = arrivals_next(&arrivals);
    assert_int_equal(at_ns, 1000 * NS_PER_S);
}

/* Times between them have the mean and, being exponential, the same deviation; a share e^-1 of them
 * is longer than the mean. */
static void poisson_ones_are_exponential(void **state)
{
    enum { N = 200000 };
    struct arrivals arrivals;
    double sum = 0, squares = 0;
    uint64_t before_ns = 0, n_longer = 0;
    (void)state;
    arrivals_begin(&arrivals, 1000, true, 5);
    for (int i = 0; i < N; i++) {
        uint64_t at_ns = arrivals_next(&arrivals);
        assert_true(at_ns >= before_ns);
        double ms = (double)(at_ns - before_ns) / (double)NS_PER_MS;
        sum += ms;
        squares += ms * ms;
        n_longer += ms > 1;
        before_ns = at_ns;
    }
    double mean = sum / N;
    assert_true(fabs(mean - 1) < 0.012); /* five standard errors */
    assert_true(fabs(sqrt(squares / N - mean * mean) - 1) < 0.02);
    assert_true(fabs((double)n_longer / N - exp(-1)) < 0.006);
}

static void the_seed_decides(void **state)
{
    struct arrivals a, b, c;
    (void)state;
    arrivals_begin(&a, 10, true, 1);
    arrivals_begin(&b, 10, true, 1);
    arrivals_begin(&c, 10, true, 2);
    uint64_t first_ns = arrivals_next(&a);
    assert_int_equal(first_ns, arrivals_next(&b));
    assert_int_not_equal(first_ns, arrivals_next(&c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_ones_are_exact),
        cmocka_unit_test(poisson_ones_are_exponential),
        cmocka_unit_test(the_seed_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
