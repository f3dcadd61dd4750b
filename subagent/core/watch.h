/* What watches.c, watches_sync.c and watches_saved.c share. */
#ifndef DCAMP_CORE_WATCH_H
#define DCAMP_CORE_WATCH_H

#include "core/watches.h"

/* Key of a watch: threshold, node, instance. With the longest OID below 128 sub-identifiers. */
#define WATCH_KEY_MAX (2 * NAME_SIZE + CHILD_INSTANCE_KEY_MAX + 1)

/* What a watch is on, whichever kind of series that is. */
struct watched {
    const char *node; /* its name */
    const char *sensor, *instance, *unit;
    const struct result *result;
    struct watch **watches; /* of the series */
};

struct watched watched_by(const struct watches *watches, const struct watch *watch);
struct watched watched_own(const struct watches *watches, struct numbered *series);
struct watched watched_child(struct child_series *series);

uint32_t watch_key(uint32_t key[WATCH_KEY_MAX], const char *threshold, const char *node,
                   const char *instance);

/* The facts of its alarm that do not change with the value. */
void watch_describe(const struct watches *watches, const struct watch *watch,
                    struct alarm_facts *facts);

/* Begins a watch, unless there is one. */
void watch_begin_own(struct watches *watches, struct threshold *threshold, struct numbered *series);
void watch_begin_child(struct watches *watches, struct threshold *threshold,
                       struct child_series *series);
void watch_end(struct watches *watches, struct watch *watch, const char *why);

/* Steps the watches that a series has of one threshold (NULL: of all), with its latest value. */
void watch_step(struct watches *watches, struct watched watched, const struct threshold *threshold);

/* Whether a threshold is on a child, whatever its series. */
bool watch_is_on_child(const struct threshold *threshold, const struct child *child);

/* Takes what the state file said of a watch, if it said something. */
void watch_restore(struct watches *watches, struct watch *watch);

/* A threshold ends: what the state file said of it counts no more. */
void watch_forget(struct watches *watches, const struct threshold *threshold);

#endif
