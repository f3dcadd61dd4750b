#include "watch/saved.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int saved_compare(const struct saved_series *a, const struct saved_series *b)
{
    int order = strcmp(a->threshold, b->threshold);
    if (order == 0)
        order = strcmp(a->node, b->node);
    if (order == 0)
        order = strcmp(a->sensor, b->sensor);
    return order != 0 ? order : strcmp(a->instance, b->instance);
}

static int compare_saved(const void *first, const void *second)
{
    return saved_compare(first, second);
}

/* This node may have another name after a restart, so a rule on its own series is saved without
 * one. */
struct saved_series saved_name(const struct watch_rule *rule, const struct series_view *view)
{
    struct saved_series saved = {.taken = false};
    memcpy(saved.threshold, rule->row.row.name, sizeof saved.threshold);
    if (rule->of_children)
        text_format(saved.node, sizeof saved.node, "%s", view->node);
    text_format(saved.sensor, sizeof saved.sensor, "%s", view->sensor);
    text_format(saved.instance, sizeof saved.instance, "%s", view->instance);
    return saved;
}

void saved_sort(struct state *state)
{
    if (state->n_series > 0)
        qsort(state->series, state->n_series, sizeof *state->series, compare_saved);
}

struct saved_series *saved_find(const struct state *state, const struct watch_rule *rule,
                                const struct series_view *view)
{
    if (state->n_series == 0)
        return NULL;
    const struct saved_series wanted = saved_name(rule, view);
    struct saved_series *saved =
        bsearch(&wanted, state->series, state->n_series, sizeof wanted, compare_saved);
    return saved && !saved->taken ? saved : NULL;
}

void saved_forget_rule(const struct state *state, const struct watch_rule *rule)
{
    for (size_t i = 0; i < state->n_series; i++)
        if (strcmp(state->series[i].threshold, rule->row.row.name) == 0)
            state->series[i].taken = true;
}
