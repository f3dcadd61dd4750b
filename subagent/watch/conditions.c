#include "watch/conditions.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/table.h"
#include "base/text.h"

/* The group that members belong to: those of a node and an instance, of a node, or all. */
struct group {
    UT_hash_handle hh, by_key;
    struct {
        char node[NAME_SIZE];
        char instance[INSTANCE_SIZE];
    } name;
    const struct watch_rule *last; /* the last rule that was counted */
    size_t n;                      /* thresholds with an alarm */
    char members[MESSAGE_SIZE / 2];
    char key[ALARM_KEY_SIZE]; /* of the alarm of this group, if the condition is met */
};

struct evaluation {
    const struct watches *watches;
    const struct condition_row *row;
    struct group *groups;
    struct group *met;   /* those whose condition is met, by the key of their alarm */
    size_t n_thresholds; /* how many exist */
    bool failed;         /* no memory: some groups may be missing */
    struct moment now;
};

static struct group *group_of(struct evaluation *evaluation, const struct series_view *view)
{
    struct group *group, wanted = {.n = 0};
    enum condition_by by = evaluation->row->by;
    text_format(wanted.name.node, sizeof wanted.name.node, "%s",
                by == BY_ALL ? evaluation->watches->alarms->node : view->node);
    if (by == BY_INSTANCE)
        text_format(wanted.name.instance, sizeof wanted.name.instance, "%s", view->instance);
    HASH_FIND(hh, evaluation->groups, &wanted.name, sizeof wanted.name, group);
    if (group)
        return group;
    group = malloc(sizeof *group);
    if (group) {
        *group = wanted;
        HASH_ADD(hh, evaluation->groups, name, sizeof group->name, group);
        if (table_has(hh, group))
            return group;
    }
    free(group);
    evaluation->failed = true;
    return NULL;
}

static void count_member(struct evaluation *evaluation, const struct watch_rule *rule,
                         const struct watch *watch)
{
    const struct series_view view = watch_view(evaluation->watches, watch);
    struct group *group = group_of(evaluation, &view);
    if (!group || group->last == rule)
        return;
    group->last = rule;
    size_t len = strlen(group->members);
    text_format(group->members + len, sizeof group->members - len, "%s%s", group->n ? ", " : "",
                rule->row.row.name);
    group->n++;
}

/* Without any alarm no condition is met; then it does not matter how many rules there are. */
static void count_members(struct evaluation *evaluation)
{
    if (evaluation->watches->n_raised == 0)
        return;
    for (struct index_node *node = index_first(&evaluation->watches->rules); node;
         node = index_next(node)) {
        const struct watch_rule *rule = (const struct watch_rule *)node;
        if (!text_matches(evaluation->row->thresholds, rule->row.row.name))
            continue;
        evaluation->n_thresholds++;
        const struct watch *watch = rule->raised ? rule->watches : NULL;
        for (; watch; watch = watch->next_of_rule)
            if (watch->severity != SEVERITY_CLEAR)
                count_member(evaluation, rule, watch);
    }
}

static bool is_met(const struct evaluation *evaluation, const struct group *group)
{
    return evaluation->row->require == REQUIRE_ANY || group->n == evaluation->n_thresholds;
}

static void describe(const struct evaluation *evaluation, const struct group *group,
                     struct alarm_facts *facts)
{
    const struct condition_row *row = evaluation->row;
    *facts = (struct alarm_facts){.kind = ALARM_OF_CONDITION, .severity = row->severity};
    memcpy(facts->node, group->name.node, sizeof facts->node);
    memcpy(facts->instance, group->name.instance, sizeof facts->instance);
    memcpy(facts->threshold, row->row.name, sizeof facts->threshold);
    alarm_key(facts->key, facts->node, facts->threshold, facts->instance);
    text_format(facts->value, sizeof facts->value, "%zu", group->n);
    text_format(facts->limit, sizeof facts->limit, "%s of %zu",
                row->require == REQUIRE_ANY ? "any" : "all", evaluation->n_thresholds);
    text_format(facts->message, sizeof facts->message, "%s: raised %s%s%s",
                row->description[0] ? row->description : row->row.name, group->members,
                facts->instance[0] ? " on " : "", facts->instance);
}

static void raise_met(struct evaluation *evaluation)
{
    struct group *group, *next;
    HASH_ITER(hh, evaluation->groups, group, next)
    {
        struct alarm_facts facts;
        if (!is_met(evaluation, group))
            continue;
        describe(evaluation, group, &facts);
        memcpy(group->key, facts.key, sizeof group->key);
        HASH_ADD_KEYPTR(by_key, evaluation->met, group->key, (unsigned)strlen(group->key), group);
        evaluation->failed |= !table_has(by_key, group);
        if (alarm_raise(evaluation->watches->alarms, &facts, evaluation->now))
            log_info("alarm", "raised %s: %s", facts.key, facts.message);
        else if (alarm_change(evaluation->watches->alarms, &facts, evaluation->now))
            log_info("alarm", "changed %s: %s", facts.key, facts.message);
    }
}

static bool still_met(const struct evaluation *evaluation, const struct alarm *alarm)
{
    const struct group *group;
    const char *key = alarm->facts.key;
    HASH_FIND(by_key, evaluation->met, key, (unsigned)strlen(key), group);
    return group != NULL;
}

static void evaluate(struct evaluation *evaluation)
{
    count_members(evaluation);
    raise_met(evaluation);
}

static void release(struct evaluation *evaluation)
{
    struct group *group, *next;
    HASH_CLEAR(by_key, evaluation->met);
    HASH_ITER(hh, evaluation->groups, group, next)
    {
        HASH_DELETE(hh, evaluation->groups, group);
        free(group);
    }
}

static void clear_alarm(const struct watches *watches, const struct alarm *alarm, const char *why,
                        struct moment now)
{
    struct alarm_facts facts = alarm->facts;
    facts.value[0] = '\0';
    text_format(facts.message, sizeof facts.message, "%s%s%s: cleared, %s", facts.threshold,
                facts.instance[0] ? " on " : "", facts.instance, why);
    if (alarm_clear(watches->alarms, &facts, now))
        log_info("alarm", "cleared %s: %s", facts.key, facts.message);
}

/* Only members on the node of the alarm count: while that node does not come back, alarms of others
 * can be cleared. */
static bool members_may_come(const struct watches *watches, const struct condition_row *row,
                             const struct alarm *alarm)
{
    if (!watches->all_began)
        return true;
    for (size_t i = 0; i < watches->saved.n_series; i++) {
        const struct saved_series *saved = &watches->saved.series[i];
        const char *node = saved->node[0] ? saved->node : watches->alarms->node;
        if (!saved->taken && text_matches(row->thresholds, saved->threshold) &&
            (row->by == BY_ALL || strcmp(node, alarm->facts.node) == 0))
            return true;
    }
    return false;
}

/* Clears the alarms of one condition that are not met any more or, if row is NULL, those of
 * conditions that were removed. False: some alarms are kept, because their members may still
 * come. */
static bool clear_unmet(const struct watches *watches, const struct config *config,
                        const struct evaluation *evaluation, struct moment now)
{
    bool all = true;
    struct index_node *next;
    for (struct index_node *node = index_first(&watches->alarms->active); node; node = next) {
        const struct alarm *alarm = (const struct alarm *)node;
        next = index_next(node);
        if (alarm->facts.kind != ALARM_OF_CONDITION)
            continue;
        const struct row *row = config_find(config, ROW_CONDITION, alarm->facts.threshold);
        bool is_there = row && row->status == ROW_ACTIVE;
        if (!evaluation && !is_there)
            clear_alarm(watches, alarm, "there is no such condition any more", now);
        if (!evaluation || row != &evaluation->row->row || still_met(evaluation, alarm))
            continue;
        if (members_may_come(watches, evaluation->row, alarm))
            all = false;
        else
            clear_alarm(watches, alarm, "its thresholds have recovered", now);
    }
    return all;
}

void conditions_step(struct conditions *conditions, const struct watches *watches,
                     const struct config *config, struct moment now)
{
    if (conditions->looked && conditions->transitions == watches->transitions &&
        conditions->serial == config->serial)
        return;
    conditions->transitions = watches->transitions;
    conditions->serial = config->serial;
    conditions->looked = watches->all_began;
    for (struct index_node *node = index_first(&config->rows[ROW_CONDITION]); node;
         node = index_next(node)) {
        const struct condition_row *row = (const struct condition_row *)node;
        struct evaluation evaluation = {.watches = watches, .row = row, .now = now};
        if (row->row.status != ROW_ACTIVE)
            continue;
        evaluate(&evaluation);
        conditions->looked &= !evaluation.failed && clear_unmet(watches, config, &evaluation, now);
        release(&evaluation);
    }
    clear_unmet(watches, config, NULL, now);
}
