#include "daemon/sink_alarms.h"

#include <string.h>

#include "base/log.h"
#include "base/own_rule.h"
#include "base/text.h"

#define DOWN OWN_RULE_SINK_DOWN
#define PLACES (sizeof((struct sink_alarms *)0)->down / sizeof(struct sink_down))

/* Finds the place of a sink; the name "" finds a free place. NULL: there is none. */
static struct sink_down *find(struct sink_alarms *sinks, const char *name)
{
    for (size_t i = 0; i < PLACES; i++)
        if (strcmp(sinks->down[i].name, name) == 0)
            return &sinks->down[i];
    return NULL;
}

static struct sink_down *remember(struct sink_alarms *sinks, const char *name, uint64_t now_ns)
{
    struct sink_down *down = find(sinks, name);
    if (down)
        return down;
    down = find(sinks, "");
    if (down) {
        text_format(down->name, sizeof down->name, "%s", name);
        down->since_ns = now_ns;
    }
    return down;
}

static struct alarm_facts facts_of(const struct alarms *alarms, const char *name)
{
    struct alarm_facts facts = {.kind = ALARM_OF_SINK, .severity = SEVERITY_WARNING};
    text_format(facts.node, sizeof facts.node, "%s", alarms->node);
    text_format(facts.threshold, sizeof facts.threshold, DOWN);
    text_format(facts.instance, sizeof facts.instance, "%s", name);
    alarm_key(facts.key, facts.node, DOWN, name);
    return facts;
}

static void clear(struct alarms *alarms, const char *name, const char *why, struct moment now)
{
    struct alarm_facts facts = facts_of(alarms, name);
    facts.severity = SEVERITY_CLEAR;
    text_format(facts.message, sizeof facts.message, "sink %s %s", name, why);
    if (alarm_clear(alarms, &facts, now))
        log_info("outlet", "%s", facts.message);
}

static void raise(struct alarms *alarms, const struct outlet_sink_row *sink, struct moment now)
{
    const char *name = sink->settings.name, *error = sink->state.error;
    struct alarm_facts facts = facts_of(alarms, name);
    bool absent = sink->state.state == OUTLET_SINK_ABSENT;
    text_format(facts.message, sizeof facts.message, "sink %s %s for 5 minutes%s%s", name,
                absent ? "had no process of dcamp-publish" : "has taken nothing",
                error[0] ? ": " : "", error);
    if (alarm_raise(alarms, &facts, now))
        log_warning("outlet", "%s", facts.message);
}

/* Returns when to look again because its time is over; UINT64_MAX: it is over already, or there is
 * nothing to wait for. */
static uint64_t look_at(struct sink_alarms *sinks, const struct outlet_sink_row *sink,
                        struct alarms *alarms, struct moment now)
{
    const char *name = sink->settings.name;
    bool was_there = sink->since_ns > 0;
    struct sink_down *down = find(sinks, name);
    if (sink->state.state == OUTLET_SINK_UP) {
        if (down) {
            clear(alarms, name, "takes what comes again", now);
            *down = (struct sink_down){.name = ""};
        }
        return UINT64_MAX;
    }
    if (!was_there)
        return UINT64_MAX;
    down = remember(sinks, name, now.mono_ns);
    uint64_t due_ns = down ? down->since_ns + SINK_DOWN_MS * NS_PER_MS : UINT64_MAX;
    if (now.mono_ns < due_ns)
        return due_ns;
    raise(alarms, sink, now);
    return UINT64_MAX;
}

/* Alarms from before a restart stay until their sinks are up, or gone. */
static void restore(struct sink_alarms *sinks, const struct alarms *alarms, uint64_t now_ns)
{
    for (struct index_node *node = index_first(&alarms->active); node; node = index_next(node)) {
        const struct alarm *alarm = (struct alarm *)node;
        if (alarm->facts.kind == ALARM_OF_SINK && strlen(alarm->facts.instance) < NAME_SIZE)
            remember(sinks, alarm->facts.instance, now_ns);
    }
    sinks->restored = true;
}

static void forget_gone(struct sink_alarms *sinks, const struct outlet *outlet,
                        struct alarms *alarms, struct moment now)
{
    for (size_t i = 0; i < PLACES; i++) {
        struct sink_down *down = &sinks->down[i];
        uint32_t key[NAME_SIZE];
        if (!down->name[0] || index_find(&outlet->sinks, key, index_key_text(key, down->name)))
            continue;
        clear(alarms, down->name, "is not configured any more", now);
        *down = (struct sink_down){.name = ""};
    }
}

uint64_t sink_alarms_step(struct sink_alarms *sinks, const struct outlet *outlet,
                          struct alarms *alarms, struct moment now)
{
    uint64_t due = UINT64_MAX;
    if (!sinks->restored)
        restore(sinks, alarms, now.mono_ns);
    forget_gone(sinks, outlet, alarms, now);
    for (struct index_node *node = index_first(&outlet->sinks); node; node = index_next(node)) {
        uint64_t sink_due = look_at(sinks, (struct outlet_sink_row *)node, alarms, now);
        due = sink_due < due ? sink_due : due;
    }
    return due;
}
