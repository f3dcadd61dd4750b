/* What comes into a history (publish/chronicle.h), as it comes: the latest value of each series,
 * and when each node was last heard of. For readers who show many series at once, or what is new,
 * and ask again and again: only the blocks that have come in between are read.
 *
 * At the first step, the latest values are those of the newest chunks of today and yesterday. After
 * that, a block that is digested before the next step is not seen: with a step in each second, that
 * happens only if a node sends 64 KB in a second. */
#ifndef DCAMP_PUBLISH_FOLLOW_H
#define DCAMP_PUBLISH_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "publish/points.h"

struct history;
struct follow;

struct follow_node {
    const char *path, *name, *group; /* as in struct catalog_node */
    int64_t came_ms;                 /* when its latest block came, by the clock of the writer */
};

struct follow_series {
    const struct follow_node *node;
    const char *sensor, *instance, *metric, *unit;
    struct point latest; /* the one with the latest time */
};

/* NULL: no memory. */
struct follow *follow_open(void);
void follow_close(struct follow *follow);

typedef void follow_point_fn(void *context, size_t series, const struct point *point);

/* Reads what has come since the last step. Each point that is later than the earlier ones of its
 * series is told, with the place of the series; at the first step, none is. 0; ENOMEM; or another
 * errno if a file could not be read: see history_fault(). What could be read counts, and the rest
 * is read by the next step. */
int follow_step(struct follow *follow, struct history *history, int64_t now_ms,
                follow_point_fn *each, void *context);

/* Nodes and series stay at their places, in the order in which they came. */
size_t follow_n_nodes(const struct follow *follow);
const struct follow_node *follow_node(const struct follow *follow, size_t place);
size_t follow_n_series(const struct follow *follow);
const struct follow_series *follow_series(const struct follow *follow, size_t place);

/* The place of a series; SIZE_MAX: it is not known. */
size_t follow_find(const struct follow *follow, const char *path, const char *sensor,
                   const char *instance);

/* Grows each time a block tells something about alarms. */
uint64_t follow_alarms(const struct follow *follow);

#endif
