/* Aggregates when some allocation fails while they are set up, matched or computed: they have the
 * same values later. */
#include "collector.h"
#include "scarce.h"

static const char *const functions[][5] = {
    {"load.sum", "sum", "all", NULL, NULL},      {"load.avg", "avg", "group", NULL, NULL},
    {"load.max", "max", "instance", NULL, NULL}, {"load.p95", "percentile", "all", "95", NULL},
    {"load.top", "top", "all", "2", NULL},       {"load.share", "share", "all", NULL, NULL},
};

static void add_aggregates(struct collector *collector)
{
    for (size_t i = 0; i < N_OF(functions); i++) {
        struct row *row = row_new(ROW_AGGREGATE, functions[i][0]);
        polled_set(row, "sensor", "load");
        polled_set(row, "interval", "1s");
        polled_set(row, "function", functions[i][1]);
        polled_set(row, "by", functions[i][2]);
        if (functions[i][3])
            polled_set(row, "parameter", functions[i][3]);
        assert_null(row_fault(row));
        row->status = ROW_ACTIVE;
        assert_true(config_add(collector->polled->config, row));
    }
}

static void tell(struct collector *collector)
{
    static const char *const instances[] = {"a", "b", "c"};
    for (size_t i = 0; i < collector->n_leaves; i++)
        for (size_t k = 0; k < N_OF(instances); k++)
            leaf_value(collector->leaves[i], "load", instances[k], (double)(1 + i + k));
    for (size_t i = 0; i < collector->n_leaves; i++)
        leaf_answer(collector, collector->leaves[i]);
}

static size_t step(struct collector *collector)
{
    polled_wait(collector->polled, 1000);
    scarce_go_on();
    aggregates_sync(&collector->aggregates, collector->polled->config, collector->polled->now);
    while (aggregates_step(&collector->aggregates, &collector->polled->children,
                           collector->polled->now))
        ;
    report_flush(&collector->report);
    scarce_stop();
    return collector->aggregates.values.shown.count;
}

/* The sum of all values that are shown, and how many there are. */
static double shown_with(size_t nth, size_t *n, bool *failed)
{
    struct collector *collector = collector_new();
    double sum = 0;
    collector_leaf(collector, "one", "red");
    collector_leaf(collector, "two", "blue");
    tell(collector);
    add_aggregates(collector);
    scarce_fail(nth);
    scarce_stop();
    step(collector);
    tell(collector);
    step(collector);
    *failed = scarce_stop();
    scarce_fail(0);
    tell(collector);
    step(collector);
    *n = step(collector);
    scarce_stop();
    for (struct index_node *node = index_first(&collector->aggregates.values.shown); node;
         node = index_next(node)) {
        const struct rollup_value *value = (struct rollup_value *)node;
        if (value->result.state != RESULT_VALID)
            fail_msg("allocation %zu: %s of %s has no value", nth, value->entry.sensor,
                     value->instance);
        sum += value->result.value;
    }
    collector_free(collector);
    return sum;
}

static void the_values_are_the_same_later(void **state)
{
    (void)state;
    size_t whole_n, n, nth = 1;
    bool failed;
    double whole = shown_with(0, &whole_n, &failed);
    assert_true(whole_n > 2 * N_OF(functions));
    for (failed = true; failed; nth++) {
        double sum = shown_with(nth, &n, &failed);
        if (n != whole_n || fabs(sum - whole) > 1e-9 * whole)
            fail_msg("allocation %zu: %zu values, in sum %g, not %zu and %g", nth, n, sum, whole_n,
                     whole);
    }
    assert_true(nth > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_values_are_the_same_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
