#include "semantics.h"

#include <stdio.h>
#include <string.h>

static void put_event(char *text, int event, enum severity severity)
{
    static const char letters[] = " RCASHPF", severities[] = " -iwc";
    size_t n = strlen(text);
    assert_in_range(n, 0, 60);
    text[n++] = letters[event];
    text[n++] = severities[severity];
    text[n] = '\0';
}

static void logged_since(struct node *node, uint32_t sequence, char text[64])
{
    text[0] = '\0';
    for (sequence++; sequence <= node->daemon->alarms.sequence; sequence++) {
        const struct alarm_entry *entry =
            (struct alarm_entry *)index_find(&node->daemon->alarms.log, &sequence, 1);
        assert_non_null(entry);
        put_event(text, entry->facts.event, entry->facts.severity);
    }
}

static void take_told(struct node *node, char text[64])
{
    const struct notification *notification;
    text[0] = '\0';
    while ((notification = node_told(node))) {
        put_event(text, notification->facts.event, notification->facts.severity);
        alarms_pop(&node->daemon->alarms, true);
    }
}

/* False: something else happened, which is said. */
static bool play_step(struct node *node, const char *name, size_t i, const struct step *step)
{
    uint32_t sequence = node->daemon->alarms.sequence;
    char logged[64], told[64], load[32];
    if (!step->value) {
        tree_write(&node->tree, "/proc/loadavg", "");
    } else if (step->value[0]) {
        snprintf(load, sizeof load, "%s.00", step->value);
        node_load(node, load);
    }
    if (step->act)
        step->act(node);
    node_cycle(node, step->ms);
    logged_since(node, sequence, logged);
    take_told(node, told);
    bool as_expected = strcmp(logged, step->logged) == 0 && strcmp(told, step->told) == 0;
    if (!as_expected)
        print_error("%s, step %zu: logged \"%s\", told \"%s\", not \"%s\" and \"%s\"\n", name,
                    i + 1, logged, told, step->logged, step->told);
    return as_expected;
}

bool scenario_play(const struct scenario *scenario)
{
    struct node *node = node_new(scenario->elements);
    bool good = true;
    for (size_t i = 0; i < N_OF(scenario->steps) && scenario->steps[i].ms && good; i++)
        good = play_step(node, scenario->name, i, &scenario->steps[i]);
    node_free(node);
    return good;
}
