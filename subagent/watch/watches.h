/* Watches: one threshold on one series, from the threshold's step to the alarm. A series is one of
 * this node's own, a value of an aggregate, or, where the threshold names children, one of theirs:
 * then the alarm is the child's. */
#ifndef DCAMP_WATCH_WATCHES_H
#define DCAMP_WATCH_WATCHES_H

#include "alarm/alarm.h"
#include "config/state.h"
#include "children/children.h"
#include "series/measure.h"

/* One watch. The same allocation holds its key. */
struct watch {
    struct index_node node; /* key: threshold name, name of the node, instance */
    struct threshold *threshold;
    union {
        struct numbered *own;       /* or a value of an aggregate */
        struct child_series *child; /* where threshold->of_children */
    } series;
    struct watch *next_of_series;
    struct watch *next_of_threshold, **link_of_threshold;
    struct watch_more *more; /* what only some rules need; NULL */
    struct threshold_state state;
    int64_t since_ms;       /* wall clock: when the present phase began */
    enum severity severity; /* of its alarm; SEVERITY_CLEAR: there is none */
    bool shown;             /* in watches; another of the same key is, if not */
    uint32_t key[];
};

/* An active row of the configuration at run time. */
struct threshold {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct threshold_row row; /* a copy */
    struct threshold_levels levels;
    struct damper_rule damper;
    bool of_children;
    bool is_special; /* its watches have more */
    struct watch *watches;
    uint32_t raised; /* watches with an active alarm */
};

struct watches {
    struct index thresholds;
    struct index watches;
    struct alarms *alarms;
    const struct config *config; /* for the node's name; follows a reload */
    struct state saved;          /* what the state file said of watches that have not begun yet */
    struct moment now;           /* of the cycle or sync that is going on */
    uint64_t changes;            /* grows with whatever must be saved */
    bool all_began;              /* all sensors were sampled: what still is in saved may come yet */
    bool children_known;         /* they have told what they have, or had the time to */
    bool look_for_absences;      /* some threshold has an absence */
    uint64_t looked_ns;          /* monotonic: when they were looked for last */
    uint64_t transitions;        /* grows whenever an alarm of a watch begins, changes or ends */
};

void watches_open(struct watches *watches, struct alarms *alarms);
void watches_close(struct watches *watches);

/* Takes what the state file says of thresholds on series. */
void watches_restore(struct watches *watches, struct state *state);

/* Makes the thresholds those of the configuration. A changed rule begins anew: its alarms end. */
void watches_sync(struct watches *watches, struct measure *measure, const struct children *children,
                  const struct config *config, struct moment now);

struct threshold *watches_find(const struct watches *watches, const char *name);

/* Whether a threshold is on a child, whatever its series. */
bool watch_is_on_child(const struct threshold *threshold, const struct child *child);

/* A series begins: every threshold on it does too. It ends: their alarms do. */
void watches_series_begun(struct watches *watches, struct numbered *series);
void watches_series_ended(struct watches *watches, struct numbered *series, const char *why);

/* A series has a new value: steps its watches. */
void watches_step(struct watches *watches, struct numbered *series, struct moment now);

/* The same of children's series, for struct children_watcher with these watches as context. A value
 * that a series has already when it begins, or a threshold on it does, is its first sample. */
void watches_child_begun(void *watches, struct child_series *series);
void watches_child_valued(void *watches, struct child_series *series, bool window,
                          struct moment now);
bool watches_child_holds(void *watches, const struct child_series *series);
void watches_child_moved(void *watches, struct child_series *from, struct child_series *to);
void watches_child_ended(void *watches, struct child_series *series, const char *why);

/* To be called every cycle: raises what had no value for too long. */
void watches_tick(struct watches *watches, struct moment now);

/* When that is to be looked at again; UINT64_MAX: no rule asks for it. */
uint64_t watches_due(const struct watches *watches);

/* The phase for people: raised while there is an alarm. */
enum threshold_phase watch_phase(const struct watch *watch);

/* What dampening and flapping say of telling an alarm of a threshold. */
enum damper_verdict watches_verdict(const struct watches *watches, const struct alarm_facts *facts,
                                    uint64_t now_ns);

/* After the first pass over everything: ends the alarms of a former life whose series or
 * threshold is not there any more. True: there are some whose series may come yet. */
bool watches_end_orphans(struct watches *watches, const struct measure *measure,
                         const struct children *children, struct moment now);

/* Appends what must be saved of the watches to a state. 0 or ENOMEM. */
int watches_save(const struct watches *watches, struct state *state, uint64_t now_ns);

#endif
