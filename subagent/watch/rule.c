#include "watch/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* -- Which series --------------------------------------------------------------------------- */

/* An empty pattern is any: of_children says that not both are. */
static bool matches(const char *pattern, const char *name)
{
    return !pattern[0] || text_matches(pattern, name);
}

bool rule_is_on_node(const struct watch_rule *rule, const char *node, const char *group)
{
    if (!node)
        return !rule->of_children;
    return rule->of_children && matches(rule->row.children, node) &&
           matches(rule->row.groups, group);
}

bool rule_is_on(const struct watch_rule *rule, const struct series_view *view)
{
    return strcmp(rule->row.sensor, view->sensor) == 0 &&
           text_matches(rule->row.instances, view->instance) &&
           rule_is_on_node(rule, view->node, view->group);
}

/* -- What its row says ---------------------------------------------------------------------- */

static bool is_special(const struct watch_rule *rule)
{
    const struct threshold_row *row = &rule->row;
    return rule->levels.n > 1 || row->source != INPUT_VALUE || row->absence_ms ||
           row->hold_off_ms || row->disabled_by[0] || damper_needed(&rule->damper);
}

/* What of a rule follows from its row. */
static void read_row(struct watch_rule *rule, const struct threshold_row *row)
{
    rule->row = *row;
    rule->of_children = row->children[0] || row->groups[0];
    config_threshold_levels(row, &rule->levels);
    config_damper_rule(row, &rule->damper);
    rule->is_special = is_special(rule);
}

struct watch_rule *rule_new(const struct threshold_row *row)
{
    struct watch_rule *rule = calloc(1, sizeof *rule);
    if (!rule)
        return NULL;
    read_row(rule, row);
    rule->node.key = rule->key;
    rule->node.key_len = index_key_text(rule->key, row->row.name);
    return rule;
}

static bool same_levels(const struct threshold_levels *a, const struct threshold_levels *b)
{
    for (unsigned i = 0; i < a->n && a->n == b->n; i++) {
        const struct threshold_rule *p = &a->rule[i], *q = &b->rule[i];
        if (p->op != q->op || p->limit != q->limit || p->clear != q->clear ||
            p->match != q->match || p->window != q->window || p->duration_ms != q->duration_ms)
            return false;
    }
    return a->n == b->n;
}

static bool same_input(const struct threshold_row *a, const struct threshold_row *b)
{
    return strcmp(a->sensor, b->sensor) == 0 && strcmp(a->instances, b->instances) == 0 &&
           strcmp(a->children, b->children) == 0 && strcmp(a->groups, b->groups) == 0 &&
           a->source == b->source && a->span_ms == b->span_ms && a->horizon_ms == b->horizon_ms &&
           a->confidence.value == b->confidence.value;
}

bool rule_take_row(struct watch_rule *rule, const struct threshold_row *row)
{
    struct watch_rule next;
    const struct threshold_row *was = &rule->row;
    read_row(&next, row);
    if (!same_levels(&rule->levels, &next.levels) || !same_input(was, row) ||
        was->absence_ms != row->absence_ms || was->hold_off_ms != row->hold_off_ms ||
        rule->is_special != next.is_special ||
        damper_needed(&rule->damper) != damper_needed(&next.damper))
        return false;
    rule->row = next.row;
    rule->levels = next.levels;
    rule->damper = next.damper;
    return true;
}
