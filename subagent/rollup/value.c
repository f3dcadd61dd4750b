#include "rollup/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "rollup/tops.h"

/* -- Telling -------------------------------------------------------------------------------- */

static uint32_t clamp(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static struct told_counts counts_of(const struct rollup *rollup, const struct aggregate *of)
{
    if (rollup->row.source == AGGREGATE_WINDOWS)
        return (struct told_counts){.expected = of->expected - of->reporting};
    return (struct told_counts){of->expected, of->reporting};
}

struct rollup_publication {
    struct publication publication;
    struct report_ring *report;
    struct rollup_value *value;
    const struct aggregate *of;
};

/* The leaves are reported first, so that whoever takes the value has them already. */
static void report_value(struct publication *publication, struct moment now)
{
    const struct rollup_publication *whole = (struct rollup_publication *)publication;
    struct report_ring *report = whole->report;
    struct rollup_value *value = whole->value;
    const struct aggregate *of = whole->of;
    const struct report_totals totals = {aggregate_sum(of), of->expected, clamp(of->oldest_ms)};
    value->told = counts_of(value->rollup, of);
    if (!report)
        return;
    value->entry.is_reported = true;
    report_add_aggregate(report, value->entry.number, now.wall_ms, value->rollup->row.interval_ms,
                         &of->values, &totals);
    report_add(report, value->entry.number, now.wall_ms, &value->result);
    report->urgent |= value->rollup->row.report == REPORT_PUSH;
}

void rollup_value_publish(const struct rollup_values *values, struct rollup_value *value,
                          const struct aggregate *of, struct moment now)
{
    struct rollup *rollup = value->rollup;
    struct rollup_publication whole = {
        .publication = {.result = &value->result,
                        .rule = &rollup->filter,
                        .filter = &value->filter,
                        .passed = &rollup->passed,
                        .held = &rollup->held,
                        .report = report_value,
                        .series = dictionary_series(&value->entry),
                        .is_watched = value->entry.watches && value->result.state == RESULT_VALID},
        .report = values->publisher->report,
        .value = value,
        .of = of};
    struct told_counts counts = counts_of(rollup, of);
    if (value->told.expected != counts.expected || value->told.reporting != counts.reporting)
        value->filter = (struct filter_state){0}; /* this makes the first result pass the filter in
                                                   * any case */
    publish(values->publisher->observer, &whole.publication, now);
}

/* -- In the table, or not -------------------------------------------------------------------- */

void rollup_value_show(struct rollup_values *values, struct rollup_value *value, struct moment now)
{
    if (value->shown)
        return;
    index_add(&values->shown, &value->node);
    value->shown = true;
    value->rollup->n_values++;
    publish_begin(values->publisher, &value->entry, now);
}

void rollup_value_hide(struct rollup_values *values, struct rollup_value *value, const char *why,
                       struct moment now)
{
    static const struct aggregate nothing;
    if (!value->shown)
        return;
    publish_end(values->publisher, &value->entry, why, now);
    rollup_top_forget(value);
    index_remove(&values->shown, &value->node);
    value->shown = false;
    value->rollup->n_values--;
    value->result = (struct result){.state = RESULT_UNAVAILABLE};
    rollup_value_publish(values, value, &nothing, now);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

struct rollup_value *rollup_value_begin(const struct rollup_values *values, struct rollup *rollup,
                                        const char *instance)
{
    const char *name = rollup->row.row.name;
    size_t key_len = strlen(name) + strlen(instance) + 2;
    struct rollup_value *value = calloc(1, sizeof *value + key_len * sizeof *value->key);
    if (!value)
        return NULL;
    uint32_t n = index_key_text(value->key, name);
    value->node.key = value->key;
    value->node.key_len = n + index_key_text(value->key + n, instance);
    value->rollup = rollup;
    value->result.state = RESULT_WAITING;
    text_format(value->instance, sizeof value->instance, "%s", instance);
    value->entry.sensor = rollup->row.row.name;
    value->entry.instance = value->instance;
    value->entry.metric = SERIES_AGGREGATE;
    value->entry.unit = rollup->unit;
    value->entry.result = &value->result;
    HASH_ADD_STR(rollup->values, instance, value);
    if (!table_has(hh, value)) {
        free(value);
        return NULL;
    }
    dictionary_add(&values->publisher->dictionary, &value->entry);
    return value;
}

void rollup_value_end(struct rollup_values *values, struct rollup_value *value, const char *why,
                      struct moment now)
{
    rollup_value_hide(values, value, why, now);
    if (value->entry.watches) /* those of a rule that began while the value was hidden */
        publish_end(values->publisher, &value->entry, why, now);
    dictionary_remove(&values->publisher->dictionary, &value->entry);
    HASH_DEL(value->rollup->values, value);
    free(value);
}
