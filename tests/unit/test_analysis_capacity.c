/* At which load a resource is full. */
#include <math.h>
#include <string.h>

#include "analysis/capacity.h"
#include "analysis/normal.h"
#include "analysis/random.h"
#include "near.h"
#include "unit.h"

#define WINDOWS 60

struct run {
    double x[WINDOWS], u[WINDOWS], r[WINDOWS];
};

/* Loads from low to high; each operation needs demand; utilisation idle without any, bent by bend.
 */
static void make(struct run *run, double low, double high, double demand, double idle, double bend,
                 double noise, uint64_t seed)
{
    struct random_state random = {seed};
    for (size_t i = 0; i < WINDOWS; i++) {
        double x = low + (high - low) * (double)i / (WINDOWS - 1);
        run->x[i] = x;
        run->u[i] = idle + demand * x + bend * (x / high) * (x / high) +
                    noise * normal_quantile(random_unit(&random));
        run->r[i] = demand / 100 / (1 - run->u[i] / 100);
    }
}

static struct capacity capacity(const struct run *run)
{
    struct capacity out;
    capacity_of(run->x, run->u, run->r, WINDOWS, 100, &out);
    return out;
}

static void known(void **state)
{
    (void)state;
    struct run run;
    make(&run, 100, 700, 0.1, 0, 0, 1, 1);
    struct capacity c = capacity(&run);
    assert_true(c.is_known && c.is_spread && c.is_reached && c.is_linear && c.is_proportional);
    assert_near(c.demand, 0.1, 0.005);
    assert_near(c.load, 1000, 40);
    assert_true(c.low < 1000 && c.high > 1000 && c.low < c.load && c.load < c.high);
    assert_true(c.high - c.low < 100 && c.determined > 0.95 && c.most == 700);
    assert_near(c.response_demand, 0.001, 1e-4);
    assert_near(c.response_determined, 1, 0.01);
    make(&run, 100, 700, 0.1, 20, 0, 0.5, 1);
    c = capacity(&run);
    assert_true(c.is_known && !c.is_proportional && c.is_linear);
    assert_near(c.load, 800, 30);
    assert_near(c.idle, 20, 1);
}

static void exactly(void **state)
{
    (void)state;
    struct run run;
    make(&run, 10, 50, 1, 0, 0, 0, 1);
    struct capacity c = capacity(&run);
    assert_true(c.is_known && c.is_linear && c.is_proportional);
    assert_near(c.load, 100, 1e-6);
    assert_near(c.high - c.low, 0, 1e-3);
}

static void assumptions(void **state)
{
    (void)state;
    struct run run;
    make(&run, 600, 700, 0.1, 0, 0, 0.5, 1);
    assert_false(capacity(&run).is_spread);
    make(&run, 10, 200, 0.1, 0, 0, 0.5, 1);
    assert_false(capacity(&run).is_reached);
    make(&run, 100, 700, 0.1, 0, 20, 0.5, 1);
    assert_false(capacity(&run).is_linear);
    for (size_t i = 0; i < WINDOWS; i++)
        run.r[i] = 5 + (double)(i % 7);
    assert_true(capacity(&run).response_determined < 0.1);
}

/* Wrong one time of twenty, or about that. */
static void how_often(void **state)
{
    (void)state;
    int outside = 0, bent = 0, moved = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct run run;
        make(&run, 100, 700, 0.1, 0, 0, 3, seed * 1000);
        struct capacity c = capacity(&run);
        outside += c.low > 1000 || c.high < 1000;
        bent += !c.is_linear;
        moved += !c.is_proportional;
    }
    assert_in_range(outside, 8, 34);
    assert_in_range(bent, 8, 34);
    assert_in_range(moved, 8, 34);
}

static void not_known(void **state)
{
    (void)state;
    struct run run;
    struct capacity c;
    make(&run, 100, 700, 0.1, 0, 0, 1, 1);
    capacity_of(run.x, run.u, NULL, WINDOWS, 100, &c);
    assert_true(c.is_known && isnan(c.response_demand) && isnan(c.response_determined));
    capacity_of(run.x, run.u, NULL, 0, 100, &c);
    assert_string_equal(c.why, "too few windows");
    for (size_t i = 7; i < WINDOWS; i++)
        run.u[i] = i % 2 ? NAN : -1;
    assert_string_equal(capacity(&run).why, "too few windows");
    make(&run, 500, 500, 0.1, 0, 0, 1, 1);
    assert_string_equal(capacity(&run).why, "the load was always the same");
    make(&run, 100, 700, -0.1, 90, 0, 1, 1);
    assert_string_equal(capacity(&run).why, "utilisation does not grow with the load");
    make(&run, 100, 700, 0, 50, 0, 0, 1);
    assert_string_equal(capacity(&run).why, "utilisation does not grow with the load");
    make(&run, 100, 700, 1e300, 50, 0, 0, 1);
    assert_string_equal(capacity(&run).why, "utilisation does not grow with the load");
}

/* Nothing is known of the load, but that it grows: the largest may be any. */
static void no_upper_limit(void **state)
{
    (void)state;
    struct run run;
    make(&run, 100, 110, 0.01, 50, 0, 10, 4);
    for (uint64_t seed = 5; !capacity(&run).is_known; seed++)
        make(&run, 100, 110, 0.01, 50, 0, 10, seed);
    struct capacity c = capacity(&run);
    assert_true(c.low == 0 && c.high == INFINITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known),     cmocka_unit_test(exactly),   cmocka_unit_test(assumptions),
        cmocka_unit_test(how_often), cmocka_unit_test(not_known), cmocka_unit_test(no_upper_limit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
