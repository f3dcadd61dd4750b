/* Windows of series of children: parts become whole, and what does not fit is left out. */
#include "children/window.h"

#include "unit.h"

/* One part with so many of the values from first on; the moments are of all n values. */
struct part {
    int64_t wall_ms;
    bool has_moments;
    int first, counted; /* in the histogram; -1: there is none */
    int n;              /* in the moments */
};

static bool take(struct child_window **window, const struct part *part)
{
    struct statistics_window all = {0}, counted = {0};
    for (int i = 0; i < part->n; i++)
        assert_int_equal(statistics_window_add(&all, i + 1), 0);
    for (int i = part->first; i < part->first + part->counted; i++)
        assert_int_equal(statistics_window_add(&counted, i + 1), 0);
    const struct report_entry entry = {
        .wall_ms = part->wall_ms,
        .kind = REPORT_WINDOW,
        .window = {.window_ms = 1000,
                   .has_moments = part->has_moments,
                   .count = all.count,
                   .min = all.min,
                   .max = all.max,
                   .mean = all.mean,
                   .m2 = all.m2,
                   .histogram = part->counted < 0 ? NULL : &counted.histogram}};
    bool is_whole;
    assert_int_equal(child_window_take(window, &entry, &is_whole), 0);
    statistics_window_release(&all);
    statistics_window_release(&counted);
    return is_whole;
}

static void parts_become_whole(void **state)
{
    static const struct {
        const char *name;
        struct part parts[4];
        int whole[4]; /* count of the latest window after each part; 0: there is none */
    } cases[] = {
        {"in one part", {{1, true, 0, 3, 3}, {2, true, 0, 2, 2}}, {3, 2}},
        {"in two parts", {{1, true, 0, 2, 3}, {1, false, 2, 1, 0}}, {0, 3}},
        {"in three parts, then one",
         {{1, true, 0, 1, 3}, {1, false, 1, 1, 0}, {1, false, 2, 1, 0}, {2, true, 0, 4, 4}},
         {0, 0, 3, 4}},
        {"the first part is missing", {{1, false, 1, 1, 0}, {2, true, 0, 2, 2}}, {0, 2}},
        {"a part of another window",
         {{1, true, 0, 2, 3}, {2, false, 2, 1, 0}, {1, false, 2, 1, 0}},
         {0, 0, 3}},
        {"a new one begins before the end",
         {{1, true, 0, 2, 3}, {2, true, 0, 1, 2}, {1, false, 2, 1, 0}, {2, false, 1, 1, 0}},
         {0, 0, 0, 2}},
        {"the latest stays while the next comes", {{1, true, 0, 3, 3}, {2, true, 0, 1, 2}}, {3, 3}},
        {"without histograms", {{1, true, 0, -1, 3}, {2, true, 0, -1, 2}}, {3, 2}},
        {"with one, without, with one",
         {{1, true, 0, 3, 3}, {2, true, 0, -1, 2}, {3, true, 0, 1, 4}, {3, false, 1, 3, 0}},
         {3, 2, 2, 4}},
        {"a part of one that has none",
         {{1, true, 0, -1, 3}, {1, false, 0, 3, 0}, {2, true, 0, 2, 2}},
         {3, 3, 2}},
        {"more than was said", {{1, true, 0, 2, 3}, {1, false, 2, 2, 0}}, {0, 0}},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct child_window *window = NULL;
        uint64_t finished = 0;
        for (size_t k = 0; k < 4 && cases[i].parts[k].wall_ms; k++) {
            bool is_whole = take(&window, &cases[i].parts[k]);
            finished += is_whole;
            assert_non_null(window);
            if ((int)window->whole.window.count != cases[i].whole[k] ||
                window->finished != finished)
                fail_msg("%s, part %zu: %d, %d windows", cases[i].name, k,
                         (int)window->whole.window.count, (int)window->finished);
        }
        child_window_free(window);
    }
}

static void totals_are_of_the_window(void **state)
{
    struct child_window *window = NULL;
    struct statistics_window one = {0};
    bool is_whole;
    (void)state;
    assert_int_equal(statistics_window_add(&one, 5), 0);
    struct report_entry entry = {.wall_ms = 1,
                                 .kind = REPORT_WINDOW,
                                 .window = {.window_ms = 1000,
                                            .has_moments = true,
                                            .has_totals = true,
                                            .totals = {.expected = 7},
                                            .count = 1,
                                            .min = 5,
                                            .max = 5,
                                            .mean = 5,
                                            .histogram = &one.histogram}};
    assert_int_equal(child_window_take(&window, &entry, &is_whole), 0);
    assert_true(is_whole);
    assert_true(window->whole.has_totals);
    assert_int_equal(window->whole.totals.expected, 7);
    assert_int_equal(window->whole.window.count, 1);
    entry.wall_ms = 2;
    entry.window.has_totals = false;
    assert_int_equal(child_window_take(&window, &entry, &is_whole), 0);
    assert_true(is_whole);
    assert_false(window->whole.has_totals);
    statistics_window_release(&one);
    child_window_free(window);
}

static void the_cost_is_what_it_has(void **state)
{
    struct child_window *window = NULL;
    (void)state;
    assert_int_equal(child_window_cost(NULL), 0);
    child_window_free(NULL);
    take(&window, &(struct part){1, true, 0, 1, 2});
    size_t least = child_window_cost(window);
    assert_true(least > sizeof *window);
    take(&window, &(struct part){1, false, 1, 1, 0});
    take(&window, &(struct part){2, true, 0, 300, 300});
    assert_int_equal(child_window_cost(window),
                     sizeof *window +
                         sizeof(uint32_t) * (size_t)(window->parts.window.histogram.positive.size +
                                                     window->whole.window.histogram.positive.size));
    assert_true(child_window_cost(window) > least);
    child_window_free(window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_become_whole),
                                       cmocka_unit_test(totals_are_of_the_window),
                                       cmocka_unit_test(the_cost_is_what_it_has)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
