/* What is relayed of children: each value once, in its order and with its own time, whenever its
 * name comes, and within bounds; and what the parent makes of it. */
#include "relay/relays.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "polled.h"
#include "relay/relayed.h"

#define BOOT 7
#define SEEN_MAX 8192

struct told {
    uint32_t series;
    int64_t wall_ms;
    enum report_kind kind;
    struct result result;
};

struct scene {
    struct polled *polled;
    struct publisher publisher;
    struct report_ring report;
    struct relays relays;
    struct report_ring *leaf; /* what the child has */
    struct told told[SEEN_MAX];
    size_t n;
};

static void sync_rows(struct scene *scene)
{
    polled_sync(scene->polled);
    assert_true(relays_sync(&scene->relays, scene->polled->config, scene->polled->now));
    relays_begin(&scene->relays, scene->polled->now.mono_ns);
}

static struct row *rule(struct scene *scene, const char *name, const char *field, const char *text)
{
    struct row *row = row_new(ROW_RELAY, name);
    if (field)
        polled_set(row, field, text);
    row->status = ROW_ACTIVE;
    assert_true(config_add(scene->polled->config, row));
    sync_rows(scene);
    return row;
}

static int setup(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    scene->polled = polled_new();
    strcpy(scene->polled->config->node.name, "collector1");
    dictionary_open(&scene->publisher.dictionary);
    assert_int_equal(report_open(&scene->report, 3, 600, 1000), 0);
    scene->publisher.report = &scene->report;
    relays_open(&scene->relays, &scene->polled->children, &scene->publisher);
    scene->leaf = ring_new(BOOT);
    *state = scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    relays_close(&scene->relays);
    assert_int_equal(scene->publisher.dictionary.by_number.count, 0);
    polled_free(scene->polled);
    dictionary_close(&scene->publisher.dictionary);
    report_close(&scene->report);
    ring_free(scene->leaf);
    free(scene);
    return 0;
}

static int see(void *context, const struct report_entry *entry)
{
    struct scene *scene = context;
    assert_true(scene->n < SEEN_MAX);
    scene->told[scene->n++] =
        (struct told){.series = entry->series,
                      .wall_ms = entry->wall_ms,
                      .kind = entry->kind,
                      .result = entry->kind == REPORT_VALUE ? entry->result : (struct result){0}};
    return 0;
}

/* All that this node has reported. */
static size_t look(struct scene *scene)
{
    struct report_header header;
    const char *why;
    scene->n = 0;
    assert_int_equal(report_flush(&scene->report), 0);
    for (struct index_node *node = index_first(&scene->report.index); node;
         node = index_next(node)) {
        const struct report_block *block = (const struct report_block *)node;
        assert_int_equal(report_decode(block->bytes, block->len, &header, see, scene, &why), 0);
    }
    return scene->n;
}

static void put(struct scene *scene, uint32_t series, int64_t wall_ms, double value)
{
    const struct result result = {.state = RESULT_VALID, .value = value};
    assert_int_equal(report_add(scene->leaf, series, wall_ms, &result), 0);
    assert_int_equal(report_flush(scene->leaf), 0);
}

/* What the child has from that block on, and what it keeps. */
static void answer(struct scene *scene, struct child *child, uint32_t from)
{
    struct answer *answer = answer_of_ring(child, BOOT, scene->leaf, from);
    answer->head.first = scene->leaf->first;
    answer->head.last = scene->leaf->last;
    answer_give(scene->polled, answer);
}

/* From which block on the poller is to read again; 0: it is not. */
static uint32_t asked_again(struct scene *scene)
{
    size_t n;
    const struct message_move *move = polled_sent(scene->polled, MESSAGE_MOVE, &n);
    uint32_t from = move && move->again ? move->from : 0;
    polled_forget_sent(scene->polled);
    return from;
}

static const struct dictionary_entry *entry_of(const struct scene *scene, uint32_t number)
{
    return (const void *)index_find(&scene->publisher.dictionary.by_number, &number, 1);
}

static int64_t before(const struct scene *scene, int64_t ms)
{
    return scene->polled->now.wall_ms - ms;
}

/* The values wait for their name where they are, and then all come in their order, each once. */
static void values_wait_for_names(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = polled_child(scene->polled, "leaf");
    for (int i = 0; i < 4; i++)
        put(scene, 1, before(scene, 9000 - i * 1000), i);
    answer(scene, child, 1);
    assert_int_equal(look(scene), 0);
    polled_forget_sent(scene->polled);
    polled_name(scene->polled, child, 1, "load", "total");
    assert_int_equal(asked_again(scene), 1);
    put(scene, 1, before(scene, 5000), 4);
    answer(scene, child, 5); /* was under way */
    assert_int_equal(look(scene), 0);
    assert_int_equal(asked_again(scene), 1);
    answer(scene, child, 1);
    assert_int_equal(look(scene), 5);
    answer(scene, child, 1);
    assert_int_equal(look(scene), 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(scene->told[i].wall_ms, before(scene, 9000 - i * 1000));
        assert_true(fabs(scene->told[i].result.value - i) < 1e-9);
    }
    const struct dictionary_entry *entry = entry_of(scene, scene->told[0].series);
    assert_string_equal(entry->sensor, "load");
    assert_string_equal(entry->instance, "total");
    assert_string_equal(entry->unit, "tasks");
    assert_string_equal(dictionary_path(entry), "leaf");
    assert_int_equal(scene->relays.lost, 0);
}

/* A known child with a series: load, total. */
static struct child *known(struct scene *scene)
{
    struct child *child = polled_child(scene->polled, "leaf");
    put(scene, 1, before(scene, 5000), 1);
    answer(scene, child, 1);
    polled_name(scene->polled, child, 1, "load", "total");
    answer(scene, child, 1);
    return child;
}

/* In the midst of a block comes a series that nobody knows: what is before it is not told again. */
static void blocks_are_continued(void **state)
{
    struct scene *scene = *state;
    const struct result result = {.state = RESULT_VALID, .value = 5};
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    assert_int_equal(look(scene), 1);
    report_add(scene->leaf, 1, before(scene, 4000), &result);
    report_add(scene->leaf, 2, before(scene, 4000), &result);
    put(scene, 1, before(scene, 4000), 6);
    answer(scene, child, 2);
    assert_int_equal(look(scene), 2);
    polled_forget_sent(scene->polled);
    polled_name(scene->polled, child, 2, "busy", "total");
    assert_int_equal(asked_again(scene), 2);
    answer(scene, child, 2);
    assert_int_equal(look(scene), 4);
    assert_true(fabs(scene->told[3].result.value - 6) < 1e-9);
}

static void gaps_and_ends_are_relayed(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    report_add(scene->leaf, 1, before(scene, 4000), &(struct result){.state = RESULT_GAP});
    report_flush(scene->leaf);
    answer(scene, child, 2);
    assert_int_equal(look(scene), 2);
    assert_int_equal(scene->told[1].result.state, RESULT_GAP);
    polled_name(scene->polled, child, 1, NULL, NULL);
    assert_int_equal(look(scene), 3);
    assert_int_equal(scene->told[2].result.state, RESULT_UNAVAILABLE);
    assert_int_equal(scene->publisher.dictionary.by_number.count, 0);
    assert_int_equal(scene->relays.n_series, 0);
    assert_null(child->relaying.list);
}

/* The blocks of another boot begin anew, with numbers of their own; those of the boot before have
 * ended. */
static void a_child_that_begins_again(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    uint32_t number = (look(scene), scene->told[0].series);
    struct report_ring *ring = ring_new(BOOT + 1);
    report_add(ring, 5, before(scene, 100), &(struct result){.state = RESULT_VALID, .value = 9});
    report_flush(ring);
    polled_answer(scene->polled, child, BOOT + 1, ring, 1);
    assert_int_equal(scene->publisher.dictionary.by_number.count, 0);
    polled_name(scene->polled, child, 5, "load", "total");
    polled_answer(scene->polled, child, BOOT + 1, ring, 1);
    look(scene);
    const struct told *last = &scene->told[scene->n - 1];
    assert_int_equal(last->wall_ms, before(scene, 100));
    assert_true(last->series > number);
    assert_int_equal(scene->publisher.dictionary.by_number.count, 1);
    ring_free(ring);
}

static void rules_choose(void **state)
{
    struct scene *scene = *state;
    struct child *child = known(scene);
    assert_null(scene->polled->children.relays);
    struct row *row = rule(scene, "b", "sensors", "busy");
    assert_int_equal(scene->relays.n_series, 0);
    rule(scene, "c", "nodes", "le*");
    assert_int_equal(relays_find(&scene->relays, "c")->n_series, 1);
    polled_set(row, "sensors", "lo*");
    sync_rows(scene);
    assert_int_equal(relays_find(&scene->relays, "b")->n_series, 1);
    assert_int_equal(relays_find(&scene->relays, "c")->n_series, 0);
    put(scene, 1, before(scene, 1000), 2);
    answer(scene, child, 2);
    assert_int_equal(look(scene), 1); /* not what came before there was a rule */
    row->status = ROW_NOT_IN_SERVICE;
    sync_rows(scene);
    assert_int_equal(relays_find(&scene->relays, "c")->n_series, 1);
    row = config_find(scene->polled->config, ROW_RELAY, "c");
    config_remove(scene->polled->config, row);
    row_free(row);
    sync_rows(scene);
    assert_int_equal(scene->publisher.dictionary.by_number.count, 0);
    assert_null(scene->polled->children.relays);
    assert_int_equal(look(scene), 2); /* it has ended */
}

static void filters_hold_back(void **state)
{
    struct scene *scene = *state;
    struct row *filter = row_new(ROW_FILTER, "slow");
    polled_set(filter, "throttle", "10s");
    filter->status = ROW_ACTIVE;
    assert_true(config_add(scene->polled->config, filter));
    rule(scene, "all", "filter", "slow");
    struct child *child = known(scene);
    for (int i = 1; i <= 25; i++)
        put(scene, 1, before(scene, 5000 - i * 1000), i);
    answer(scene, child, 2);
    assert_int_equal(look(scene), 3); /* by their own times, though they came at once */
    assert_int_equal(relays_find(&scene->relays, "all")->passed, 3);
    assert_int_equal(relays_find(&scene->relays, "all")->held, 23);
}

static void impossible_times_are_dropped(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    put(scene, 1, before(scene, RELAY_CLOCK_MS + 1000), 2);
    put(scene, 1, before(scene, -RELAY_CLOCK_MS - 1000), 3);
    put(scene, 1, before(scene, 0), 4);
    answer(scene, child, 2);
    assert_int_equal(look(scene), 2);
    assert_int_equal(relays_find(&scene->relays, "all")->dropped, 2);
}

/* What is told in parts stays in parts, which together are the window. */
static void windows_are_relayed(void **state)
{
    struct scene *scene = *state;
    struct statistics_window window = {0}, merged = {0};
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    for (int i = 1; i < 1500; i++)
        assert_int_equal(statistics_window_add(&window, exp(i * 0.01 - 3)), 0);
    assert_int_equal(report_add_window(scene->leaf, 1, before(scene, 1000), 60000, &window), 0);
    report_flush(scene->leaf);
    answer(scene, child, 2);
    size_t parts = 0;
    look(scene);
    for (size_t i = 0; i < scene->n; i++)
        parts +=
            scene->told[i].kind == REPORT_WINDOW && scene->told[i].wall_ms == before(scene, 1000);
    assert_true(parts > 1);

    struct polled *root = polled_new();
    struct child *above = polled_child(root, "collector1");
    polled_answer(root, above, 3, &scene->report, 1);
    const struct child_series *series = child_series_at(above, scene->told[0].series);
    const struct statistics_window *whole = child_series_window(series);
    assert_non_null(whole);
    assert_int_equal(whole->count, window.count);
    assert_int_equal(whole->histogram.count, window.histogram.count);
    for (int percent = 1; percent < 100; percent++)
        assert_true(fabs(histogram_quantile(&whole->histogram, percent / 100.0) -
                         histogram_quantile(&window.histogram, percent / 100.0)) < 1e-9);
    polled_free(root);
    statistics_window_release(&window);
    statistics_window_release(&merged);
}

static void name_below(struct polled *polled, const struct child *child, uint32_t number,
                       const char *path)
{
    struct message_series series = series_of(child, number, "load", "total");
    snprintf(series.path, sizeof series.path, "%s", path);
    children_message(&polled->children, &series.head, polled->now);
}

/* Nodes that relay to each other in a circle end it. */
static void circles(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    static const char *const paths[] = {"collector1", "a/collector1/b", "leaf", "a/leaf", "a/b/a"};
    for (size_t i = 0; i < N_OF(paths); i++) {
        put(scene, (uint32_t)i + 2, before(scene, 0), 1);
        answer(scene, child, (uint32_t)i + 2);
        name_below(scene->polled, child, (uint32_t)i + 2, paths[i]);
    }
    assert_int_equal(scene->relays.n_series, 1);
    assert_int_equal(scene->relays.left_out, N_OF(paths));
    char longest[ALARM_PATH_SIZE];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    put(scene, 10, before(scene, 0), 1);
    answer(scene, child, N_OF(paths) + 2);
    name_below(scene->polled, child, 10, longest);
    assert_int_equal(scene->relays.n_series, 1);
    put(scene, 11, before(scene, 0), 1);
    answer(scene, child, N_OF(paths) + 3);
    name_below(scene->polled, child, 11, "a/b");
    assert_int_equal(scene->relays.n_series, 2);
    const struct relayed *last = child->relaying.list->at[1].is;
    assert_string_equal(dictionary_path(&last->entry), "leaf/a/b");
}

/* What is too much at a time waits in the blocks of the child: nothing is doubled or left out. */
static void the_pace_is_kept(void **state)
{
    struct scene *scene = *state;
    int64_t begin_ms = before(scene, 60000);
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    ring_free(scene->leaf);
    scene->leaf = ring_new(BOOT);
    put(scene, 1, begin_ms - 1, 0); /* block 1 was read before */
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t n = 0; n < 200; n++)
            report_add(scene->leaf, 1, begin_ms + i * 200 + n,
                       &(struct result){.state = RESULT_VALID, .value = n});
    report_flush(scene->leaf);
    scene->relays.pace.room = 100 * 8; /* as if others had told much in this cycle */
    answer(scene, child, 2);
    assert_true(look(scene) < 600);
    for (int cycle = 0; cycle < 100 && scene->n < 601; cycle++) {
        polled_wait(scene->polled, 1000);
        relays_begin(&scene->relays, scene->polled->now.mono_ns);
        scene->relays.pace.room = REPORT_BLOCK_MAX;
        scene->relays.pace.begun_with = REPORT_BLOCK_MAX;
        polled_forget_sent(scene->polled);
        polled_answer(scene->polled, child, BOOT, NULL, 0);
        uint32_t from = asked_again(scene);
        if (from)
            answer(scene, child, from);
        look(scene);
    }
    for (size_t i = 2; i < scene->n; i++)
        assert_int_equal(scene->told[i].wall_ms, scene->told[i - 1].wall_ms + 1);
    assert_int_equal(scene->n, 601);
    assert_int_equal(scene->told[600].wall_ms, begin_ms + 599);
}

static void what_the_child_keeps_no_longer_is_lost(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    put(scene, 2, before(scene, 3000), 1); /* waits for a name */
    put(scene, 1, before(scene, 2000), 1);
    put(scene, 1, before(scene, 1000), 1);
    answer(scene, child, 2);
    size_t told = look(scene);
    struct answer *late = answer_of_ring(child, BOOT, scene->leaf, 5);
    late->head.first = 4;
    late->head.last = 4;
    answer_give(scene->polled, late);
    assert_int_equal(scene->relays.lost, 2);
    polled_forget_sent(scene->polled);
    polled_name(scene->polled, child, 2, "busy", "total");
    assert_int_equal(asked_again(scene), 4);
    struct answer *rest = answer_of_ring(child, BOOT, scene->leaf, 4);
    rest->head.first = 4;
    answer_give(scene->polled, rest);
    assert_int_equal(look(scene), told + 1);
}

/* So is what waits in the blocks of a boot that has ended. */
static void what_waits_is_lost_with_the_boot(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    put(scene, 2, before(scene, 3000), 1); /* waits for a name */
    put(scene, 1, before(scene, 2000), 1);
    answer(scene, child, 2);
    assert_int_equal(scene->relays.lost, 0);
    for (uint32_t boot = BOOT + 1; boot < BOOT + 3; boot++) {
        struct report_ring *next = ring_new(boot);
        answer_give(scene->polled, answer_of_ring(child, boot, next, 1));
        assert_int_equal(scene->relays.lost, 2);
        ring_free(next);
    }
}

/* A child that names very many, or others all the time, has no more than its part. */
static void many_series(void **state)
{
    struct scene *scene = *state;
    rule(scene, "all", NULL, NULL);
    struct child *child = known(scene);
    scene->relays.n_series += RELAY_SERIES_MAX - 4; /* those of others */
    for (uint32_t i = 2; i < 10; i++) {
        char instance[INSTANCE_SIZE];
        put(scene, i, before(scene, 0), 1);
        answer(scene, child, i);
        snprintf(instance, sizeof instance, "i%u", i);
        polled_name(scene->polled, child, i, "load", instance);
    }
    assert_int_equal(child->relaying.list->n, 2);
    assert_true(scene->relays.left_out > 0);
    scene->relays.n_series -= RELAY_SERIES_MAX - 4;
    size_t memory = child->cost.memory;
    for (uint32_t i = 10; i < 60; i++) { /* the same instance under another number */
        put(scene, i, before(scene, 0), 1);
        answer(scene, child, i);
        polled_name(scene->polled, child, i, "load", "total");
    }
    assert_int_equal(child->relaying.list->n, 2);
    assert_true(child->cost.memory < memory + 1000);
}

/* To the parent, it is neither a value in a table nor one that rules are on. */
static void the_parent_knows_it_by_its_number(void **state)
{
    struct scene *scene = *state;
    struct child *child = known(scene);
    put(scene, 2, before(scene, 0), 5);
    answer(scene, child, 2);
    name_below(scene->polled, child, 2, "a/b");
    const struct child_series *series = child_series_at(child, 2);
    assert_string_equal(series->name->path, "a/b");
    assert_int_equal(series_count(scene->polled), 1);
    assert_ptr_not_equal(series_at(scene->polled, "leaf", "load", "total"), series);
    assert_int_equal(child->series.n_relayed, 1);
    struct report_ring *ring = ring_new(BOOT + 1);
    polled_answer(scene->polled, child, BOOT + 1, ring, 1);
    assert_int_equal(child->series.n_relayed, 0);
    ring_free(ring);
}

/* -- The list -------------------------------------------------------------------------------- */

#define MANY 2000

static void each_is_found(struct relayed_list *list, struct child_series *series,
                          struct relayed *const *relayed, uint32_t n)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_ptr_equal(relayed_find(list, &series[i]), relayed[i]);
        there += relayed[i] != NULL;
    }
    assert_int_equal(list->n, there);
}

/* Numbers come in any order, go, and come back. */
static void series_come_and_go(void **state)
{
    struct relayed_list list = {0};
    struct series_name name = {.sensor = "cpu", .instance = "total", .unit = "%", .path = ""};
    static struct child_series series[MANY];
    static struct relayed *relayed[MANY];
    (void)state;
    srandom(1);
    for (uint32_t i = 0; i < MANY; i++)
        series[i] = (struct child_series){.number = i + 1, .name = &name};
    for (uint32_t round = 0; round < 20 * MANY; round++) {
        uint32_t i = (uint32_t)random() % (round < 4 * MANY ? 4 * MANY : MANY) % MANY;
        if (relayed[i])
            relayed_free(&list, relayed[i]);
        relayed[i] = relayed[i] ? NULL : relayed_new(&list, &series[i], "leaf");
        if (round % MANY == 0)
            each_is_found(&list, series, relayed, MANY);
    }
    for (uint32_t i = 0; i < MANY; i++) {
        if (relayed[i])
            relayed_free(&list, relayed[i]);
        relayed[i] = NULL;
        if (i % 100 == 0)
            each_is_found(&list, series, relayed, MANY);
    }
    assert_int_equal(list.n, 0);
    free(list.at);
}

int main(void)
{
#define RELAY_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        RELAY_TEST(values_wait_for_names),
        RELAY_TEST(blocks_are_continued),
        RELAY_TEST(gaps_and_ends_are_relayed),
        RELAY_TEST(a_child_that_begins_again),
        RELAY_TEST(rules_choose),
        RELAY_TEST(filters_hold_back),
        RELAY_TEST(impossible_times_are_dropped),
        RELAY_TEST(windows_are_relayed),
        RELAY_TEST(circles),
        RELAY_TEST(the_pace_is_kept),
        RELAY_TEST(what_the_child_keeps_no_longer_is_lost),
        RELAY_TEST(what_waits_is_lost_with_the_boot),
        RELAY_TEST(many_series),
        RELAY_TEST(the_parent_knows_it_by_its_number),
        cmocka_unit_test(series_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
