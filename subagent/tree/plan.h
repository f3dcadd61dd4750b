/* Who collects, and who is below whom. Pure, and the same for the same input. */
#ifndef DCAMP_TREE_PLAN_H
#define DCAMP_TREE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

#define PLAN_NOBODY SIZE_MAX

/* May it collect: yes is preferred to maybe. */
enum plan_collect { PLAN_MAYBE, PLAN_YES, PLAN_NO };

enum plan_role { PLAN_NONE, PLAN_METRIC, PLAN_COLLECTOR, PLAN_ROOT };

/* A node; the names are all different. parent is an index of the same array. */
struct plan_node {
    char name[NAME_SIZE];
    char group[NAME_SIZE];
    uint32_t network; /* 0: none; nodes with the same number are near each other */
    bool up;          /* it answers: who does not has no place */
    enum plan_collect collect;
    /* What it is now, as far as that is known; PLAN_NONE and PLAN_NOBODY: nothing. */
    enum plan_role was;
    size_t was_below;
    size_t avoids; /* a collector that does not reach it; PLAN_NOBODY: there is none */
    /* The result. */
    enum plan_role role;
    size_t parent; /* PLAN_NOBODY: of the root and of who has no place */
    uint32_t level;
};

struct plan_rules {
    uint32_t fanout; /* children of one collector and of the root, at least 2 */
    bool calm;       /* nothing fails at present: moves that only make it more even are allowed */
    size_t moves;    /* so many of those at most in one plan */
};

/* Fills in the results. root is the index of the root, which is up.
 *
 * Metric nodes are all equally far from the root, and the children of one collector are all metric
 * nodes or all collectors. Levels are added when the fan-out demands it: for the nodes, or for more
 * PLAN_YES than it lets be on so few levels. One level more than needed is kept.
 *
 * Collectors have nodes of their own group and network where that can be, else of one group, and
 * are otherwise used evenly. Who has a parent that is up and may collect keeps it where that is
 * allowed; who has collected goes on collecting while it has children or is told to (PLAN_YES); as
 * few collectors are made of PLAN_MAYBE as the fan-out needs. A PLAN_YES for which the root has no
 * room, because others collect in its stead, is a metric node until one of those ends. A collector
 * measures as well. Nobody is below the one that it avoids: if that leaves no collector with room,
 * it is below the root.
 *
 * When calm, and only then, up to rules->moves nodes move besides: those below the collector of
 * another group or network to their own, then from collectors of one group and network with many
 * children to those with few.
 *
 * False: there is no memory, and then nothing is filled in; or too few may collect. Then fault says
 * so, in words, and everybody who is left over is below the root. In O(n log n). */
bool plan_make(struct plan_node *nodes, size_t n, size_t root, const struct plan_rules *rules,
               char fault[MESSAGE_SIZE]);

#endif
