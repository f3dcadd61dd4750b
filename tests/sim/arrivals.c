#include "arrivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim.h"

#define ROOM_MIN 1024

void arrivals_record(struct sim *sim, struct sim_child *first, struct sim_child *last,
                     uint32_t period_ms)
{
    for (uint32_t i = 0; i < sim->options.children; i++)
        sim->children[i].recorded = false;
    for (struct sim_child *child = first; child <= last; child++) {
        child->recorded = true;
        child->polled_ns = 0;
    }
    sim->arrivals.period_ms = period_ms;
    sim->arrivals.n = 0;
    sim->arrivals.incomplete = false;
}

static void add(struct arrivals *arrivals, double apart_ms)
{
    if (arrivals->n == arrivals->room) {
        size_t room = arrivals->room ? 2 * arrivals->room : ROOM_MIN;
        double *more = reallocarray(arrivals->apart_ms, room, sizeof *more);
        if (!more) {
            arrivals->incomplete = true;
            return;
        }
        arrivals->apart_ms = more;
        arrivals->room = room;
    }
    arrivals->apart_ms[arrivals->n++] = apart_ms;
}

void arrivals_note(struct sim *sim, struct sim_child *child, struct moment now)
{
    uint64_t apart_ns = now.mono_ns - child->polled_ns;
    if (!child->recorded ||
        (child->polled_ns && apart_ns < sim->arrivals.period_ms * NS_PER_MS / 2))
        return;
    if (child->polled_ns)
        add(&sim->arrivals, (double)apart_ns / NS_PER_MS);
    child->polled_ns = now.mono_ns;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void arrivals_print(struct sim *sim)
{
    struct arrivals *arrivals = &sim->arrivals;
    size_t n = arrivals->n;
    double sum = 0, *off = n ? calloc(n, sizeof *off) : NULL;
    if (!off) {
        printf("polls: apart 0\n");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        sum += arrivals->apart_ms[i];
        off[i] = 100 * fabs(arrivals->apart_ms[i] / arrivals->period_ms - 1);
    }
    qsort(off, n, sizeof *off, compare);
    printf("polls: apart %zu mean-ms %.3f off-percent p50 %.3f p99 %.3f max %.3f%s\n", n,
           sum / (double)n, off[n / 2], off[(n - 1) * 99 / 100], off[n - 1],
           arrivals->incomplete ? " incomplete" : "");
    free(off);
}

void arrivals_release(struct sim *sim)
{
    free(sim->arrivals.apart_ms);
    sim->arrivals = (struct arrivals){0};
}
