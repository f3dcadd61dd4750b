#include "rollup/aggregates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "rollup/tops.h"

void aggregates_open(struct aggregates *aggregates, const struct measure *measure,
                     struct publisher *publisher)
{
    memset(aggregates, 0, sizeof *aggregates);
    index_init(&aggregates->index);
    index_init(&aggregates->values.shown);
    aggregates->measure = measure;
    aggregates->values.publisher = publisher;
    aggregates->values.top_size = REPORT_KEYS_MAX;
    aggregates->due_ns = UINT64_MAX;
}

static void rollup_end(struct aggregates *aggregates, struct rollup *rollup, const char *why,
                       struct moment now)
{
    while (rollup->values)
        rollup_value_end(&aggregates->values, rollup->values, why, now);
    index_remove(&aggregates->index, &rollup->node);
    aggregate_unmatch(&rollup->members);
    aggregate_release(&rollup->single);
    free(rollup);
}

/* The daemon stops: the owner has removed report and observer from the publisher. */
void aggregates_close(struct aggregates *aggregates)
{
    struct index_node *node;
    while ((node = index_first(&aggregates->index)))
        rollup_end(aggregates, (struct rollup *)node, "the daemon stops", (struct moment){0});
    index_release(&aggregates->index);
    index_release(&aggregates->values.shown);
}

struct rollup *aggregates_find(const struct aggregates *aggregates, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct rollup *)index_find(&aggregates->index, key, index_key_text(key, name));
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
    return !node && !aggregates->children_known &&
           (aggregates->starved || aggregates_find(aggregates, query->sensor));
}

struct series_producer aggregates_producer(const struct aggregates *aggregates)
{
    return (struct series_producer){find_no_series, may_come, aggregates};
}

/* The value of that name, which is to be kept. NULL: no memory, or the name is taken: if the names
 * of two series are too long and end alike, the first one has it. */
static struct rollup_value *want(struct aggregates *aggregates, struct rollup *rollup,
                                 const char *instance)
{
    struct rollup_value *value;
    HASH_FIND_STR(rollup->values, instance, value);
    if (value && value->wanted)
        return NULL;
    if (!value)
        value = rollup_value_begin(&aggregates->values, rollup, instance);
    rollup->starved |= !value;
    if (value)
        value->wanted = true;
    return value;
}

/* -- Which series --------------------------------------------------------------------------- */

static bool is_of_each(const struct rollup *rollup)
{
    return rollup->row.function == AGGREGATE_TOP || rollup->row.function == AGGREGATE_SHARE;
}

static void find_values(struct aggregates *aggregates, struct rollup *rollup)
{
    struct aggregate_members *members = &rollup->members;
    if (!is_of_each(rollup)) {
        for (struct aggregate_group *group = members->groups; group; group = group->hh.next)
            group->value = want(aggregates, rollup, group->name);
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
        member->value = want(aggregates, rollup, name);
    }
}

/* An entry of the dictionary keeps its unit: values that existed before the unit was known get new
 * numbers, so that the parent asks again. */
static void find_unit(struct aggregates *aggregates, struct rollup *rollup)
{
    const char *unit = aggregate_members_unit(&rollup->members, &rollup->row);
    if (!unit || strcmp(unit, rollup->unit) == 0)
        return;
    text_format(rollup->unit, sizeof rollup->unit, "%s", unit);
    for (struct rollup_value *value = rollup->values; value; value = value->hh.next) {
        dictionary_remove(&aggregates->values.publisher->dictionary, &value->entry);
        dictionary_add(&aggregates->values.publisher->dictionary, &value->entry);
        value->filter = (struct filter_state){0};
    }
}

/* Afterwards nothing is compared until the next change of membership. */
static bool match(struct aggregates *aggregates, struct rollup *rollup,
                  const struct children *children, struct moment now)
{
    struct rollup_value *value, *next;
    if (rollup->membership == children->membership)
        return true;
    if (aggregate_match(&rollup->members, &rollup->row, children) != 0) {
        log_error("core", "no memory to find what aggregate %s is over", rollup->row.row.name);
        rollup->membership = UINT64_MAX;
        return false;
    }
    for (value = rollup->values; value; value = value->hh.next)
        value->wanted = false;
    rollup->starved = false;
    find_unit(aggregates, rollup);
    find_values(aggregates, rollup);
    HASH_ITER(hh, rollup->values, value, next)
    {
        if (!value->wanted)
            rollup_value_end(&aggregates->values, value, "there is nothing left to aggregate", now);
    }
    rollup->membership = rollup->starved ? UINT64_MAX : children->membership;
    return true;
}

/* -- Computing ------------------------------------------------------------------------------ */

static void take_leaves(const struct child_series *series, struct aggregate_input *input)
{
    const struct report_totals *totals = child_series_totals(series);
    if (!totals) {
        input->has_value = false;
        return;
    }
    input->expected = totals->expected;
    if (!child_is_there(series->child))
        return;
    input->leaves = child_series_window(series);
    input->sum = totals->sum;
    input->age_ms += totals->oldest_ms;
}

/* Takes all values of the latest window, if it is current: they count one by one; if there is no
 * window, one value is missing. */
static void take_window(const struct child_series *series, struct moment now,
                        struct aggregate_input *input)
{
    const struct statistics_window *window =
        child_series_present(series, now.mono_ns, &input->age_ms);
    input->has_value = false;
    if (!window)
        return;
    input->leaves = window;
    input->sum = window->mean * (double)window->count;
    input->expected = window->count < UINT32_MAX ? (uint32_t)window->count : UINT32_MAX;
}

static struct aggregate_input input_of(const struct rollup *rollup,
                                       const struct aggregate_member *member, struct moment now)
{
    const struct child_series *series = member->series;
    struct aggregate_input input = {.expected = 1};
    if (!series) {
        /* a child that is there and has told its series does not have this one */
        input.expected = !child_is_there(member->child) || member->child->series.n_named == 0;
        return input;
    }
    input.has_value = child_series_live(series);
    input.value = series->value;
    input.age_ms = series->heard_ns ? (now.mono_ns - series->heard_ns) / NS_PER_MS : 0;
    if (series->name->is_aggregate)
        take_leaves(series, &input);
    else if (rollup->row.source == AGGREGATE_WINDOWS)
        take_window(series, now, &input);
    return input;
}

/* What cannot be counted is missing; aggregate_add ensures that. */
static void compute(const struct rollup *rollup, struct aggregate_group *group, struct moment now)
{
    const struct aggregate_members *members = &rollup->members;
    aggregate_begin(&group->computed);
    for (size_t i = group->first; i < group->first + group->n; i++) {
        struct aggregate_input input = input_of(rollup, &members->members[i], now);
        aggregate_add(&group->computed, &input);
    }
    for (size_t i = members->anywhere; i < members->n; i++) {
        struct aggregate_input input = input_of(rollup, &members->members[i], now);
        aggregate_add(&group->computed, &input);
    }
}

static void set_counts(struct rollup_value *value, const struct aggregate_group *group,
                       struct moment now)
{
    value->taken = now;
    value->expected = group->computed.expected;
    value->reporting = group->computed.reporting;
    value->oldest_ms = group->computed.oldest_ms;
}

static void step_group(struct aggregates *aggregates, struct rollup *rollup,
                       const struct aggregate_group *group, uint32_t newest, struct moment now)
{
    struct rollup_value *value = group->value;
    bool has_series = false;
    for (size_t i = group->first; i < group->first + group->n && !has_series; i++)
        has_series = rollup->members.members[i].series != NULL;
    if (!value)
        return;
    if (!has_series && !group->always && group->computed.expected == 0)
        return rollup_value_hide(&aggregates->values, value, "there is nothing left to aggregate",
                                 now);
    rollup_value_show(&aggregates->values, value, now);
    value->result = (struct result){.state = RESULT_VALID};
    if (!aggregate_value(&group->computed, rollup->row.function, rollup->row.parameter.value,
                         &value->result.value))
        value->result = (struct result){.state = RESULT_UNAVAILABLE};
    set_counts(value, group, now);
    rollup_value_publish(&aggregates->values, value, &group->computed, now);
    rollup_top_step(&aggregates->values, rollup, group, newest, now);
}

/* Each series has a value of its own here. The parent is told of this series only. */
static void step_one(struct aggregates *aggregates, struct rollup *rollup,
                     const struct aggregate_group *group, const struct aggregate_member *member,
                     struct result result, struct moment now)
{
    struct rollup_value *value = member->value;
    struct aggregate_input input = input_of(rollup, member, now);
    rollup_value_show(&aggregates->values, value, now);
    value->result = result;
    set_counts(value, group, now);
    aggregate_begin(&rollup->single);
    aggregate_add(&rollup->single, &input);
    rollup_value_publish(&aggregates->values, value, &rollup->single, now);
}

/* Series that are left out have no part in it. New values begin after others have ended, so that
 * alarms come in that order, too. */
static void step_top(struct aggregates *aggregates, struct rollup *rollup,
                     const struct aggregate_group *group, struct moment now)
{
    const struct aggregate_member *members = &rollup->members.members[group->first];
    double *values = rollup->members.values + group->first;
    uint32_t top[AGGREGATE_TOP_MAX];
    for (size_t i = 0; i < group->n; i++) {
        struct aggregate_input input = input_of(rollup, &members[i], now);
        values[i] = input.has_value && members[i].value ? input.value : (double)NAN;
    }
    uint32_t n =
        aggregate_top(values, (uint32_t)group->n, (uint32_t)rollup->row.parameter.value, top);
    for (size_t i = 0; i < group->n; i++)
        if (members[i].value)
            members[i].value->wanted = false;
    for (uint32_t i = 0; i < n; i++)
        members[top[i]].value->wanted = true;
    for (size_t i = 0; i < group->n; i++)
        if (members[i].value && !members[i].value->wanted)
            rollup_value_hide(&aggregates->values, members[i].value,
                              "it is not among the top any more", now);
    for (uint32_t i = 0; i < n; i++)
        step_one(aggregates, rollup, group, &members[top[i]],
                 (struct result){RESULT_VALID, values[top[i]]}, now);
}

static void step_share(struct aggregates *aggregates, struct rollup *rollup,
                       const struct aggregate_group *group, struct moment now)
{
    for (size_t i = group->first; i < group->first + group->n; i++) {
        const struct aggregate_member *member = &rollup->members.members[i];
        struct aggregate_input input = input_of(rollup, member, now);
        struct result result = {.state = RESULT_VALID};
        if (!member->value)
            continue;
        if (!aggregate_share(&group->computed, &input, &result.value))
            result.state = RESULT_UNAVAILABLE;
        step_one(aggregates, rollup, group, member, result, now);
    }
}

static void step(struct aggregates *aggregates, struct rollup *rollup,
                 const struct children *children, struct moment now)
{
    if (!match(aggregates, rollup, children, now))
        return;
    uint32_t newest = rollup_tops_begin(&aggregates->values, rollup);
    for (struct aggregate_group *group = rollup->members.groups; group; group = group->hh.next) {
        compute(rollup, group, now);
        if (rollup->row.function == AGGREGATE_TOP)
            step_top(aggregates, rollup, group, now);
        else if (rollup->row.function == AGGREGATE_SHARE)
            step_share(aggregates, rollup, group, now);
        else
            step_group(aggregates, rollup, group, newest, now);
    }
}

static void aggregates_plan(struct aggregates *aggregates)
{
    aggregates->due_ns = UINT64_MAX;
    for (struct index_node *node = index_first(&aggregates->index); node; node = index_next(node)) {
        const struct rollup *rollup = (const struct rollup *)node;
        if (rollup->due_ns < aggregates->due_ns)
            aggregates->due_ns = rollup->due_ns;
    }
}

bool aggregates_step(struct aggregates *aggregates, const struct children *children,
                     struct moment now)
{
    if (aggregates->due_ns > now.mono_ns)
        return false;
    for (struct index_node *node = index_first(&aggregates->index); node; node = index_next(node)) {
        struct rollup *rollup = (struct rollup *)node;
        uint64_t interval = rollup->row.interval_ms * NS_PER_MS;
        if (rollup->due_ns > now.mono_ns)
            continue;
        step(aggregates, rollup, children, now);
        rollup->due_ns = (now.mono_ns / interval + 1) * interval;
        return true;
    }
    aggregates_plan(aggregates);
    return false;
}

uint64_t aggregates_due(const struct aggregates *aggregates)
{
    return aggregates->due_ns;
}

/* -- The configuration ---------------------------------------------------------------------- */

/* A sensor and an aggregate of the same name could not be told apart in the dictionary. */
static bool is_taken(const struct aggregates *aggregates, const char *name)
{
    return measure_find(aggregates->measure, name) != NULL;
}

/* Logged once for each row with such a name, and not at each change of another one. */
static void say_taken(const char *name)
{
    log_warning("core", "aggregate %s is not computed: a sensor has the same name", name);
}

static void end_stale(struct aggregates *aggregates, const struct config *config, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&aggregates->index); node; node = next) {
        struct rollup *rollup = (struct rollup *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_AGGREGATE, rollup->row.row.name);
        if (!row || row->status != ROW_ACTIVE)
            rollup_end(aggregates, rollup, "the aggregate is no longer active", now);
        else if (row_restarts(&rollup->row.row, row))
            rollup_end(aggregates, rollup, "the aggregate was changed", now);
        else if (is_taken(aggregates, row->name)) {
            rollup_end(aggregates, rollup, "a sensor has the name of the aggregate", now);
            if (row->version <= aggregates->versions)
                say_taken(row->name); /* if the row is new, aggregates_sync says so */
        }
    }
}

static struct rollup *rollup_begin(struct aggregates *aggregates, const struct aggregate_row *row,
                                   struct moment now)
{
    struct rollup *rollup = calloc(1, sizeof *rollup);
    if (!rollup)
        return NULL;
    rollup->row = *row;
    rollup->due_ns = now.mono_ns;
    rollup->membership = UINT64_MAX;
    rollup->node.key = rollup->key;
    rollup->node.key_len = index_key_text(rollup->key, row->row.name);
    index_add(&aggregates->index, &rollup->node);
    return rollup;
}

bool aggregates_sync(struct aggregates *aggregates, const struct config *config, struct moment now)
{
    aggregates->starved = false;
    end_stale(aggregates, config, now);
    for (struct index_node *node = index_first(&config->rows[ROW_AGGREGATE]); node;
         node = index_next(node)) {
        const struct aggregate_row *row = (const struct aggregate_row *)node;
        struct rollup *rollup = aggregates_find(aggregates, row->row.name);
        if (row->row.status != ROW_ACTIVE)
            continue;
        if (is_taken(aggregates, row->row.name)) {
            if (row->row.version > aggregates->versions)
                say_taken(row->row.name);
        } else if (!rollup)
            aggregates->starved |= !(rollup = rollup_begin(aggregates, row, now));
        if (!rollup)
            continue;
        rollup->row = *row;
        rollup->filter = config_filter(config, row->filter);
    }
    aggregates->versions = config->versions;
    aggregates_plan(aggregates);
    return !aggregates->starved;
}
