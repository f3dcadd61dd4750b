/* Who collects, and who is below whom. Pure, and the same for the same input. */
#ifndef DCAMP_TREE_PLAN_H
#define DCAMP_TREE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

#define PLAN_NOBODY SIZE_MAX

/* Whether a node may collect; yes is preferred to maybe. */
enum plan_collect { PLAN_MAYBE, PLAN_YES, PLAN_NO };

enum plan_role { PLAN_NONE, PLAN_METRIC, PLAN_COLLECTOR, PLAN_ROOT };

/* A node; all names must differ. parent is an index of the same array. */
struct plan_node {
    char name[NAME_SIZE];
    char group[NAME_SIZE];
    uint32_t network; /* 0: none; nodes with the same number are near to each other */
    bool up;          /* it answers; a node that does not has no place */
    enum plan_collect collect;
    /* What the node is now, as far as that is known; PLAN_NONE and PLAN_NOBODY: not known. */
    enum plan_role was;
    size_t was_below;
    size_t avoids; /* a collector that does not reach it; PLAN_NOBODY: there is none */
    /* The result. */
    enum plan_role role;
    size_t parent; /* PLAN_NOBODY: for the root and for nodes that have no place */
    uint32_t level;
};

struct plan_rules {
    uint32_t fanout; /* the most children of a collector or of the root, at least 2 */
    bool calm;       /* nothing fails at present: moves that only make the tree more even are
                      * allowed */
    size_t moves;    /* how many such moves one plan may have */
};

/* Fills in the results. root is the index of the root, which must be up.
 *
 * All metric nodes are equally far from the root, and the children of one collector are either all
 * metric nodes or all collectors. Levels are added when the fan-out requires it: for the nodes, or
 * for more PLAN_YES than fit on so few levels. One level more than needed is kept.
 *
 * Collectors have nodes of their own group and network if possible, else of one group, and are
 * otherwise used evenly. A node whose parent is up and may collect keeps that parent if that is
 * allowed; a node that has collected goes on collecting while it has children or is told to
 * (PLAN_YES); only as many PLAN_MAYBE become collectors as the fan-out needs. A PLAN_YES for which
 * the root has no room, because others collect in its stead, is a metric node until one of those
 * ends. A collector measures as well. No node is below the one that it avoids: if that leaves no
 * collector with room, it is below the root.
 *
 * When calm, and only then, up to rules->moves further nodes move: those below a collector of
 * another group or network move to one of their own, then nodes move from collectors of one group
 * and network with many children to those with few.
 *
 * False: there is no memory, and nothing is filled in; or too few may collect. In the latter case
 * fault says so, in words, and all remaining nodes are below the root. In O(n log n). */
bool plan_make(struct plan_node *nodes, size_t n, size_t root, const struct plan_rules *rules,
               char fault[MESSAGE_SIZE]);

#endif
