#include "collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_begun(void *context, struct series_ref value, struct moment now)
{
    (void)now;
    *value.type->watches(value.series) = context; /* only what is watched is told */
    ((struct collector *)context)->begun++;
}

static void count_ended(void *context, struct series_ref value, const char *why, struct moment now)
{
    (void)now;
    assert_non_null(why);
    *value.type->watches(value.series) = NULL;
    ((struct collector *)context)->ended++;
}

static void count_valued(void *context, struct series_ref value, bool window, struct moment now)
{
    assert_false(window);
    assert_int_not_equal(value.type->view(value.series).result.state, 0);
    assert_true(now.mono_ns > 0);
    ((struct collector *)context)->valued++;
}

struct collector *collector_new(void)
{
    struct collector *collector = calloc(1, sizeof *collector);
    collector->polled = polled_new();
    collector->observer = (struct series_observer){
        .begun = count_begun, .valued = count_valued, .ended = count_ended, .context = collector};
    collector->publisher =
        (struct publisher){.report = &collector->report, .observer = &collector->observer};
    dictionary_open(&collector->publisher.dictionary);
    measure_open(&collector->measure, &collector->publisher);
    assert_int_equal(report_open(&collector->report, 7, 10000, 1200), 0);
    aggregates_open(&collector->aggregates, &collector->measure, &collector->publisher);
    collector->next_block = 1;
    return collector;
}

void collector_free(struct collector *collector)
{
    aggregates_close(&collector->aggregates);
    assert_int_equal(collector->publisher.dictionary.by_number.count, 0);
    measure_close(&collector->measure);
    dictionary_close(&collector->publisher.dictionary);
    report_close(&collector->report);
    for (size_t i = 0; i < collector->n_leaves; i++) {
        ring_free(collector->leaves[i]->ring);
        free(collector->leaves[i]);
    }
    polled_free(collector->polled);
    free(collector);
}

void collector_sync(struct collector *collector)
{
    polled_sync(collector->polled);
    aggregates_sync(&collector->aggregates, collector->polled->config, collector->polled->now);
}

struct row *collector_aggregate(struct collector *collector, const char *name,
                                const char *const *fields)
{
    struct row *row = row_new(ROW_AGGREGATE, name);
    for (; *fields; fields += 2)
        polled_set(row, fields[0], fields[1]);
    assert_null(row_fault(row));
    row->status = ROW_ACTIVE;
    assert_true(config_add(collector->polled->config, row));
    collector_sync(collector);
    return row;
}

struct leaf *collector_leaf(struct collector *collector, const char *name, const char *group)
{
    assert_true(collector->n_leaves < LEAVES_MAX);
    struct leaf *leaf = calloc(1, sizeof *leaf);
    collector->leaves[collector->n_leaves++] = leaf;
    snprintf(leaf->name, sizeof leaf->name, "%s", name);
    leaf->ring = ring_new(7);
    leaf->next_block = 1;
    polled_set(polled_row(collector->polled, name), "group", group);
    collector_sync(collector);
    return leaf;
}

struct child *child_of(struct collector *collector, const struct leaf *leaf)
{
    struct child *child = children_find(&collector->polled->children, leaf->name);
    assert_non_null(child);
    return child;
}

uint32_t leaf_number(struct leaf *leaf, const char *sensor, const char *instance)
{
    for (uint32_t i = 0; i < leaf->n; i++)
        if (strcmp(leaf->series[i].sensor, sensor) == 0 &&
            strcmp(leaf->series[i].instance, instance) == 0)
            return i + 1;
    assert_true(leaf->n < LEAF_SERIES_MAX);
    snprintf(leaf->series[leaf->n].sensor, NAME_SIZE, "%s", sensor);
    snprintf(leaf->series[leaf->n].instance, INSTANCE_SIZE, "%s", instance);
    return ++leaf->n;
}

void leaf_value(struct leaf *leaf, const char *sensor, const char *instance, double value)
{
    struct result result = {.state = isnan(value) ? RESULT_UNAVAILABLE : RESULT_VALID,
                            .value = isnan(value) ? 0 : value};
    uint32_t number = leaf_number(leaf, sensor, instance);
    assert_int_equal(report_add(leaf->ring, number, INT64_C(1700000000000), &result), 0);
}

void leaf_answer(struct collector *collector, struct leaf *leaf)
{
    struct child *child = child_of(collector, leaf);
    assert_int_equal(report_flush(leaf->ring), 0);
    polled_answer(collector->polled, child, 7, leaf->ring, leaf->next_block);
    leaf->next_block = leaf->ring->last + 1;
    for (; leaf->named < leaf->n; leaf->named++)
        polled_name(collector->polled, child, leaf->named + 1, leaf->series[leaf->named].sensor,
                    leaf->series[leaf->named].instance);
    assert_int_equal(child->contact.state, CHILD_UP);
}

void leaf_says(struct collector *collector, struct leaf *leaf, const char *sensor,
               const char *instance, double value)
{
    leaf_value(leaf, sensor, instance, value);
    leaf_answer(collector, leaf);
}

void leaf_silent(struct collector *collector, const struct leaf *leaf, int polls)
{
    for (int i = 0; i < polls; i++)
        polled_silent(collector->polled, child_of(collector, leaf), POLL_TIMEOUT, "no answer");
}

size_t collector_step(struct collector *collector, uint64_t ms)
{
    size_t n = 0;
    polled_wait(collector->polled, ms);
    while (aggregates_step(&collector->aggregates, &collector->polled->children,
                           collector->polled->now))
        n++;
    assert_int_equal(report_flush(&collector->report), 0);
    return n;
}

void collector_tell(struct collector *collector, struct collector *parent, const struct leaf *leaf)
{
    struct child *child = child_of(parent, leaf);
    polled_answer(parent->polled, child, 7, &collector->report, collector->next_block);
    collector->next_block = collector->report.last + 1;
    for (struct index_node *node = index_first(&collector->publisher.dictionary.by_number); node;
         node = index_next(node)) {
        const struct dictionary_entry *entry = (struct dictionary_entry *)node;
        struct message_series series =
            series_of(child, entry->number, entry->sensor, entry->instance);
        snprintf(series.metric, sizeof series.metric, "%s", entry->metric);
        snprintf(series.unit, sizeof series.unit, "%s", entry->unit);
        children_message(&parent->polled->children, &series.head, parent->polled->now);
    }
    assert_int_equal(child->contact.state, CHILD_UP);
}

const struct rollup_value *row_at(const struct collector *collector, const char *name,
                                  const char *instance)
{
    uint32_t key[NAME_SIZE + INSTANCE_SIZE];
    size_t n = index_key_text(key, name);
    n += index_key_text(key + n, instance);
    return (struct rollup_value *)index_find(&collector->aggregates.values.shown, key, n);
}

void check_row(const struct collector *collector, const char *name, const char *instance,
               double value, uint32_t expected, uint32_t reporting)
{
    const struct rollup_value *row = row_at(collector, name, instance);
    if (!row)
        fail_msg("there is no %s of %s", name, instance);
    bool valid = row->result.state == RESULT_VALID;
    if (valid == isnan(value) || (valid && fabs(row->result.value - value) > 1e-9 * fabs(value)))
        fail_msg("%s of %s: state %d, %.17g is not %.17g", name, instance, row->result.state,
                 row->result.value, value);
    if (row->expected != expected || row->reporting != reporting)
        fail_msg("%s of %s: %u of %u, not %u of %u", name, instance, row->reporting, row->expected,
                 reporting, expected);
}

size_t n_values(const struct collector *collector, const char *name)
{
    return aggregates_find(&collector->aggregates, name)->n_values;
}

int collector_setup(void **state)
{
    *state = collector_new();
    return 0;
}

int collector_teardown(void **state)
{
    collector_free(*state);
    return 0;
}
