/* What a series is to those that do not know who produces its values, and how they hear of it.
 *
 * Producers are the sensors of this node, its aggregates, and the children, dCAMP nodes and devices
 * alike. Each has one observer, who is told of its series: thresholds are on them. */
#ifndef DCAMP_SERIES_OBSERVER_H
#define DCAMP_SERIES_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "calculate/calculate.h"
#include "calculate/statistics.h"

/* What somebody keeps of a series who observes it, in a list; the list is a producer's, what is in
 * it the observer's. */
struct watch;

/* One series as everybody sees it. The pointers are good as long as the series is. */
struct series_view {
    const char *node;  /* the child's name; NULL: this node */
    const char *group; /* likewise */
    const char *sensor, *instance, *unit;
    struct result result; /* the latest value */
    int64_t wall_ms; /* when it was sampled, by the clock of its node: what a child has kept while
                      * it could not be reached comes late. 0: now */
    bool is_current; /* that value is a sample for who begins to observe: values of children come
                      * seldom, and the next one may be long in coming */
};

/* What producers do for their series. */
struct series_type {
    struct series_view (*view)(const void *series);
    struct watch **(*watches)(void *series);

    /* The last whole window and a number that no other of its windows has; NULL: there is none. */
    const struct statistics_window *(*window)(const void *series, uint64_t now_ns,
                                              uint64_t *number);

    /* Octets that the observer keeps because of it, more or, with a negative number, less. NULL:
     * nobody counts them. */
    void (*charge)(void *series, ptrdiff_t octets);
};

/* A series of any producer. */
struct series_ref {
    const struct series_type *type;
    void *series;
};

struct series_observer {
    /* It is there, and perhaps has a value. */
    void (*begun)(void *context, struct series_ref series, struct moment now);
    /* It has a new value; window: it has a new window, and no new value. */
    void (*valued)(void *context, struct series_ref series, bool window, struct moment now);
    /* Another one is that series now: its child has started again, or numbered it anew. */
    void (*moved)(void *context, struct series_ref from, struct series_ref to);
    void (*ended)(void *context, struct series_ref series, const char *why, struct moment now);
    /* Whether it has an alarm, so that it is waited for longer after a restart of its child. */
    bool (*holds)(void *context, struct series_ref series);
    /* Whether it has an alarm or its latest value, of which the observer was told, is beyond a
     * limit; window: the same of rules on windows, and its latest whole window. */
    bool (*breaches)(void *context, struct series_ref series, bool window);
    void *context;
};

/* A question about series of one sensor. Who asks puts it into a struct of its own, for the two. */
struct series_query {
    const char *sensor;
    /* Whether a node is meant, with its group; NULL, NULL: this one. */
    bool (*wants)(const struct series_query *query, const char *node, const char *group);
    void (*found)(const struct series_query *query, struct series_ref series);
};

/* Who has series. */
struct series_producer {
    /* Calls found for each series there is of the sensor, on the nodes that are wanted. */
    void (*find)(const void *context, const struct series_query *query);
    /* Whether a series of the sensor that was there before a restart may come yet: nobody knows
     * what there is, while a source cannot be read or a child has not told. node NULL: this one. */
    bool (*may_come)(const void *context, const struct series_query *query, const char *node,
                     struct moment now);
    const void *context;
};

#endif
