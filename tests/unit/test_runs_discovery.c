/* What is beyond chance among many: the procedure as its paper has it, on sorted p-values. */
#include <stdlib.h>

#include "runs/discovery.h"
#include "unit.h"

#define MOST 200

struct world {
    double p[MOST];
    double last_alpha; /* with which one was tested last */
};

static bool is_beyond(void *context, size_t i, double alpha)
{
    struct world *world = context;
    world->last_alpha = alpha;
    return world->p[i] <= alpha;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest k of which the k-th smallest is at most alpha k / n. */
static size_t by_the_paper(const double *p, size_t n, double alpha)
{
    double sorted[MOST];
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        sorted[i] = p[i];
    qsort(sorted, n, sizeof *sorted, ascending);
    for (size_t k = 1; k <= n; k++)
        if (sorted[k - 1] <= alpha * (double)k / (double)n)
            most = k;
    return most;
}

static void as_the_paper_has_it(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < CASES(20000); i++) {
        struct world world;
        bool found[MOST];
        size_t n = (size_t)(rand() % MOST), different = n ? (size_t)rand() % (n + 1) : 0,
               listed = 0;
        for (size_t k = 0; k < n; k++)
            world.p[k] = (double)rand() / RAND_MAX * (k < different ? 0.02 : 1);
        size_t r = discovery_run(n, 0.05, is_beyond, &world, found);
        assert_int_equal(r, by_the_paper(world.p, n, 0.05));
        for (size_t k = 0; k < n; k++) {
            listed += found[k];
            assert_int_equal(found[k], r > 0 && world.p[k] <= 0.05 * (double)r / (double)n);
        }
        assert_int_equal(listed, r);
    }
}

static void the_last_test_has_the_level_of_the_found(void **state)
{
    struct world world = {.p = {0.001, 0.5, 0.9, 0.02}};
    bool found[4];
    (void)state;
    assert_int_equal(discovery_run(4, 0.05, is_beyond, &world, found), 2);
    assert_true(found[0] && found[3] && !found[1] && !found[2]);
    assert_true(world.last_alpha == 0.05 * 2 / 4);
}

static void of_none_there_is_none(void **state)
{
    (void)state;
    assert_int_equal(discovery_run(0, 0.05, is_beyond, NULL, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_paper_has_it),
        cmocka_unit_test(the_last_test_has_the_level_of_the_found),
        cmocka_unit_test(of_none_there_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
