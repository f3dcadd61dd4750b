#include "children/lost.h"

#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/own_rule.h"
#include "base/text.h"
#include "children/behind.h"
#include "children/child.h"

#define LOST OWN_RULE_NODE_LOST

static struct alarm_facts lost_facts(const char *name)
{
    struct alarm_facts facts = {.kind = ALARM_OF_NODE, .severity = SEVERITY_CRITICAL};
    text_format(facts.node, sizeof facts.node, "%s", name);
    text_format(facts.threshold, sizeof facts.threshold, LOST);
    alarm_key(facts.key, facts.node, LOST, "");
    return facts;
}

static void say_since(const struct child *child, char *text, size_t size)
{
    time_t seconds = (time_t)(child->contact.last.wall_ms / 1000);
    struct tm when;
    if (child->contact.last.mono_ns == 0 || !gmtime_r(&seconds, &when) ||
        strftime(text, size, "the last answer came at %Y-%m-%d %H:%M:%S UTC", &when) == 0)
        text_format(text, size, "no answer yet since this node began to poll it");
}

bool child_announce_lost(struct children *children, const struct child *child, struct moment now)
{
    struct alarm_facts facts = lost_facts(child->name);
    char since[64];
    say_since(child, since, sizeof since);
    size_t behind = children_behind(children, child->name);
    text_format(facts.message, sizeof facts.message, "%s is lost: %s (%s)", child->name,
                child_error(child), since);
    size_t len = strlen(facts.message);
    if (behind > 0)
        text_format(facts.message + len, sizeof facts.message - len, ", and what is behind it: %zu",
                    behind);
    bool is_news = alarm_raise(children->alarms, &facts, now);
    if (is_news)
        log_warning("collect", "%s", facts.message);
    return is_news;
}

void child_announce_joined(struct children *children, struct child *child, struct moment now)
{
    struct alarm_facts facts = lost_facts(child->name);
    bool first = !child->contact.known;
    text_format(facts.message, sizeof facts.message,
                first ? "%s has joined, at %s" : "%s is back, at %s", child->name, child->address);
    facts.severity = SEVERITY_CLEAR;
    if (alarm_clear(children->alarms, &facts, now) ||
        (first && alarm_announce(children->alarms, &facts, now)))
        log_info("collect", "%s", facts.message);
    children->changes += first;
    child->contact.known = true;
}

void children_clear_lost(struct children *children, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&children->alarms->active); node; node = next) {
        const struct alarm *alarm = (struct alarm *)node;
        next = index_next(node);
        if (alarm->facts.kind != ALARM_OF_NODE || strcmp(alarm->facts.threshold, LOST) != 0 ||
            children_find(children, alarm->facts.node))
            continue;
        struct alarm_facts facts = alarm->facts;
        text_format(facts.message, sizeof facts.message, "%s is not polled any more", facts.node);
        alarm_clear(children->alarms, &facts, now);
    }
}
