#include "sim.h"

#include <stdlib.h>

static int event_order(const struct event *a, const struct event *b)
{
    if (a->due_ns != b->due_ns)
        return a->due_ns < b->due_ns ? -1 : 1;
    return a == b ? 0 : (uintptr_t)a < (uintptr_t)b ? -1 : 1;
}
RB_GENERATE(event_tree, event, link, event_order)

void event_plan(struct sim *sim, struct event *event, uint64_t due_ns)
{
    event_cancel(sim, event);
    event->due_ns = due_ns;
    event->planned = true;
    RB_INSERT(event_tree, &sim->events, event);
}

void event_cancel(struct sim *sim, struct event *event)
{
    if (event->planned)
        RB_REMOVE(event_tree, &sim->events, event);
    event->planned = false;
}

void events_release(struct sim *sim)
{
    struct event *event, *next;
    RB_FOREACH_SAFE(event, event_tree, &sim->events, next)
    {
        event_cancel(sim, event);
        if (event->allocated)
            free(event);
    }
}

/* xorshift64*, S. Vigna: An Experimental Exploration of Marsaglia's xorshift Generators, Scrambled.
 * ACM TOMS 42(4), 2016. */
uint64_t sim_random(struct sim *sim)
{
    sim->random ^= sim->random >> 12;
    sim->random ^= sim->random << 25;
    sim->random ^= sim->random >> 27;
    return sim->random * UINT64_C(0x2545f4914f6cdd1d);
}
