/* What watches.c, watches_sync.c and watches_saved.c share. */
#ifndef DCAMP_WATCH_WATCH_H
#define DCAMP_WATCH_WATCH_H

#include "watch/watches.h"

/* Key of a watch: threshold, node, instance. With the longest OID below 128 sub-identifiers. */
#define WATCH_KEY_MAX (2 * NAME_SIZE + CHILD_INSTANCE_KEY_MAX + 1)

/* What rules need that are not plain: several limits, another source than the value, absence,
 * hold-off, dampening. */
struct watch_more {
    struct threshold_state upper[THRESHOLD_LEVELS_MAX - 1];
    struct trend *trend;    /* NULL: the rule needs none */
    struct damper *damper;  /* likewise */
    uint64_t valued_ns;     /* monotonic: of the last value, or of the beginning */
    uint64_t not_before_ns; /* monotonic: no alarm is raised until then */
    uint64_t window;        /* the last one that was looked at */
    double input;           /* what was last compared with the limits */
    double confidence;      /* of the forecast that was last made */
    bool absent;            /* the alarm is for the lack of a value */
};

/* What a watch is on, whichever kind of series that is. */
struct watched {
    const char *node; /* its name */
    const char *sensor, *instance, *unit;
    const struct result *result;
    struct watch **watches;                   /* of the series */
    const struct statistics *statistics;      /* of this node's own, or NULL */
    const struct child_series *child_windows; /* of a child's, or NULL */
};

struct watched watched_by(const struct watches *watches, const struct watch *watch);
struct watched watched_own(const struct watches *watches, struct numbered *series);
struct watched watched_child(struct child_series *series);

uint32_t watch_key(uint32_t key[WATCH_KEY_MAX], const char *threshold, const char *node,
                   const char *instance);

/* The facts of its alarm that do not change with the value. */
void watch_describe(const struct watches *watches, const struct watch *watch,
                    struct alarm_facts *facts);

/* The alarm of a watch has another severity, SEVERITY_CLEAR among them. value is what decided; why:
 * in the place of the value, or NULL. */
void watch_transit(struct watches *watches, struct watch *watch, enum severity severity,
                   double value, const char *why);

/* Begins and ends what only special rules need. False: no memory. */
bool watch_more_begin(const struct watches *watches, struct watch *watch);
void watch_more_end(struct watch *watch);
/* One value for a watch of a special rule. */
void watch_step_special(struct watches *watches, struct watch *watch,
                        const struct watched *watched);
/* A whole window has come, without a value. */
void watch_step_windows(struct watches *watches, struct watched watched);
/* After a restore: what of the state follows from the alarm. */
void watch_more_restore(struct watch *watch);

/* Begins a watch, unless there is one. */
void watch_begin_own(struct watches *watches, struct threshold *threshold, struct numbered *series);
void watch_begin_child(struct watches *watches, struct threshold *threshold,
                       struct child_series *series);
void watch_end(struct watches *watches, struct watch *watch, const char *why);

/* Steps the watches that a series has of one threshold (NULL: of all), with its latest value. */
void watch_step(struct watches *watches, struct watched watched, const struct threshold *threshold);

/* Takes what the state file said of a watch, if it said something. */
void watch_restore(struct watches *watches, struct watch *watch);

/* A threshold ends: what the state file said of it counts no more. */
void watch_forget(struct watches *watches, const struct threshold *threshold);

#endif
