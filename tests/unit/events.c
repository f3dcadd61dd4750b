#include "events.h"

#include <string.h>

size_t events_of(struct node *node, const char *key, int event)
{
    size_t n = 0;
    for (struct index_node *i = index_first(&node->daemon->alarms.log); i; i = index_next(i)) {
        const struct alarm_entry *entry = (struct alarm_entry *)i;
        n += (!key || strcmp(entry->facts.key, key) == 0) &&
             (!event || (int)entry->facts.event == event);
    }
    return n;
}

const struct alarm_entry *last_event(struct node *node)
{
    return (struct alarm_entry *)index_find(&node->daemon->alarms.log,
                                            &node->daemon->alarms.sequence, 1);
}

const struct alarm *active_alarm(struct node *node, const char *key)
{
    return alarm_find(&node->daemon->alarms, key);
}

void assert_events(struct node *node, const char *key, size_t raised, size_t cleared)
{
    assert_int_equal(events_of(node, key, ALARM_RAISED), raised);
    assert_int_equal(events_of(node, key, ALARM_CLEARED), cleared);
    assert_int_equal(active_alarm(node, key) != NULL, raised > cleared);
    size_t notified = 0;
    alarms_tick(&node->daemon->alarms, node->now); /* what happened between two cycles, too */
    for (const struct notification *n = node_told(node); n; n = n->next)
        notified += strcmp(n->facts.key, key) == 0 && n->facts.event != ALARM_CHANGED;
    assert_int_equal(notified, raised + cleared);
}

enum threshold_phase phase_of(struct node *node, const char *threshold, const char *instance)
{
    return (enum threshold_phase)number_at(node, MIB_dcampThresholdStatePhase, threshold, instance);
}
