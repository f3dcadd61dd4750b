#include "load/walk.h"

#include <stdlib.h>

#include "load/chance.h"

static void enter(struct walk *walk, const struct scenario_node *node)
{
    walk->place[walk->depth++] = (struct walk_place){.node = node};
}

bool walk_open(struct walk *walk, const struct scenario *scenario, uint64_t seed)
{
    *walk =
        (struct walk){.scenario = scenario, .place = calloc(scenario->depth, sizeof *walk->place)};
    if (!walk->place)
        return false;
    chance_begin(walk->chance, seed);
    enter(walk, scenario_root(scenario));
    return true;
}

void walk_close(struct walk *walk)
{
    free(walk->place);
    *walk = (struct walk){0};
}

static const struct scenario_node *part_of(const struct walk *walk,
                                           const struct scenario_node *node, uint64_t i)
{
    return &walk->scenario->node[walk->scenario->part[node->first + i]];
}

static void step_list(struct walk *walk, struct walk_place *place)
{
    if (place->done == place->node->n)
        walk->depth--;
    else
        enter(walk, part_of(walk, place->node, place->done++));
}

/* The chosen part replaces the node, because nothing follows it. nrand48(3) gives 31 bits, of which
 * the upper ones are the better ones. */
static void step_random(struct walk *walk, struct walk_place *place)
{
    uint64_t chosen = ((uint64_t)nrand48(walk->chance) * place->node->n) >> 31;
    *place = (struct walk_place){.node = part_of(walk, place->node, chosen)};
}

/* A loop in which nothing ever happens is skipped, because it might go round 10^18 times. */
static enum walk_step step_loop(struct walk *walk, struct walk_place *place, uint64_t *what)
{
    const struct scenario_node *node = place->node;
    bool was_round = place->is_round;
    place->is_round = false;
    if (was_round && node->pause_ms > 0) {
        *what = node->pause_ms;
        return WALK_PAUSE;
    }
    if (node->is_idle || place->done == node->times) {
        walk->depth--;
        return WALK_END;
    }
    place->done++;
    place->is_round = true;
    if (node->n > 0) {
        enter(walk, part_of(walk, node, 0));
        return WALK_END;
    }
    *what = node->operation;
    return WALK_OPERATION;
}

/* WALK_END means that this step has produced nothing. */
static enum walk_step step_once(struct walk *walk, uint64_t *what)
{
    struct walk_place *place = &walk->place[walk->depth - 1];
    switch (place->node->kind) {
    case SCENARIO_IS_LIST:
        step_list(walk, place);
        return WALK_END;
    case SCENARIO_IS_RANDOM:
        step_random(walk, place);
        return WALK_END;
    case SCENARIO_IS_LOOP:
        return step_loop(walk, place, what);
    case SCENARIO_IS_ONCE:
        break;
    }
    *what = place->node->operation;
    walk->depth--;
    return WALK_OPERATION;
}

enum walk_step walk_next(struct walk *walk, uint64_t *what)
{
    enum walk_step step = WALK_END;
    uint64_t last = walk->n_steps + WALK_STEPS_MAX;
    while (step == WALK_END && walk->depth > 0) {
        if (walk->n_steps == last) {
            *what = 0;
            return WALK_PAUSE;
        }
        walk->n_steps++;
        step = step_once(walk, what);
    }
    return step;
}
