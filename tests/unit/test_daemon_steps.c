/* Executions of steps on their way from programs, whose segments are forged, through the whole
 * daemon. */
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/forged.h"
#include "tests/unit/node.h"
#include "tests/unit/unit.h"

#define SENSOR(name, metric, more) "<sensor name=\"" name "\" metric=\"" metric "\" " more "/>"

/* -- A program --------------------------------------------------------------------------------- */

struct shop {
    struct forged *forged;
    int fd;
    uint64_t number; /* of the last record */
};

static struct shop open_shop(const struct node *node, const char *const *steps)
{
    struct shop shop = {.forged = forged_new("shop")};
    char file[PATH_MAX + 8];
    snprintf(file, sizeof file, "%s/77.1", node->apps_dir);
    for (; *steps; steps++)
        forged_sensor(shop.forged, SEGMENT_STEP, *steps, "", "s");
    shop.fd = forged_publish(shop.forged, file, true);
    return shop;
}

static void write_shop(const struct shop *shop)
{
    assert_int_equal(pwrite(shop->fd, shop->forged->octets, shop->forged->size, 0),
                     shop->forged->size);
}

static void close_shop(const struct shop *shop)
{
    close(shop->fd);
    forged_free(shop->forged);
}

static struct segment_record *run_step(struct shop *shop, uint32_t step, uint64_t sequence,
                                       uint64_t start_ms, uint64_t ms)
{
    struct segment_record *record = forged_record(shop->forged, 1, ++shop->number, step);
    record->sequence = sequence;
    record->start = start_ms * NS_PER_MS;
    record->duration = ms * NS_PER_MS;
    return record;
}

static const char *user(void)
{
    const struct passwd *passwd = getpwuid(geteuid());
    assert_non_null(passwd);
    return passwd->pw_name;
}

static const struct series *series_of(const struct node *node, const char *sensor,
                                      const char *instance)
{
    char whole[INSTANCE_SIZE];
    snprintf(whole, sizeof whole, "%s/%s", user(), instance);
    return measure_series(&node->daemon->measure, sensor, whole);
}

static double value_of(const struct node *node, const char *sensor, const char *instance)
{
    const struct series *series = series_of(node, sensor, instance);
    if (!series || series->result.state != RESULT_VALID)
        fail_msg("%s of %s has no value: %d", sensor, instance,
                 series ? (int)series->result.state : 0);
    return series->result.value;
}

/* -- What the blocks have -------------------------------------------------------------------- */

struct had {
    size_t n;
    uint64_t sequences; /* their sum */
    uint32_t series;    /* of the last one */
    struct report_record last;
    char node[ALARM_PATH_SIZE]; /* of that */
};

static int take(void *context, const struct report_entry *entry)
{
    struct had *had = context;
    if (entry->kind != REPORT_RECORD)
        return 0;
    had->n++;
    had->sequences += entry->record.sequence;
    had->series = entry->series;
    had->last = entry->record;
    snprintf(had->node, sizeof had->node, "%.*s", (int)entry->record.node_len, entry->record.node);
    return 0;
}

static struct had had_of(const struct node *node)
{
    struct had had = {.n = 0};
    for (struct index_node *i = index_first(&node->daemon->report.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct report_header header;
        const char *why = "";
        assert_int_equal(report_decode(block->bytes, block->len, &header, take, &had, &why), 0);
    }
    return had;
}

/* -- Records --------------------------------------------------------------------------------- */

static void records_are_in_the_blocks_once(void **state)
{
    (void)state;
    struct node *node =
        node_new("<sensors>" SENSOR("slow", "app.records", "interval=\"5s\"")
                     SENSOR("one", "app.records", "instances=\"*:pay\"")
                         SENSOR("often", "app.count", "interval=\"1s\"") "</sensors>");
    node_cycle(node, 0);
    struct shop shop = open_shop(node, (const char *const[]){"pay", "cook", NULL});
    node_cycle(node, 1000);
    assert_int_equal(had_of(node).n, 0);
    run_step(&shop, 0, 7, 1000, 5);
    run_step(&shop, 1, 8, 2000, 6);
    write_shop(&shop);
    node_cycle(node, 1000);
    struct had had = had_of(node);
    assert_int_equal(had.n, 2);
    assert_int_equal(had.sequences, 15);
    for (unsigned i = 0; i < 10; i++)
        node_cycle(node, 1000);
    assert_int_equal(had_of(node).n, 2);
    struct segment_record *record = run_step(&shop, 1, 9, 3000, 7);
    record->result = -3;
    record->flags = SEGMENT_RECORD_HAS_CPU;
    record->cpu = 4711;
    write_shop(&shop);
    node_cycle(node, 1000);
    had = had_of(node);
    assert_int_equal(had.n, 3);
    assert_int_equal(had.series, series_of(node, "slow", "shop:cook")->entry.number);
    assert_int_equal(had.last.result, -3);
    assert_int_equal(had.last.start_ns, 3000 * NS_PER_MS);
    assert_int_equal(had.last.duration_ns, 7 * NS_PER_MS);
    assert_true(had.last.has_cpu && !had.last.has_allocated);
    assert_int_equal(had.last.cpu_ns, 4711);
    for (unsigned i = 0; i < 5; i++)
        node_cycle(node, 1000);
    assert_true(value_of(node, "slow", "shop:cook") == 2);
    assert_true(value_of(node, "slow", "shop:pay") == 1);
    close_shop(&shop);
    node_free(node);
}

/* Without a sensor on app.records there are none. */
static void records_nobody_wants(void **state)
{
    (void)state;
    struct node *node =
        node_new("<sensors>" SENSOR("lost", "app.lost", "") SENSOR("left", "app.unreported", "")
                     SENSOR("others", "app.records", "instances=\"*:other\"") "</sensors>");
    node_cycle(node, 0);
    struct shop shop = open_shop(node, (const char *const[]){"pay", NULL});
    node_cycle(node, 1000);
    for (unsigned i = 0; i < 10; i++)
        run_step(&shop, 0, 1, 1000, 5);
    write_shop(&shop);
    node_cycle(node, 1000);
    assert_int_equal(had_of(node).n, 0);
    assert_true(value_of(node, "lost", "shop") == 0);
    assert_true(value_of(node, "left", "shop") == 0);
    close_shop(&shop);
    node_free(node);
}

/* A ring of blocks that is small keeps half of itself for the rest. */
static void records_that_do_not_fit_are_counted(void **state)
{
    (void)state;
    struct node *node = node_new(
        "<report keep=\"16\" block-bytes=\"256\"/><sensors>" SENSOR("all", "app.records", "")
            SENSOR("left", "app.unreported", "") SENSOR("lost", "app.lost", "") "</sensors>");
    node_cycle(node, 0);
    struct shop shop = open_shop(node, (const char *const[]){"pay", NULL});
    node_cycle(node, 1000);
    for (unsigned i = 0; i < 500; i++)
        run_step(&shop, 0, 1, 1000, 5);
    write_shop(&shop);
    node_cycle(node, 1000);
    size_t n = had_of(node).n;
    assert_true(n >= 30 && n <= 60);
    assert_true(value_of(node, "all", "shop:pay") == 500);
    assert_true(value_of(node, "left", "shop") == 500 - (double)n);
    assert_true(value_of(node, "lost", "shop") == 0);
    for (unsigned i = 0; i < SEGMENT_RING + 3; i++)
        run_step(&shop, 0, 1, 1000, 5);
    write_shop(&shop);
    node_cycle(node, 1000);
    assert_true(value_of(node, "lost", "shop") == 3);
    assert_true(value_of(node, "all", "shop:pay") == 500 + SEGMENT_RING);
    close_shop(&shop);
    node_free(node);
}

/* -- Records of nodes below ------------------------------------------------------------------ */

/* As children tell them. */
static void tell(const struct node *node, uint32_t child, const char *from, const char *step,
                 uint64_t sequence)
{
    const struct record_taker *taker = node->daemon->children.taker;
    const struct report_record record = {
        .sequence = sequence, .node = from, .node_len = strlen(from)};
    char whole[INSTANCE_SIZE];
    snprintf(whole, sizeof whole, "%s/%s", user(), step);
    if (taker->wants(taker->context))
        taker->take(taker->context, child, whole, &record, node->now.mono_ns);
}

/* A collector on whose machine no programs are passes on what its sensors select. */
static void records_of_nodes_below(void **state)
{
    (void)state;
    struct node *node =
        node_new("<sensors>" SENSOR("all", "app.records", "instances=\"*:pay\"")
                     SENSOR("no-step", "app.records", "instances=\"*/shop\"")
                         SENSOR("often", "app.count", "interval=\"1s\"") "</sensors>");
    node_cycle(node, 0);
    assert_int_equal(rmdir(node->apps_dir), 0);
    tell(node, 3, "leaf", "shop:pay", 5);
    tell(node, 3, "leaf", "shop:cook", 6); /* not selected */
    tell(node, 3, "leaf", "shop", 6);      /* no step */
    assert_int_equal(had_of(node).n, 0);
    node_cycle(node, 1000);
    struct had had = had_of(node);
    assert_int_equal(had.n, 1);
    assert_int_equal(had.sequences, 5);
    assert_string_equal(had.node, "leaf");
    assert_int_equal(had.series, series_of(node, "all", "shop:pay")->entry.number);
    assert_null(series_of(node, "all", "shop:cook"));
    for (unsigned i = 0; i < 5; i++)
        node_cycle(node, 1000);
    tell(node, 3, "leaf", "shop:pay", 7);
    node_cycle(node, 1000);
    assert_int_equal(had_of(node).n, 2);
    assert_true(value_of(node, "all", "shop:pay") == 2);
    assert_int_equal(node->daemon->slots.relay.unreported, 0);
    node_free(node);
}

/* The same step is executed here and below: it is one series. */
static void records_of_here_and_below(void **state)
{
    (void)state;
    struct node *node = node_new("<sensors>" SENSOR("all", "app.records", "") "</sensors>");
    node_cycle(node, 0);
    struct shop shop = open_shop(node, (const char *const[]){"pay", NULL});
    node_cycle(node, 1000);
    run_step(&shop, 0, 1, 1000, 5);
    write_shop(&shop);
    tell(node, 3, "leaf", "shop:pay", 2);
    node_cycle(node, 1000);
    assert_int_equal(had_of(node).n, 2);
    assert_int_equal(had_of(node).sequences, 3);
    tell(node, 3, "leaf", "shop:pay", 4);
    node_cycle(node, 1000);
    assert_int_equal(had_of(node).sequences, 7);
    run_step(&shop, 0, 8, 1000, 5);
    write_shop(&shop);
    node_cycle(node, 1000);
    struct had had = had_of(node);
    assert_int_equal(had.n, 4);
    assert_int_equal(had.sequences, 15);
    assert_string_equal(had.node, "");
    assert_true(value_of(node, "all", "shop:pay") == 4);
    assert_int_equal(node->daemon->slots.relay.unreported, 0);
    close_shop(&shop);
    node_free(node);
}

/* Without a sensor nothing of a node below is kept; nor once the last one is gone. */
static void records_of_below_nobody_wants(void **state)
{
    (void)state;
    struct node *node = node_new("<sensors>" SENSOR("load", "load.1", "")
                                     SENSOR("often", "app.count", "interval=\"1s\"") "</sensors>");
    node_cycle(node, 0);
    node_cycle(node, 1000);
    tell(node, 3, "leaf", "shop:pay", 5);
    node_cycle(node, 1000);
    assert_int_equal(had_of(node).n, 0);
    assert_null(node->daemon->slots.relay.steps);
    assert_null(node->daemon->slots.flows.by_application);
    node_free(node);
}

/* -- Sequences ------------------------------------------------------------------------------- */

/* Order 1 is received, paid 30 ms later and cooked 20 ms after that; order 2 likewise, but it is
 * cooked 5 ms before it is paid, and that fails. What comes later than the rest of it is another
 * sequence, and what is in none is only an execution. */
static void sequences_have_their_figures(void **state)
{
    (void)state;
    struct node *node = node_new(
        "<sensors>" SENSOR("between", "app.latency", "calculation=\"average\" window=\"1m\"")
            SENSOR("betweens", "app.latency.count", "") SENSOR("early", "app.latency.negative", "")
                SENSOR("whole", "app.sequence.time", "calculation=\"average\" window=\"1d\"")
                    SENSOR("orders", "app.sequences", "") SENSOR("bad", "app.sequence.failed", "")
                        SENSOR("left", "app.sequence.left", "")
                            SENSOR("lost", "app.sequence.lost", "") "</sensors>");
    node_cycle(node, 0);
    struct shop shop = open_shop(node, (const char *const[]){"receive", "pay", "cook", NULL});
    node_cycle(node, 1000);
    run_step(&shop, 0, 1, 1000, 10);
    run_step(&shop, 1, 1, 1040, 10);
    run_step(&shop, 0, 2, 2000, 10);
    run_step(&shop, 0, 0, 2000, 10);
    write_shop(&shop);
    node_cycle(node, 1000);
    run_step(&shop, 2, 1, 1070, 30);
    run_step(&shop, 1, 2, 2040, 10);
    run_step(&shop, 2, 2, 2045, 25)->result = 1;
    write_shop(&shop);
    node_cycle(node, 1000);
    assert_true(value_of(node, "orders", "shop") == 0);
    assert_null(series_of(node, "between", "shop:receive>pay"));
    for (unsigned i = 0; i < 31; i++)
        node_cycle(node, 1000);
    assert_true(value_of(node, "orders", "shop") == 2);
    assert_true(value_of(node, "bad", "shop") == 1);
    assert_true(value_of(node, "lost", "shop") == 0);
    assert_true(value_of(node, "left", "shop") == 0);
    assert_true(value_of(node, "betweens", "shop:receive>pay") == 2);
    assert_true(value_of(node, "betweens", "shop:pay>cook") == 2);
    assert_true(value_of(node, "early", "shop:pay>cook") == 1);
    assert_true(value_of(node, "early", "shop:receive>pay") == 0);
    run_step(&shop, 1, 1, 4000, 10);
    write_shop(&shop);
    for (unsigned i = 0; i < 31; i++)
        node_cycle(node, 1000);
    assert_true(value_of(node, "orders", "shop") == 3);
    const struct statistics_window *window = &series_of(node, "whole", "shop")->statistics.current;
    assert_int_equal(window->count, 3);
    assert_true(fabs(window->mean - (0.1 + 0.07 + 0.01) / 3) < 1e-9);
    close_shop(&shop);
    node_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_in_the_blocks_once),
        cmocka_unit_test(records_nobody_wants),
        cmocka_unit_test(records_that_do_not_fit_are_counted),
        cmocka_unit_test(records_of_nodes_below),
        cmocka_unit_test(records_of_here_and_below),
        cmocka_unit_test(records_of_below_nobody_wants),
        cmocka_unit_test(sequences_have_their_figures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
