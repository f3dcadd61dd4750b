#include "load/source.h"

#include "base/clock.h"

/* A new rate takes effect with the next arrival that is due at its from_ns or later. */
static void take_rates(struct source *source)
{
    while (source->n_taken < source->n_rates && source->at_ns != UINT64_MAX &&
           source->at_ns >= source->rate[source->n_taken].from_ns) {
        const struct source_rate *next = &source->rate[source->n_taken++];
        arrivals_begin(&source->arrivals, next->rate, source->is_poisson,
                       source->seed + source->n_taken);
        source->base_ns = source->is_pausing ? source->at_ns : next->from_ns;
        if (!source->is_pausing)
            source->at_ns = source->base_ns + arrivals_next(&source->arrivals);
    }
}

void source_advance(struct source *source)
{
    uint64_t what;
    enum walk_step step = walk_next(&source->walk, &what);
    source->is_pausing = step == WALK_PAUSE;
    if (step == WALK_END) {
        source->at_ns = UINT64_MAX;
    } else if (step == WALK_PAUSE) {
        source->base_ns += what * NS_PER_MS;
        source->at_ns += what * NS_PER_MS;
    } else {
        source->operation = (uint32_t)what;
        source->at_ns = source->base_ns + arrivals_next(&source->arrivals);
    }
    take_rates(source);
}

bool source_open(struct source *source, const struct scenario *scenario,
                 const struct source_options *options, uint64_t now_ns)
{
    *source = (struct source){.is_poisson = options->is_poisson,
                              .seed = options->seed,
                              .base_ns = now_ns,
                              .at_ns = now_ns};
    if (!walk_open(&source->walk, scenario, options->seed))
        return false;
    arrivals_begin(&source->arrivals, options->rate, options->is_poisson, options->seed);
    source_advance(source);
    return true;
}

void source_close(struct source *source)
{
    walk_close(&source->walk);
}

void source_set_rate(struct source *source, double rate, uint64_t from_ns)
{
    source->rate[source->n_rates++] = (struct source_rate){rate, from_ns};
    take_rates(source);
}

uint64_t source_skip(struct source *source, uint64_t until_ns)
{
    uint64_t n = 0, last = source->walk.n_steps + SOURCE_SKIP_STEPS;
    for (; source->at_ns < until_ns && source->walk.n_steps < last; source_advance(source))
        n += !source->is_pausing;
    return n;
}
