/* What a collector reports of its aggregates, and collectors of collectors: an aggregate of
 * aggregates is the aggregate over all leaves. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "collector.h"

#define COLLECTORS 3

/* Leaves below collectors below a root; and one node that has all the leaves itself. */
struct site {
    struct collector *root, *flat;
    struct collector *collectors[COLLECTORS];
    struct leaf *known[COLLECTORS];       /* the collectors, as the root knows them */
    struct leaf *leaves[LEAVES_MAX];      /* below collectors */
    struct leaf *flat_leaves[LEAVES_MAX]; /* the same, of the one node */
    size_t below[LEAVES_MAX];             /* which collector */
    size_t n;
};

static const struct {
    const char *function, *parameter;
    bool exact;
} functions[] = {
    {"sum", "", true},         {"avg", "", false},         {"min", "", true},
    {"max", "", true},         {"count", "", true},        {"stddev", "", false},
    {"percentile", "1", true}, {"percentile", "50", true}, {"percentile", "99.9", true},
};

static void site_leaf(struct site *site, size_t below)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "leaf%zu", site->n);
    site->leaves[site->n] = collector_leaf(site->collectors[below], name, "default");
    site->flat_leaves[site->n] = collector_leaf(site->flat, name, "default");
    site->below[site->n++] = below;
}

/* Every node computes each function; collectors may have another one under the same name, as the
 * root takes the leaves. */
static void site_aggregates(struct site *site, const char *by)
{
    char name[NAME_SIZE];
    for (size_t f = 0; f < N_OF(functions); f++) {
        snprintf(name, sizeof name, "f%zu", f);
        AGGREGATE(site->flat, name, "sensor", "rx", "function", functions[f].function, "parameter",
                  functions[f].parameter, "by", by);
        AGGREGATE(site->root, name, "sensor", "below", "function", functions[f].function,
                  "parameter", functions[f].parameter, "by", by);
    }
    for (size_t i = 0; i < COLLECTORS; i++)
        AGGREGATE(site->collectors[i], "below", "sensor", "rx", "function", i ? "avg" : "sum", "by",
                  by);
}

static struct site *site_new(const char *by)
{
    struct site *site = calloc(1, sizeof *site);
    site->root = collector_new();
    site->flat = collector_new();
    for (size_t i = 0; i < COLLECTORS; i++) {
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "collector%zu", i);
        site->collectors[i] = collector_new();
        site->known[i] = collector_leaf(site->root, name, "default");
    }
    site_aggregates(site, by);
    return site;
}

static void site_free(struct site *site)
{
    for (size_t i = 0; i < COLLECTORS; i++)
        collector_free(site->collectors[i]);
    collector_free(site->root);
    collector_free(site->flat);
    free(site);
}

static void site_value(struct site *site, size_t leaf, const char *instance, double value)
{
    leaf_value(site->leaves[leaf], "rx", instance, value);
    leaf_value(site->flat_leaves[leaf], "rx", instance, value);
}

static void site_answer(struct site *site, size_t leaf)
{
    leaf_answer(site->collectors[site->below[leaf]], site->leaves[leaf]);
    leaf_answer(site->flat, site->flat_leaves[leaf]);
}

static void site_lost(struct site *site, size_t leaf)
{
    leaf_silent(site->collectors[site->below[leaf]], site->leaves[leaf], 3);
    leaf_silent(site->flat, site->flat_leaves[leaf], 3);
}

static void site_step(struct site *site)
{
    for (size_t i = 0; i < COLLECTORS; i++) {
        collector_step(site->collectors[i], 5000);
        collector_tell(site->collectors[i], site->root, site->known[i]);
    }
    collector_step(site->root, 5000);
    collector_step(site->flat, 5000);
}

static void assert_row(const struct site *site, size_t function, const char *instance)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "f%zu", function);
    const struct rollup_value *row = row_at(site->root, name, instance),
                              *flat = row_at(site->flat, name, instance);
    if (!row || !flat)
        fail_msg("%s of %s is not in both", functions[function].function, instance);
    double scale = fabs(flat->result.value) + 1;
    double difference = fabs(row->result.value - flat->result.value);
    if (row->result.state != flat->result.state || row->expected != flat->expected ||
        row->reporting != flat->reporting ||
        difference > (functions[function].exact ? 0 : 1e-9 * scale))
        fail_msg("%s of %s: %.17g, %u of %u; over all leaves: %.17g, %u of %u",
                 functions[function].function, instance, row->result.value, row->reporting,
                 row->expected, flat->result.value, flat->reporting, flat->expected);
}

static void assert_same(const struct site *site, const char *const *instances, size_t n)
{
    for (size_t f = 0; f < N_OF(functions); f++)
        for (size_t i = 0; i < n; i++)
            assert_row(site, f, instances[i]);
}

/* -- Equal to all leaves --------------------------------------------------------------------- */

static double integer_value(void)
{
    return (double)(random() % 2000001 - 1000000);
}

/* Many decades, so that histograms are cut into several blocks. */
static double any_value(void)
{
    return floor(pow(10, (double)(random() % 14))) * (random() % 5 ? 1 : -1) + integer_value();
}

static void levels(const char *by, const char *const *instances, size_t n, double (*value)(void))
{
    struct site *site = site_new(by);
    srandom(44);
    for (size_t i = 0; i < 30; i++)
        site_leaf(site, (size_t)random() % COLLECTORS);
    for (int round = 0; round < 6; round++) {
        for (size_t i = 0; i < site->n; i++) {
            for (size_t k = 0; k < 4; k++)
                if (round == 0 || random() % 3)
                    site_value(site, i, (const char *[]){"eth0", "eth1", "eth2", "lo"}[k],
                               random() % 10 ? value() : NONE);
            if (round < 2 || random() % 4)
                site_answer(site, i);
            else
                site_lost(site, i);
        }
        site_step(site);
        assert_same(site, instances, n);
    }
    site_free(site);
}

static void over_all(void **state)
{
    (void)state;
    levels("all", (const char *[]){"total"}, 1, integer_value);
    levels("all", (const char *[]){"total"}, 1, any_value);
}

static void over_instances(void **state)
{
    (void)state;
    levels("instance", (const char *[]){"eth0", "eth1", "eth2", "lo"}, 4, integer_value);
    levels("instance", (const char *[]){"eth0", "eth1", "eth2", "lo"}, 4, any_value);
}

/* -- What is missing below ------------------------------------------------------------------- */

static void what_is_missing_below(void **state)
{
    (void)state;
    struct site *site = site_new("all");
    for (size_t i = 0; i < 6; i++) {
        site_leaf(site, i % COLLECTORS);
        site_value(site, i, "eth0", pow(10, (double)i));
        site_answer(site, i);
    }
    site_step(site);
    check_row(site->root, "f0", "total", 111111, 6, 6);
    site_lost(site, 1);
    site_step(site);
    check_row(site->root, "f0", "total", 111101, 6, 5);
    site_lost(site, 4); /* now of one collector nothing is left */
    site_step(site);
    check_row(site->root, "f0", "total", 101101, 6, 4);
    check_row(site->root, "f4", "total", 4, 6, 4);
    site_value(site, 1, "eth0", 70);
    site_answer(site, 1);
    site_step(site);
    check_row(site->root, "f0", "total", 101171, 6, 5);
    site_free(site);
}

static void a_collector_that_is_lost(void **state)
{
    (void)state;
    struct site *site = site_new("all");
    for (size_t i = 0; i < 6; i++) {
        site_leaf(site, i % COLLECTORS);
        site_value(site, i, "eth0", pow(10, (double)i));
        site_answer(site, i);
    }
    collector_step(site->root, 0);
    check_row(site->root, "f0", "total", NONE, 3, 0); /* nobody knows how many leaves there are */
    site_step(site);
    leaf_silent(site->root, site->known[0], 3);
    collector_step(site->root, 5000);
    check_row(site->root, "f0", "total", 110110, 6, 4);
    for (size_t i = 1; i < COLLECTORS; i++)
        leaf_silent(site->root, site->known[i], 3);
    collector_step(site->root, 5000);
    check_row(site->root, "f0", "total", NONE, 6, 0);
    site_step(site);
    check_row(site->root, "f0", "total", 111111, 6, 6);
    assert_int_equal(row_at(site->root, "f0", "total")->oldest_ms, 10000 + 5000);
    site_free(site);
}

/* An aggregate of the collector that ends is not expected any more. */
static void an_aggregate_that_ends_below(void **state)
{
    (void)state;
    struct site *site = site_new("all");
    for (size_t i = 0; i < COLLECTORS; i++) {
        site_leaf(site, i);
        site_value(site, i, "eth0", pow(10, (double)i));
        site_answer(site, i);
    }
    site_step(site);
    check_row(site->root, "f0", "total", 111, 3, 3);
    config_find(site->collectors[2]->polled->config, ROW_AGGREGATE, "below")->status =
        ROW_NOT_IN_SERVICE;
    collector_sync(site->collectors[2]);
    site_step(site);
    check_row(site->root, "f0", "total", 11, 2, 2);
    site_free(site);
}

/* -- Top and share over levels --------------------------------------------------------------- */

static void top_of_tops(void **state)
{
    struct collector *root = *state, *below = collector_new();
    struct leaf *known = collector_leaf(root, "mid", "default");
    struct leaf *a = collector_leaf(below, "a", "default"),
                *b = collector_leaf(below, "b", "default");
    AGGREGATE(below, "busy", "sensor", "rx", "function", "top", "parameter", "2");
    AGGREGATE(root, "busy", "sensor", "busy", "function", "top", "parameter", "1");
    AGGREGATE(root, "n", "sensor", "busy", "function", "count");
    for (int round = 0; round < 4; round++) {
        leaf_value(a, "rx", "eth0", round == 2 ? 50 : 1);
        leaf_says(below, a, "rx", "eth1", 20);
        leaf_says(below, b, "rx", "eth0", round == 1 ? 40 : 10);
        collector_step(below, 5000);
        collector_tell(below, root, known);
        collector_step(root, 5000);
        /* What was among the top before is neither expected nor reporting. */
        check_row(root, "n", "total", 2, 2, 2);
        check_row(root, "busy",
                  (const char *[]){"mid/a/eth1", "mid/b/eth0", "mid/a/eth0", "mid/a/eth1"}[round],
                  (const double[]){20, 40, 50, 20}[round], 2, 2);
        assert_int_equal(n_values(root, "busy"), 1);
    }
    collector_free(below);
}

static void share_of_shares(void **state)
{
    struct collector *root = *state, *below[2] = {collector_new(), collector_new()};
    AGGREGATE(root, "part", "sensor", "part", "function", "share");
    AGGREGATE(root, "sum", "sensor", "part", "function", "sum");
    for (size_t i = 0; i < 2; i++) {
        struct leaf *known = collector_leaf(root, i ? "m1" : "m0", "default");
        struct leaf *leaf = collector_leaf(below[i], "a", "default");
        AGGREGATE(below[i], "part", "sensor", "rx", "function", "share");
        leaf_value(leaf, "rx", "eth0", i ? 10 : 20);
        leaf_says(below[i], leaf, "rx", "eth1", i ? 30 : 40);
        collector_step(below[i], 0);
        collector_tell(below[i], root, known);
    }
    collector_step(root, 5000);
    check_row(root, "sum", "total", 100, 4, 4);
    check_row(root, "part", "m0/a/eth0", 20, 4, 4);
    check_row(root, "part", "m0/a/eth1", 40, 4, 4);
    check_row(root, "part", "m1/a/eth0", 10, 4, 4);
    check_row(root, "part", "m1/a/eth1", 30, 4, 4);
    for (size_t i = 0; i < 2; i++)
        collector_free(below[i]);
}

/* -- What is reported ------------------------------------------------------------------------ */

struct seen {
    size_t windows, values;
    struct report_window window;
    struct result result;
};

static int see(void *context, const struct report_entry *entry)
{
    struct seen *seen = context;
    if (entry->kind == REPORT_WINDOW) {
        assert_int_equal(seen->windows, seen->values); /* the leaves come first */
        seen->windows++;
        seen->window = entry->window;
    } else {
        seen->values++;
        seen->result = entry->result;
    }
    return 0;
}

/* What has come since the last time. */
static struct seen seen_of(struct collector *collector)
{
    struct seen seen = {.windows = 0};
    struct report_header header;
    const char *why = NULL;
    for (struct index_node *node = index_first(&collector->report.index); node;
         node = index_next(node)) {
        const struct report_block *block = (struct report_block *)node;
        if (block->sequence >= collector->next_block)
            assert_int_equal(report_decode(block->bytes, block->len, &header, see, &seen, &why), 0);
    }
    collector->next_block = collector->report.last + 1;
    assert_int_equal(seen.windows, seen.values);
    return seen;
}

static void what_is_reported(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "default");
    struct leaf *b = collector_leaf(collector, "b", "default");
    AGGREGATE(collector, "sum", "sensor", "rx", "function", "sum", "interval", "2s");
    leaf_says(collector, a, "rx", "eth0", 0.1);
    leaf_says(collector, a, "rx", "eth1", 0.2);
    collector_step(collector, 2000);
    struct seen seen = seen_of(collector);
    assert_int_equal(seen.windows, 1);
    assert_true(seen.window.has_moments && seen.window.has_totals);
    assert_int_equal(seen.window.window_ms, 2000);
    assert_int_equal(seen.window.count, 2);
    assert_true(seen.window.min == 0.1 && seen.window.max == 0.2);
    assert_int_equal(seen.window.totals.expected, 3);
    assert_int_equal(seen.window.totals.oldest_ms, 2000);
    assert_true(seen.window.totals.sum == seen.result.value);
    assert_true(fabs(seen.result.value - 0.3) < 1e-15);
    leaf_silent(collector, a, 3);
    leaf_silent(collector, b, 3);
    collector_step(collector, 2000);
    seen = seen_of(collector);
    assert_int_equal(seen.windows, 1);
    assert_int_equal(seen.window.count, 0);
    assert_int_equal(seen.window.totals.expected, 3);
    assert_true(seen.window.totals.sum == 0);
    assert_int_equal(seen.result.state, RESULT_UNAVAILABLE);
}

static void add_filter(struct collector *collector)
{
    struct row *row = row_new(ROW_FILTER, "slow");
    polled_set(row, "deadband", "10");
    row->status = ROW_ACTIVE;
    assert_true(config_add(collector->polled->config, row));
}

/* A deadband holds what has hardly moved; but never a change of the counts. */
static void filtered(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "default");
    struct leaf *b = collector_leaf(collector, "b", "default");
    add_filter(collector);
    AGGREGATE(collector, "sum", "sensor", "rx", "function", "sum", "filter", "slow");
    leaf_says(collector, b, "rx", "eth0", 0);
    leaf_says(collector, a, "rx", "eth0", 100);
    collector_step(collector, 5000);
    assert_int_equal(seen_of(collector).windows, 1);
    leaf_says(collector, a, "rx", "eth0", 109);
    collector_step(collector, 5000);
    assert_int_equal(seen_of(collector).windows, 0);
    check_row(collector, "sum", "total", 109, 2, 2); /* the tables show every value */
    leaf_silent(collector, b, 3);
    collector_step(collector, 5000);
    assert_int_equal(seen_of(collector).window.totals.expected, 2);
    leaf_says(collector, a, "rx", "eth0", 112); /* of 109 now */
    collector_step(collector, 5000);
    assert_int_equal(seen_of(collector).windows, 0);
    leaf_says(collector, a, "rx", "eth0", 120);
    collector_step(collector, 5000);
    assert_int_equal(seen_of(collector).windows, 1);
    const struct rollup *running = aggregates_find(&collector->aggregates, "sum");
    assert_int_equal(running->passed, 3);
    assert_int_equal(running->held, 2);
}

/* -- Children that cannot be trusted --------------------------------------------------------- */

/* What calls itself an aggregate and is none counts as one that is missing. */
static void no_aggregate_at_all(void **state)
{
    struct collector *root = *state;
    struct leaf *liar = collector_leaf(root, "liar", "default");
    AGGREGATE(root, "sum", "sensor", "rx", "function", "sum");
    leaf_value(liar, "rx", "eth0", 1e6);
    leaf_number(liar, "rx", "eth0");
    liar->named = 1;
    leaf_answer(root, liar);
    struct message_series series = series_of(child_of(root, liar), 1, "rx", "eth0");
    snprintf(series.metric, sizeof series.metric, "aggregate");
    children_message(&root->polled->children, &series.head, root->polled->now);
    collector_step(root, 0);
    check_row(root, "sum", "total", NONE, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_all),
        cmocka_unit_test(over_instances),
        cmocka_unit_test(what_is_missing_below),
        cmocka_unit_test(a_collector_that_is_lost),
        cmocka_unit_test(an_aggregate_that_ends_below),
        collector_test(top_of_tops),
        collector_test(share_of_shares),
        collector_test(what_is_reported),
        collector_test(filtered),
        collector_test(no_aggregate_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
