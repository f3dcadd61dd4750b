/* A world of simulated nodes: what each of them measures at which moment is a function of the
 * numbers of node, series and step alone. So nothing of it has to be kept: the check of what was
 * stored computes it again. Pure.
 *
 * A step is ten seconds. Nodes are down for a while and come back with another boot, are cut off
 * from those who store, so that their blocks come late, and have gaps in single series. Series are
 * like those of the sensors of a computer; every tenth one tells a value only when that has
 * changed. */
#ifndef DCAMP_TESTS_WORLD_H
#define DCAMP_TESTS_WORLD_H

#include "calculate/calculate.h"

#define WORLD_SERIES 50 /* of a node, by their numbers from 0 */
#define WORLD_STEP_MS INT64_C(10000)
#define WORLD_HOUR 360                        /* steps */
#define WORLD_START_MS INT64_C(1795989600000) /* 2026-11-29 22:00:00 UTC: a month ends soon */
#define WORLD_CUT_STEPS 540                   /* a node is cut off for at most this many */

/* One series: it has to be taken through all steps, from the first one on. */
struct world_series {
    size_t node, number;
    uint64_t seed;
    double level, told;
};

struct world_series world_series(size_t node, size_t number);

/* Whether the node is up at a step; whether its blocks reach those who store; and what its clock
 * says then, which is within the step. */
bool world_is_up(size_t node, size_t step);
bool world_is_cut(size_t node, size_t step);
int64_t world_wall_ms(size_t node, size_t step);

/* Takes the series to the next step. False: it has nothing to tell then. */
bool world_step(struct world_series *series, size_t step, bool is_up, struct result *result);

/* What a series is called: its sensor, instance and unit. */
struct world_words {
    char sensor[24], instance[24], unit[24];
};
struct world_words world_words(size_t number);
void world_node_name(size_t node, char name[24]);

/* A number that depends on nothing but these. */
uint64_t world_hash(uint64_t a, uint64_t b, uint64_t c);

#endif
