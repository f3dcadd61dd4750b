#include "watch/rule.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* -- Which series --------------------------------------------------------------------------- */

/* An empty pattern matches any name; of_children ensures that not both are empty. */
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

/* Sets what follows from the row of a rule. */
static void read_row(struct watch_rule *rule, const struct threshold_row *row)
{
    rule->row = *row;
    rule->of_children = row->children[0] || row->groups[0];
    config_threshold_levels(row, &rule->levels);
    config_damper_rule(row, &rule->damper);
    rule->is_special = is_special(rule);
}

uint32_t rule_season_ms(const struct watch_rule *rule)
{
    return rule->row.span_ms ? rule->row.span_ms : 24 * (uint32_t)MS_PER_HOUR;
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

bool rule_take_row(struct watch_rule *rule, const struct threshold_row *row)
{
    struct watch_rule next;
    if (row_restarts(&rule->row.row, &row->row))
        return false;
    read_row(&next, row);
    rule->row = next.row;
    rule->levels = next.levels;
    rule->damper = next.damper;
    return true;
}
