/* Which series of one run is which of another: the one of the same node, sensor and instance.
 * Pure but for its memory. */
#ifndef DCAMP_RUNS_PAIRS_H
#define DCAMP_RUNS_PAIRS_H

#include "runs/run.h"

struct pair {
    const struct run_series *a, *b; /* of series that only one run has, the other is NULL */
};

/* All zero octets are none. */
struct pairs {
    struct pair *list; /* by node (of a), sensor and instance */
    size_t n, room;
    size_t n_both, only_a, only_b;
    bool ignores_nodes; /* each run has one node, and these have different paths */
};

#define PAIRS_ERROR_SIZE 512

/* map: "NODE=NODE" of a and of b, which are paths or names, with commas between; NULL: a node is
 * the one of the same path, or, where each run has one node, that one. The pairs point into the
 * runs. False: error says why. To be released in either case. */
bool pairs_find(const struct run *a, const struct run *b, const char *map, struct pairs *pairs,
                char error[PAIRS_ERROR_SIZE]);
void pairs_release(struct pairs *pairs);

/* How a node is called: by its path, or, where that is empty, by its name. */
const char *pairs_node_name(const struct run *run, const char *path);

#endif
