/* For tests of what alarms mean: one sensor is played a series of values, and what the log says and
 * what receivers are told is compared, cycle by cycle. doc/alarms.md names the scenarios. */
#ifndef DCAMP_TESTS_SEMANTICS_H
#define DCAMP_TESTS_SEMANTICS_H

#include "events.h"

#define SENSORS                                                                                    \
    "<alarms rate=\"1000\" per=\"1s\" queue=\"1000\"/>\n<sensors>"                                 \
    "<sensor name=\"load\" metric=\"load.1\" window=\"10s\"/>"                                     \
    "<sensor name=\"load.b\" metric=\"load.5\"/></sensors>\n"
#define THRESHOLD(attributes)                                                                      \
    "<threshold name=\"t\" sensor=\"load\" operator=\"gt\" limit=\"80\" clear=\"70\" " attributes  \
    "/>"
#define RULE(attributes) SENSORS "<thresholds>" THRESHOLD(attributes) "</thresholds>"

/* What happened is written in letters: R raised, H changed, C cleared, A acknowledged, P repeated,
 * F flapping, S suppressed; each followed by the severity, '-' for a clear: "Rw", "Hc", "C-". */
struct step {
    uint64_t ms;        /* since the step before */
    const char *value;  /* of load.1; NULL: it cannot be read; "" : no cycle of the sensor's */
    const char *logged; /* "" : nothing */
    const char *told;
    void (*act)(struct node *node); /* before the cycle; or NULL */
};

struct scenario {
    const char *name;
    const char *elements;
    struct step steps[24]; /* up to one of 0 ms */
};

static inline void put_event(char *text, int event, enum severity severity)
{
    static const char letters[] = " RCASHPF", severities[] = " -iwc";
    size_t n = strlen(text);
    assert_in_range(n, 0, 60);
    text[n++] = letters[event];
    text[n++] = severities[severity];
    text[n] = '\0';
}

static inline void logged_since(struct node *node, uint32_t sequence, char text[64])
{
    text[0] = '\0';
    for (sequence++; sequence <= node->daemon->alarms.sequence; sequence++) {
        const struct alarm_entry *entry =
            (struct alarm_entry *)index_find(&node->daemon->alarms.log, &sequence, 1);
        assert_non_null(entry);
        put_event(text, entry->facts.event, entry->facts.severity);
    }
}

static inline void take_told(struct node *node, char text[64])
{
    const struct notification *notification;
    text[0] = '\0';
    while ((notification = node_told(node))) {
        put_event(text, notification->facts.event, notification->facts.severity);
        alarms_pop(&node->daemon->alarms, true);
    }
}

/* False: something else happened, which is said. */
static inline bool play_step(struct node *node, const char *name, size_t i, const struct step *step)
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

static inline bool play(const struct scenario *scenario)
{
    struct node *node = node_new(scenario->elements);
    bool good = true;
    for (size_t i = 0; i < N_OF(scenario->steps) && scenario->steps[i].ms && good; i++)
        good = play_step(node, scenario->name, i, &scenario->steps[i]);
    node_free(node);
    return good;
}

#endif
