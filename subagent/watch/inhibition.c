#include "watch/inhibition.h"

#include "base/text.h"

/* facts NULL: whether it covers any alarm. */
static bool covers(const struct maintenance_row *row, const struct alarm_facts *facts,
                   int64_t wall_ms)
{
    struct maintenance maintenance;
    if (row->row.status != ROW_ACTIVE)
        return false;
    if (facts &&
        !(text_matches(row->nodes, facts->node) && text_matches(row->thresholds, facts->threshold)))
        return false;
    config_maintenance(row, &maintenance);
    return maintenance_active(&maintenance, wall_ms);
}

static bool any_covers(const struct config *config, const struct alarm_facts *facts,
                       int64_t wall_ms)
{
    for (struct index_node *node = index_first(&config->rows[ROW_MAINTENANCE]); node;
         node = index_next(node))
        if (covers((const struct maintenance_row *)node, facts, wall_ms))
            return true;
    return false;
}

static bool is_maintained(struct inhibition *inhibition, const struct alarm_facts *facts,
                          int64_t wall_ms)
{
    const struct config *config = *inhibition->config;
    if (inhibition->maintained.config != config ||
        inhibition->maintained.serial != config->serial ||
        inhibition->maintained.wall_ms != wall_ms) {
        inhibition->maintained.any = any_covers(config, NULL, wall_ms);
        inhibition->maintained.config = config;
        inhibition->maintained.serial = config->serial;
        inhibition->maintained.wall_ms = wall_ms;
    }
    return inhibition->maintained.any && any_covers(config, facts, wall_ms);
}

/* What the rule itself says about holding its alarm back. */
static enum alarm_hold of_rule(const struct inhibition *inhibition, const struct watch_rule *rule,
                               const struct alarm_facts *facts, uint64_t now_ns)
{
    if (rule->row.notify == TRUTH_FALSE)
        return HOLD_QUIET;
    switch (watches_verdict(inhibition->watches, facts, now_ns)) {
    case DAMPER_FLAPPING:
        return HOLD_FLAPPING;
    case DAMPER_DAMPENED:
        return HOLD_DAMPENED;
    default:
        return HOLD_NONE;
    }
}

static uint32_t condition_repeat(const struct config *config, const char *name)
{
    const struct row *row = config_find(config, ROW_CONDITION, name);
    return row ? ((const struct condition_row *)row)->repeat_ms : 0;
}

struct alarm_verdict inhibition_judge(void *context, const struct alarm_facts *facts,
                                      enum alarm_event event, struct moment now)
{
    struct inhibition *inhibition = context;
    struct alarm_verdict verdict = {.hold = HOLD_NONE};
    const struct watch_rule *rule = facts->kind == ALARM_OF_THRESHOLD
                                        ? watches_find(inhibition->watches, facts->threshold)
                                        : NULL;
    if (rule) {
        verdict.hold = of_rule(inhibition, rule, facts, now.mono_ns);
        verdict.repeat_ms = rule->row.repeat_ms;
    }
    if (facts->kind == ALARM_OF_CONDITION)
        verdict.repeat_ms = condition_repeat(*inhibition->config, facts->threshold);
    if (event == ALARM_CLEARED)
        verdict.hold = verdict.hold == HOLD_FLAPPING ? HOLD_FLAPPING : HOLD_NONE;
    else if (verdict.hold == HOLD_NONE && is_maintained(inhibition, facts, now.wall_ms))
        verdict.hold = HOLD_MAINTENANCE;
    else if (verdict.hold == HOLD_NONE && inhibition->follows &&
             inhibition->follows(inhibition->context, facts))
        verdict.hold = HOLD_DEPENDENCY;
    return verdict;
}
