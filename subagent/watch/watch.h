/* One rule on one series, from the value to the alarm. The series may be of any producer. If the
 * rule names children, it is a series of one of them, and the alarm is the child's. */
#ifndef DCAMP_WATCH_WATCH_H
#define DCAMP_WATCH_WATCH_H

#include "alarm/alarm.h"
#include "config/state.h"
#include "series/observer.h"
#include "watch/input.h"
#include "watch/learned.h"
#include "watch/rule.h"

/* Key of a watch: rule, node, instance. Even with the longest key, the OID has fewer than 128
 * sub-identifiers. */
#define WATCH_KEY_MAX (2 * NAME_SIZE + INSTANCE_KEY_MAX + 1)

/* Its key is in the same allocation. */
struct watch {
    struct index_node node; /* key: name of the rule, name of the node, instance */
    struct watch_rule *rule;
    struct series_ref series;
    struct watch *next_of_series;
    struct watch *next_of_rule, **link_of_rule;
    struct watch_special *special; /* what only some rules need; NULL if this one does not */
    struct threshold_state state;
    int64_t since_ms;       /* wall clock: when the present phase began */
    enum severity severity; /* of its alarm; SEVERITY_CLEAR: there is none */
    bool shown;             /* in watches; if it is not, another watch has the same key */
    uint32_t key[];
};

/* All watches, and the rules that they belong to. */
struct watches {
    struct index rules;   /* of struct watch_rule, by name */
    struct index watches; /* of struct watch */
    struct alarms *alarms;
    struct state saved;     /* what the state file said of watches that have not begun */
    struct learned learned; /* models of seasons that wait for their series */
    uint64_t changes;       /* grows with every change that must be saved */
    uint64_t transitions;   /* grows whenever an alarm of a watch begins, changes or ends */
    size_t n_raised;        /* rules with an active alarm */
    uint64_t looked_ns;     /* monotonic: when absences were last looked for */
    bool look_for_absences; /* some rule has an absence */
    bool starved;           /* some rule, or watch of a rule, could not begin because memory ran
                             * out */
    bool all_began;         /* all sensors were sampled; series of children may still come */
};

struct watch_rule *watches_find(const struct watches *watches, const char *name);

/* The present state of its series; node is this node's name if the series is its own. */
struct series_view watch_view(const struct watches *watches, const struct watch *watch);

uint32_t watch_key(uint32_t key[WATCH_KEY_MAX], const char *rule, const char *node,
                   const char *instance);

/* Those facts of its alarm that do not change with the value. */
void watch_describe(const struct watches *watches, const struct watch *watch,
                    struct alarm_facts *facts);

/* Begins a watch with what the state file says of it, if anything. NULL: there is one already, or
 * no memory. */
struct watch *watch_begin(struct watches *watches, struct watch_rule *rule,
                          struct series_ref series, struct moment now);

/* series_ends: the series ends; otherwise the rule ends or changes. */
void watch_end(struct watches *watches, struct watch *watch, bool series_ends, const char *why,
               struct moment now);

/* The rule has another severity, and is otherwise the same: an active alarm has it from now on. */
void watch_take_severity(struct watches *watches, struct watch *watch, struct moment now);

/* The latest value of its series is a sample. */
void watch_step(struct watches *watches, struct watch *watch, const struct series_view *view,
                struct moment now);

/* A whole window of its series has come, without a value. */
void watch_step_window(struct watches *watches, struct watch *watch, const struct series_view *view,
                       struct moment now);

/* Raises the alarm of a watch of a rule with absence, if there was no value for too long. */
void watch_look_for_absence(struct watches *watches, struct watch *watch, struct moment now);

/* The phase for people: raised while there is an alarm. */
enum threshold_phase watch_phase(const struct watch *watch);

#endif
