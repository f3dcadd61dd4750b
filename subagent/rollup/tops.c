#include "rollup/tops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "children/bound.h"
#include "series/tell_keys.h"

_Static_assert(sizeof(struct rollup_top) <= CHILD_TOP_ROW &&
                   sizeof(struct rollup_key) <= CHILD_TOP_ROW,
               "a row takes no more than the account of a child has for it");

/* -- Merging ----------------------------------------------------------------------------------- */

/* The keys of a member, if they count. NULL: it has none, or its child is not there. */
static const struct top_keys *keys_of(const struct aggregate_member *member, uint64_t *mark)
{
    if (!member->series || !child_is_there(member->child))
        return NULL;
    return child_series_keys(member->series, mark);
}

/* A number that changes when the keys of any member do; 0: none has any. */
static uint64_t mark_of(const struct rollup *rollup, const struct aggregate_group *group)
{
    uint64_t mark, all = 0;
    for (size_t i = group->first; i < group->first + group->n; i++)
        if (keys_of(&rollup->members.members[i], &mark))
            all = all * UINT64_C(0x9e3779b97f4a7c15) + mark + i + 1;
    return all;
}

/* 0 or ENOMEM; then there are no keys. */
static int merge(const struct rollup *rollup, const struct aggregate_group *group,
                 struct top_keys *merged)
{
    uint64_t mark;
    int error = 0;
    for (size_t i = group->first; i < group->first + group->n && !error; i++) {
        const struct top_keys *keys = keys_of(&rollup->members.members[i], &mark);
        if (keys)
            error = keys_merge(merged, keys->key, keys->size, keys->absent);
    }
    if (error)
        keys_release(merged);
    return error;
}

/* False: no memory. */
static bool show(struct rollup_value *value, const struct top_keys *keys, uint32_t top_size)
{
    struct top_key most[REPORT_KEYS_MAX];
    uint64_t rest;
    size_t k = top_size < REPORT_KEYS_MAX ? top_size : REPORT_KEYS_MAX;
    size_t n = keys_most(keys, most, k, &rest);
    struct rollup_top *top = malloc(sizeof *top + n * sizeof *top->row);
    if (!top)
        return false;
    top->n = n;
    for (size_t i = 0; i < n; i++)
        top->row[i] = (struct rollup_key){.value = value,
                                          .rank = (uint32_t)i + 1,
                                          .is_guaranteed = most[i].count - most[i].error >= rest,
                                          .key = most[i]};
    free(value->top);
    value->top = top;
    return true;
}

void rollup_top_forget(struct rollup_value *value)
{
    free(value->top);
    value->top = NULL;
    value->top_mark = 0;
}

/* -- When -------------------------------------------------------------------------------------- */

uint32_t rollup_tops_begin(const struct rollup_values *values, struct rollup *rollup)
{
    if (!rollup->top_waits)
        rollup->top_round++;
    rollup->top_waits = false;
    return values->publisher->report ? values->publisher->report->last : 0;
}

/* False: no memory. */
static bool renew(const struct rollup_values *values, const struct rollup *rollup,
                  const struct aggregate_group *group, struct moment now)
{
    struct report_ring *report = values->publisher->report;
    struct rollup_value *value = group->value;
    struct top_keys keys = {0};
    if (merge(rollup, group, &keys) != 0)
        return false;
    bool is_done =
        show(value, &keys, values->top_size) &&
        (!report || report_add_keys(report, value->entry.number, now.wall_ms, &keys) == 0);
    value->entry.is_reported |= report && is_done;
    keys_release(&keys);
    return is_done;
}

void rollup_top_step(const struct rollup_values *values, struct rollup *rollup,
                     const struct aggregate_group *group, uint32_t newest, struct moment now)
{
    const struct report_ring *report = values->publisher->report;
    struct rollup_value *value = group->value;
    uint64_t mark = mark_of(rollup, group);
    mark += mark > 0 ? values->top_size : 0;
    if (mark == value->top_mark || now.mono_ns < value->top_due_ns ||
        value->top_round == rollup->top_round)
        return;
    bool has_room = !report || report->last - newest < TELL_KEYS_BLOCKS;
    if (!has_room || !renew(values, rollup, group, now)) {
        rollup->top_waits = true;
        return;
    }
    value->top_mark = mark;
    value->top_round = rollup->top_round;
    value->top_due_ns =
        now.mono_ns + ROLLUP_TOP_PAUSE_NS + group->n * ROLLUP_TOP_PAUSE_OF_SERIES_NS;
}

/* -- Rows -------------------------------------------------------------------------------------- */

static const struct rollup_key *row_at(const struct index_node *node, uint64_t rank)
{
    const struct rollup_top *top = node ? ((const struct rollup_value *)node)->top : NULL;
    return top && rank >= 1 && rank <= top->n ? &top->row[rank - 1] : NULL;
}

/* The first row of that value, or of the next value that has any. */
static const struct rollup_key *first_from(struct index_node *node)
{
    while (node && !row_at(node, 1))
        node = index_next(node);
    return row_at(node, 1);
}

/* How long the index of a value at the beginning of a key is; 0: the key does not contain it as a
 * whole. Both texts are preceded by their length. */
static size_t length_of_value(const uint32_t *key, size_t len)
{
    size_t end = 0;
    for (int text = 0; text < 2; text++) {
        if (end >= len || key[end] >= len - end)
            return 0;
        end += 1 + key[end];
    }
    return end;
}

const struct rollup_key *rollup_top_find(const struct rollup_values *values, const uint32_t *key,
                                         size_t len)
{
    size_t whole = length_of_value(key, len);
    if (whole == 0 || len != whole + 1)
        return NULL;
    return row_at(index_find(&values->shown, key, whole), key[whole]);
}

const struct rollup_key *rollup_top_after(const struct rollup_values *values, const uint32_t *key,
                                          size_t len)
{
    size_t whole = length_of_value(key, len);
    struct index_node *node = whole ? index_find(&values->shown, key, whole) : NULL;
    if (!node)
        return first_from(index_after(&values->shown, key, len));
    uint64_t rank = len > whole ? (uint64_t)key[whole] + 1 : 1;
    const struct rollup_key *row = row_at(node, rank);
    return row ? row : first_from(index_next(node));
}

const struct rollup_key *rollup_top_next(const struct rollup_key *row)
{
    const struct rollup_key *next = row_at(&row->value->node, (uint64_t)row->rank + 1);
    return next ? next : first_from(index_next(&row->value->node));
}

size_t rollup_top_key(const struct rollup_key *row, uint32_t *key)
{
    const struct index_node *node = &row->value->node;
    memcpy(key, node->key, node->key_len * sizeof *key);
    key[node->key_len] = row->rank;
    return node->key_len + 1;
}
