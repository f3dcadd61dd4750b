/* Which series of one run belongs to which of another: both have the same node, sensor and
 * instance. Pure except for its memory. */
#ifndef DCAMP_RUNS_PAIRS_H
#define DCAMP_RUNS_PAIRS_H

#include "runs/run.h"

struct pair {
    const struct run_series *a, *b; /* if only one run has the series, the other is NULL */
};

/* All zero octets: it is empty. */
struct pairs {
    struct pair *list; /* by node (of a), sensor and instance */
    size_t n, room;
    size_t n_both, only_a, only_b;
    bool ignores_nodes; /* each run has only one node; their paths differ */
};

#define PAIRS_ERROR_SIZE 512

/* map: "NODE=NODE", a node of a and one of b, as paths or names; several are separated by commas.
 * If it is NULL, nodes of the same path belong together; and if each run has only one node, these
 * two do. The pairs point into the runs. On false, error says why. pairs has to be released in
 * either case. */
bool pairs_find(const struct run *a, const struct run *b, const char *map, struct pairs *pairs,
                char error[PAIRS_ERROR_SIZE]);
void pairs_release(struct pairs *pairs);

/* What a node is called: its path, or its name if the path is empty. */
const char *pairs_node_name(const struct run *run, const char *path);

#endif
