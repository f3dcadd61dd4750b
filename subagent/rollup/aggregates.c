#include "rollup/aggregates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

void aggregates_open(struct aggregates *aggregates, const struct measure *measure,
                     struct publisher *publisher)
{
    memset(aggregates, 0, sizeof *aggregates);
    index_init(&aggregates->index);
    index_init(&aggregates->values);
    aggregates->measure = measure;
    aggregates->publisher = publisher;
    aggregates->due_ns = UINT64_MAX;
}

struct running_aggregate *aggregates_find(const struct aggregates *aggregates, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct running_aggregate *)index_find(&aggregates->index, key,
                                                  index_key_text(key, name));
}

static void find_no_series(const void *context, const struct series_query *query)
{
    (void)context;
    (void)query;
}

static bool may_come(const void *context, const struct series_query *query, const char *node,
                     struct moment now)
{
    const struct aggregates *aggregates = context;
    (void)now;
    return !node && !aggregates->children_known && aggregates_find(aggregates, query->sensor);
}

struct series_producer aggregates_producer(const struct aggregates *aggregates)
{
    return (struct series_producer){find_no_series, may_come, aggregates};
}

/* -- Values --------------------------------------------------------------------------------- */

static uint32_t clamp(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

struct aggregate_publication {
    struct publication publication;
    struct report_ring *report;
    struct aggregate_value_row *row;
    const struct aggregate *of;
};

/* The leaves come first: who takes the value has them. */
static void report_row(struct publication *publication, struct moment now)
{
    const struct aggregate_publication *value = (struct aggregate_publication *)publication;
    struct aggregate_value_row *row = value->row;
    const struct aggregate *of = value->of;
    const struct report_totals totals = {aggregate_sum(of), of->expected, clamp(of->oldest_ms)};
    row->told_expected = of->expected;
    row->told_reporting = of->reporting;
    if (!value->report)
        return;
    report_add_aggregate(value->report, row->entry.number, now.wall_ms,
                         row->aggregate->row.interval_ms, &of->values, &totals);
    report_add(value->report, row->entry.number, now.wall_ms, &row->result);
    value->report->urgent |= row->aggregate->row.report == REPORT_PUSH;
}

/* A value of what was computed, or, once it is hidden, that there is none. */
static void publish_row(const struct aggregates *aggregates, struct aggregate_value_row *row,
                        const struct aggregate *of, struct moment now)
{
    struct running_aggregate *running = row->aggregate;
    struct aggregate_publication value = {
        .publication = {.result = &row->result,
                        .rule = &running->filter,
                        .filter = &row->filter,
                        .passed = &running->passed,
                        .held = &running->held,
                        .report = report_row,
                        .series = dictionary_series(&row->entry),
                        .is_watched = row->entry.watches && row->result.state == RESULT_VALID},
        .report = aggregates->publisher->report,
        .row = row,
        .of = of};
    if (row->told_expected != of->expected || row->told_reporting != of->reporting)
        row->filter = (struct filter_state){0}; /* the first result passes whatever there is */
    publish(aggregates->publisher->observer, &value.publication, now);
}

static void show(struct aggregates *aggregates, struct aggregate_value_row *row, struct moment now)
{
    if (row->shown)
        return;
    index_add(&aggregates->values, &row->node);
    row->shown = true;
    row->aggregate->n_values++;
    publish_begin(aggregates->publisher, &row->entry, now);
}

static void hide(struct aggregates *aggregates, struct aggregate_value_row *row, const char *why,
                 struct moment now)
{
    static const struct aggregate nothing;
    if (!row->shown)
        return;
    publish_end(aggregates->publisher, &row->entry, why, now);
    index_remove(&aggregates->values, &row->node);
    row->shown = false;
    row->aggregate->n_values--;
    row->result = (struct result){.state = RESULT_UNAVAILABLE};
    publish_row(aggregates, row, &nothing, now);
}

static struct aggregate_value_row *
row_begin(struct aggregates *aggregates, struct running_aggregate *running, const char *instance)
{
    const char *name = running->row.row.name;
    size_t key_len = strlen(name) + strlen(instance) + 2;
    struct aggregate_value_row *row = calloc(1, sizeof *row + key_len * sizeof *row->key);
    if (!row)
        return NULL;
    uint32_t n = index_key_text(row->key, name);
    row->node.key = row->key;
    row->node.key_len = n + index_key_text(row->key + n, instance);
    row->aggregate = running;
    row->result.state = RESULT_WAITING;
    text_format(row->instance, sizeof row->instance, "%s", instance);
    row->entry.sensor = running->row.row.name;
    row->entry.instance = row->instance;
    row->entry.metric = SERIES_AGGREGATE;
    row->entry.unit = running->unit;
    row->entry.result = &row->result;
    HASH_ADD_STR(running->rows, instance, row);
    if (!table_has(hh, row)) {
        free(row);
        return NULL;
    }
    dictionary_add(&aggregates->publisher->dictionary, &row->entry);
    return row;
}

void aggregate_row_end(struct aggregates *aggregates, struct aggregate_value_row *row,
                       const char *why, struct moment now)
{
    hide(aggregates, row, why, now);
    if (row->entry.watches) /* by a rule that began while it was hidden */
        publish_end(aggregates->publisher, &row->entry, why, now);
    dictionary_remove(&aggregates->publisher->dictionary, &row->entry);
    HASH_DEL(row->aggregate->rows, row);
    free(row);
}

/* The row of that name, to be kept. NULL: no memory, or it is wanted already: of two series whose
 * names are too long and end alike, the first one has it. */
static struct aggregate_value_row *want(struct aggregates *aggregates,
                                        struct running_aggregate *running, const char *instance)
{
    struct aggregate_value_row *row;
    HASH_FIND_STR(running->rows, instance, row);
    if (row && row->wanted)
        return NULL;
    if (!row)
        row = row_begin(aggregates, running, instance);
    if (row)
        row->wanted = true;
    return row;
}

/* -- Which series --------------------------------------------------------------------------- */

static bool is_of_each(const struct running_aggregate *running)
{
    return running->row.function == AGGREGATE_TOP || running->row.function == AGGREGATE_SHARE;
}

static void find_rows(struct aggregates *aggregates, struct running_aggregate *running)
{
    struct aggregate_members *members = &running->members;
    if (!is_of_each(running)) {
        for (struct aggregate_group *group = members->groups; group; group = group->hh.next)
            group->row = want(aggregates, running, group->name);
        return;
    }
    for (size_t i = 0; i < members->n; i++) {
        struct aggregate_member *member = &members->members[i];
        char whole[NAME_SIZE + INSTANCE_SIZE], name[INSTANCE_SIZE];
        if (!member->series)
            continue;
        text_format(whole, sizeof whole, "%s/%s", member->child->name,
                    member->series->name->instance);
        text_instance(name, whole, strlen(whole));
        member->row = want(aggregates, running, name);
    }
}

/* An entry of the dictionary keeps its unit: values that were there before it was known get new
 * numbers, for the parent to ask anew. */
static void find_unit(struct aggregates *aggregates, struct running_aggregate *running)
{
    const char *unit = aggregate_members_unit(&running->members, &running->row);
    if (!unit || strcmp(unit, running->unit) == 0)
        return;
    text_format(running->unit, sizeof running->unit, "%s", unit);
    for (struct aggregate_value_row *row = running->rows; row; row = row->hh.next) {
        dictionary_remove(&aggregates->publisher->dictionary, &row->entry);
        dictionary_add(&aggregates->publisher->dictionary, &row->entry);
        row->filter = (struct filter_state){0};
    }
}

/* Until the next change of membership nothing is compared any more. */
static bool match(struct aggregates *aggregates, struct running_aggregate *running,
                  const struct children *children, struct moment now)
{
    struct aggregate_value_row *row, *next;
    if (running->membership == children->membership)
        return true;
    if (aggregate_match(&running->members, &running->row, children) != 0) {
        log_error("core", "no memory to find what aggregate %s is over", running->row.row.name);
        running->membership = UINT64_MAX;
        return false;
    }
    for (row = running->rows; row; row = row->hh.next)
        row->wanted = false;
    find_unit(aggregates, running);
    find_rows(aggregates, running);
    HASH_ITER(hh, running->rows, row, next)
    {
        if (!row->wanted)
            aggregate_row_end(aggregates, row, "there is nothing left to aggregate", now);
    }
    running->membership = children->membership;
    return true;
}

/* -- Computing ------------------------------------------------------------------------------ */

static bool is_there(const struct child *child)
{
    return child->state == CHILD_UP || child->state == CHILD_LATE;
}

static void take_leaves(const struct child_series *series, struct aggregate_input *input)
{
    const struct report_totals *totals = child_series_totals(series);
    if (!totals) {
        input->has_value = false;
        return;
    }
    input->expected = totals->expected;
    if (!is_there(series->child))
        return;
    input->leaves = child_series_window(series);
    input->sum = totals->sum;
    input->age_ms += totals->oldest_ms;
}

static struct aggregate_input input_of(const struct aggregate_member *member, struct moment now)
{
    const struct child_series *series = member->series;
    struct aggregate_input input = {.expected = 1};
    if (!series) {
        /* One that is there and has told what it has does not have this. */
        input.expected = !is_there(member->child) || member->child->n_series == 0;
        return input;
    }
    input.has_value = child_series_live(series);
    input.value = series->result.value;
    input.age_ms = series->heard_ns ? (now.mono_ns - series->heard_ns) / NS_PER_MS : 0;
    if (series->name->is_aggregate)
        take_leaves(series, &input);
    return input;
}

/* What cannot be counted is missing: aggregate_add has seen to that. */
static void compute(const struct running_aggregate *running, struct aggregate_group *group,
                    struct moment now)
{
    const struct aggregate_members *members = &running->members;
    aggregate_begin(&group->computed);
    for (size_t i = group->first; i < group->first + group->n; i++) {
        struct aggregate_input input = input_of(&members->members[i], now);
        aggregate_add(&group->computed, &input);
    }
    for (size_t i = members->anywhere; i < members->n; i++) {
        struct aggregate_input input = input_of(&members->members[i], now);
        aggregate_add(&group->computed, &input);
    }
}

static void set_counts(struct aggregate_value_row *row, const struct aggregate_group *group,
                       struct moment now)
{
    row->taken = now;
    row->expected = group->computed.expected;
    row->reporting = group->computed.reporting;
    row->oldest_ms = group->computed.oldest_ms;
}

static void step_group(struct aggregates *aggregates, struct running_aggregate *running,
                       const struct aggregate_group *group, struct moment now)
{
    struct aggregate_value_row *row = group->row;
    bool has_series = false;
    for (size_t i = group->first; i < group->first + group->n && !has_series; i++)
        has_series = running->members.members[i].series != NULL;
    if (!row)
        return;
    if (!has_series && !group->always && group->computed.expected == 0)
        return hide(aggregates, row, "there is nothing left to aggregate", now);
    show(aggregates, row, now);
    row->result = (struct result){.state = RESULT_VALID};
    if (!aggregate_value(&group->computed, running->row.function, running->row.parameter.value,
                         &row->result.value))
        row->result = (struct result){.state = RESULT_UNAVAILABLE};
    set_counts(row, group, now);
    publish_row(aggregates, row, &group->computed, now);
}

/* A value of its own for one series. The parent is told of this one only. */
static void step_one(struct aggregates *aggregates, struct running_aggregate *running,
                     const struct aggregate_group *group, const struct aggregate_member *member,
                     struct result result, struct moment now)
{
    struct aggregate_value_row *row = member->row;
    struct aggregate_input input = input_of(member, now);
    show(aggregates, row, now);
    row->result = result;
    set_counts(row, group, now);
    aggregate_begin(&running->single);
    aggregate_add(&running->single, &input);
    publish_row(aggregates, row, &running->single, now);
}

/* Series that are left out take no part; rows that are new come after those that end, so that
 * alarms do, too. */
static void step_top(struct aggregates *aggregates, struct running_aggregate *running,
                     const struct aggregate_group *group, struct moment now)
{
    const struct aggregate_member *members = &running->members.members[group->first];
    double *values = running->members.values + group->first;
    uint32_t top[AGGREGATE_TOP_MAX];
    for (size_t i = 0; i < group->n; i++) {
        struct aggregate_input input = input_of(&members[i], now);
        values[i] = input.has_value && members[i].row ? input.value : (double)NAN;
    }
    uint32_t n =
        aggregate_top(values, (uint32_t)group->n, (uint32_t)running->row.parameter.value, top);
    for (size_t i = 0; i < group->n; i++)
        if (members[i].row)
            members[i].row->wanted = false;
    for (uint32_t i = 0; i < n; i++)
        members[top[i]].row->wanted = true;
    for (size_t i = 0; i < group->n; i++)
        if (members[i].row && !members[i].row->wanted)
            hide(aggregates, members[i].row, "it is not among the top any more", now);
    for (uint32_t i = 0; i < n; i++)
        step_one(aggregates, running, group, &members[top[i]],
                 (struct result){RESULT_VALID, values[top[i]]}, now);
}

static void step_share(struct aggregates *aggregates, struct running_aggregate *running,
                       const struct aggregate_group *group, struct moment now)
{
    for (size_t i = group->first; i < group->first + group->n; i++) {
        const struct aggregate_member *member = &running->members.members[i];
        struct aggregate_input input = input_of(member, now);
        struct result result = {.state = RESULT_VALID};
        if (!member->row)
            continue;
        if (!aggregate_share(&group->computed, &input, &result.value))
            result.state = RESULT_UNAVAILABLE;
        step_one(aggregates, running, group, member, result, now);
    }
}

static void step(struct aggregates *aggregates, struct running_aggregate *running,
                 const struct children *children, struct moment now)
{
    if (!match(aggregates, running, children, now))
        return;
    for (struct aggregate_group *group = running->members.groups; group; group = group->hh.next) {
        compute(running, group, now);
        if (running->row.function == AGGREGATE_TOP)
            step_top(aggregates, running, group, now);
        else if (running->row.function == AGGREGATE_SHARE)
            step_share(aggregates, running, group, now);
        else
            step_group(aggregates, running, group, now);
    }
}

void aggregates_plan(struct aggregates *aggregates)
{
    aggregates->due_ns = UINT64_MAX;
    for (struct index_node *node = index_first(&aggregates->index); node; node = index_next(node)) {
        const struct running_aggregate *running = (const struct running_aggregate *)node;
        if (running->due_ns < aggregates->due_ns)
            aggregates->due_ns = running->due_ns;
    }
}

bool aggregates_step(struct aggregates *aggregates, const struct children *children,
                     struct moment now)
{
    if (aggregates->due_ns > now.mono_ns)
        return false;
    for (struct index_node *node = index_first(&aggregates->index); node; node = index_next(node)) {
        struct running_aggregate *running = (struct running_aggregate *)node;
        uint64_t interval = running->row.interval_ms * NS_PER_MS;
        if (running->due_ns > now.mono_ns)
            continue;
        step(aggregates, running, children, now);
        running->due_ns = (now.mono_ns / interval + 1) * interval;
        return true;
    }
    aggregates_plan(aggregates);
    return false;
}

uint64_t aggregates_due(const struct aggregates *aggregates)
{
    return aggregates->due_ns;
}
