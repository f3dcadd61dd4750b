#include "watch/restart.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "watch/saved.h"

void watches_restore(struct watches *watches, struct state *state)
{
    state_release(&watches->saved);
    watches->saved = *state;
    *state = (struct state){.boot = 0};
    saved_sort(&watches->saved);
}

/* -- What does not come again ---------------------------------------------------------------- */

/* The search for series of a rule that existed before the restart. */
struct orphan_search {
    struct series_query query;
    const struct watch_rule *rule;
    struct watches *watches;
    const struct series_producer *producers;
    size_t n_producers;
    struct moment now;
};

static bool wants_node(const struct series_query *query, const char *node, const char *group)
{
    return rule_is_on_node(((const struct orphan_search *)query)->rule, node, group);
}

/* node: used only for children. */
static bool may_come(const struct orphan_search *whole, const char *name, const char *node,
                     const char *sensor)
{
    struct orphan_search search = *whole;
    search.rule = watches_find(whole->watches, name);
    if (!search.rule || (search.rule->of_children && strcmp(search.rule->row.sensor, sensor) != 0))
        return false;
    search.query = (struct series_query){.sensor = sensor, .wants = wants_node};
    for (size_t i = 0; i < search.n_producers; i++)
        if (search.producers[i].may_come(search.producers[i].context, &search.query,
                                         search.rule->of_children ? node : NULL, search.now))
            return true;
    return false;
}

static bool has_raised(const struct watches *watches, const struct watch *watch,
                       const struct alarm *alarm)
{
    struct alarm_facts facts;
    if (watch->severity == SEVERITY_CLEAR)
        return false;
    watch_describe(watches, watch, &facts);
    return strcmp(facts.key, alarm->facts.key) == 0;
}

static bool is_watched(const struct watches *watches, const struct alarm *alarm)
{
    const struct alarm_facts *facts = &alarm->facts;
    uint32_t key[WATCH_KEY_MAX];
    size_t n = watch_key(key, facts->threshold, facts->node, facts->instance);
    const struct watch *watch = (struct watch *)index_find(&watches->watches, key, n);
    return watch && has_raised(watches, watch, alarm);
}

/* The instance in an alarm is printable: if the kernel's is not, only the key tells which watch the
 * alarm belongs to. */
static bool is_watched_by_key(const struct watches *watches, const struct alarm *alarm)
{
    const struct watch_rule *rule = watches_find(watches, alarm->facts.threshold);
    const struct watch *watch = rule ? rule->watches : NULL;
    while (watch && !has_raised(watches, watch, alarm))
        watch = watch->next_of_rule;
    return watch != NULL;
}

/* What was saved for series that did not come back is useless once everything was read. True: some
 * may still come. */
static bool forget_saved(const struct orphan_search *search)
{
    struct state *saved = &search->watches->saved;
    size_t kept = 0;
    for (size_t i = 0; i < saved->n_series; i++) {
        const struct saved_series *each = &saved->series[i];
        if (!each->taken && may_come(search, each->threshold, each->node, each->sensor))
            saved->series[kept++] = *each;
    }
    saved->n_series = kept;
    return kept > 0;
}

static void end_orphan(const struct watches *watches, const struct alarm *alarm, struct moment now)
{
    struct alarm_facts facts = alarm->facts;
    facts.value[0] = '\0';
    text_format(facts.message, sizeof facts.message,
                "%s: cleared, its series was gone after a restart", facts.threshold);
    alarm_clear(watches->alarms, &facts, now);
}

bool watches_end_orphans(struct watches *watches, const struct series_producer *producers, size_t n,
                         struct moment now)
{
    const struct orphan_search search = {
        .watches = watches, .producers = producers, .n_producers = n, .now = now};
    bool waits = forget_saved(&search);
    watches->all_began = true;
    struct index_node *next;
    for (struct index_node *node = index_first(&watches->alarms->active); node; node = next) {
        const struct alarm *alarm = (struct alarm *)node;
        const struct alarm_facts *facts = &alarm->facts;
        next = index_next(node);
        if (facts->kind != ALARM_OF_THRESHOLD || is_watched(watches, alarm))
            continue;
        if (may_come(&search, facts->threshold, facts->node, facts->sensor))
            waits = true;
        else if (!is_watched_by_key(watches, alarm))
            end_orphan(watches, alarm, now);
    }
    return waits;
}

/* -- Saving --------------------------------------------------------------------------------- */

static bool worth_saving(const struct watch *watch)
{
    return watch->severity != SEVERITY_CLEAR || watch->state.phase >= PHASE_PENDING ||
           watch->state.breached != 0;
}

static int save_rule(const struct watches *watches, const struct watch_rule *rule,
                     struct state *state, uint64_t now_ns)
{
    for (const struct watch *watch = rule->watches; watch; watch = watch->next_of_rule) {
        if (!worth_saving(watch))
            continue;
        const struct series_view view = watch_view(watches, watch);
        struct saved_series saved = saved_name(rule, &view);
        saved.state = watch->state;
        saved.state.since_ns = now_ns - watch->state.since_ns;
        if (state_add_series(state, &saved) != 0)
            return ENOMEM;
    }
    return 0;
}

int watches_save(const struct watches *watches, struct state *state, uint64_t now_ns)
{
    for (struct index_node *node = index_first(&watches->rules); node; node = index_next(node))
        if (save_rule(watches, (const struct watch_rule *)node, state, now_ns) != 0)
            return ENOMEM;
    /* For those that have not begun yet, what was saved before is saved again. */
    for (size_t i = 0; i < watches->saved.n_series; i++)
        if (!watches->saved.series[i].taken &&
            state_add_series(state, &watches->saved.series[i]) != 0)
            return ENOMEM;
    return 0;
}

static int pack_rule(const struct watches *watches, const struct watch_rule *rule,
                     struct octets *octets)
{
    int error = 0;
    for (const struct watch *watch = rule->watches; watch && !error; watch = watch->next_of_rule) {
        const struct series_view view = watch_view(watches, watch);
        const struct saved_series name = saved_name(rule, &view);
        error = learned_pack_one(&name, watch->special->season, octets);
    }
    return error;
}

int watches_pack_learned(const struct watches *watches, struct octets *octets)
{
    int error = learned_pack(&watches->learned, octets);
    struct index_node *node = index_first(&watches->rules);
    for (; node && !error; node = index_next(node)) {
        const struct watch_rule *rule = (const struct watch_rule *)node;
        if (rule->row.source == INPUT_DEVIATION)
            error = pack_rule(watches, rule, octets);
    }
    return error;
}
