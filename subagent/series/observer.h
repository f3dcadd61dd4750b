/* What a series is to those that do not know who produces its values, and how they hear of it.
 *
 * Producers are the sensors of this node, its aggregates, and the children, both dCAMP nodes and
 * devices. Each producer has one observer, who is told of its series and applies thresholds to
 * them. */
#ifndef DCAMP_SERIES_OBSERVER_H
#define DCAMP_SERIES_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "calculate/calculate.h"
#include "calculate/statistics.h"

/* What an observer keeps of a series, in a list; the list belongs to the producer, its elements to
 * the observer. */
struct watch;

/* One series as everybody sees it. The pointers are valid as long as the series is. */
struct series_view {
    const char *node;  /* the child's name; NULL: this node */
    const char *group; /* the child's group; NULL: this node */
    const char *sensor, *instance, *unit;
    struct result result; /* the latest value */
    int64_t wall_ms; /* when it was sampled, by the clock of its node: what a child has kept while
                      * it could not be reached comes late. 0: now */
    bool is_current; /* that value is a sample for an observer that begins now: values of children
                      * come seldom, and the next one may take long */
};

/* What producers do for their series. */
struct series_type {
    struct series_view (*view)(const void *series);
    struct watch **(*watches)(void *series);

    /* The last whole window, and a number that no other window of the series has; NULL: there is
     * none. */
    const struct statistics_window *(*window)(const void *series, uint64_t now_ns,
                                              uint64_t *number);

    /* Adds to the octets that the observer keeps because of the series; a negative number
     * subtracts. NULL: nobody counts them. */
    void (*charge)(void *series, ptrdiff_t octets);
};

/* A series of any producer. */
struct series_ref {
    const struct series_type *type;
    void *series;
};

struct series_observer {
    /* The series exists now, and perhaps has a value. */
    void (*begun)(void *context, struct series_ref series, struct moment now);
    /* The series has a new value; if window is true, it has a new window and no new value. */
    void (*valued)(void *context, struct series_ref series, bool window, struct moment now);
    /* Another one now stands for the same series: its child has started again, or numbered it
     * anew. */
    void (*moved)(void *context, struct series_ref from, struct series_ref to);
    void (*ended)(void *context, struct series_ref series, const char *why, struct moment now);
    /* Whether the series has an alarm, so that it is waited for longer after a restart of its
     * child. */
    bool (*holds)(void *context, struct series_ref series);
    /* Whether the series has an alarm, or its latest value that the observer was told is beyond a
     * limit; if window is true, the same for rules on windows and the latest whole window. */
    bool (*breaches)(void *context, struct series_ref series, bool window);
    void *context;
};

/* A question about series of one sensor. The asker puts it into a struct of its own, which the two
 * functions use. */
struct series_query {
    const char *sensor;
    /* Whether the node with this name and group is meant; NULL, NULL: this node. */
    bool (*wants)(const struct series_query *query, const char *node, const char *group);
    void (*found)(const struct series_query *query, struct series_ref series);
};

/* Whoever has series. */
struct series_producer {
    /* Calls found for each series of the sensor on the nodes that are wanted. */
    void (*find)(const void *context, const struct series_query *query);
    /* Whether a series of the sensor that was there before a restart may still come: while a source
     * cannot be read or a child has not told its series, nobody knows what exists. node NULL: this
     * node. */
    bool (*may_come)(const void *context, const struct series_query *query, const char *node,
                     struct moment now);
    const void *context;
};

#endif
