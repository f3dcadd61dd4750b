#include "application/figures.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "application/contention.h"
#include "application/fit.h"
#include "application/sequence.h"
#include "calculate/statistics.h"
#include "metric/field.h"

/* -- Of counts --------------------------------------------------------------------------------- */

#define COUNTS_MAX 5

/* Counts as they were when the interval began, and as they are now. */
struct counts {
    bool has_begun;
    uint64_t begun[COUNTS_MAX], now[COUNTS_MAX];
};

/* If counts have fallen, they are those of another instance. */
static int take_counts(struct counts *counts, const struct sample_slot *slot,
                       const unsigned char *fields, unsigned n)
{
    bool has_fallen = false;
    for (unsigned i = 0; i < n; i++) {
        has_fallen |= slot->field[fields[i]] < counts->now[i];
        counts->now[i] = slot->field[fields[i]];
    }
    if (!counts->has_begun || has_fallen)
        memcpy(counts->begun, counts->now, sizeof counts->begun);
    counts->has_begun = true;
    return 0;
}

static uint64_t grown(const struct counts *counts, unsigned i)
{
    return counts->now[i] - counts->begun[i];
}

static void begin_counts(void *state)
{
    struct counts *counts = state;
    memcpy(counts->begun, counts->now, sizeof counts->begun);
}

static void release_counts(void *state)
{
    (void)state;
}

/* -- Steps ------------------------------------------------------------------------------------- */

enum { STEP_BEGUN, STEP_ENDED, STEP_FAILED, STEP_BUSY, STEP_COUNTS };

static int take_step(void *state, const struct sample_slot *slot)
{
    static const unsigned char fields[STEP_COUNTS] = {
        [STEP_BEGUN] = APPLICATION_BEGUN,
        [STEP_ENDED] = APPLICATION_COUNT,
        [STEP_FAILED] = APPLICATION_FAILED,
        [STEP_BUSY] = APPLICATION_TIME,
    };
    return take_counts(state, slot, fields, STEP_COUNTS);
}

static double step_value(const void *state, unsigned field, double seconds)
{
    const struct step_figures figures = step_figures_of(&(struct step_sums){
        .seconds = seconds,
        .begun = grown(state, STEP_BEGUN),
        .ended = grown(state, STEP_ENDED),
        .failed = grown(state, STEP_FAILED),
        .busy_ns = grown(state, STEP_BUSY),
    });
    switch (field) {
    case APPLICATION_RUNTIME:
        return figures.runtime;
    case APPLICATION_THROUGHPUT:
        return figures.throughput;
    case APPLICATION_LOAD:
        return figures.offered_load;
    default:
        return NAN;
    }
}

const struct sample_computed figures_of_step = {
    .size = sizeof(struct counts),
    .take = take_step,
    .value = step_value,
    .begin = begin_counts,
    .release = release_counts,
};

/* -- Locks ------------------------------------------------------------------------------------- */

enum { LOCK_ARRIVALS, LOCK_WAITS, LOCK_FAILURES, LOCK_HOLDS, LOCK_HELD, LOCK_COUNTS };

_Static_assert(STEP_COUNTS <= COUNTS_MAX && LOCK_COUNTS <= COUNTS_MAX, "the counts have room");

static int take_lock(void *state, const struct sample_slot *slot)
{
    static const unsigned char fields[LOCK_COUNTS] = {
        [LOCK_ARRIVALS] = APPLICATION_LOCK_ARRIVALS, [LOCK_WAITS] = APPLICATION_LOCK_WAITS,
        [LOCK_FAILURES] = APPLICATION_LOCK_FAILURES, [LOCK_HOLDS] = APPLICATION_LOCK_HOLDS,
        [LOCK_HELD] = APPLICATION_LOCK_HELD,
    };
    return take_counts(state, slot, fields, LOCK_COUNTS);
}

static double lock_value(const void *state, unsigned field, double seconds)
{
    const struct contention contention = contention_of(&(struct contention_sums){
        .seconds = seconds,
        .arrivals = grown(state, LOCK_ARRIVALS),
        .waits = grown(state, LOCK_WAITS),
        .failures = grown(state, LOCK_FAILURES),
        .holds = grown(state, LOCK_HOLDS),
        .held_ns = grown(state, LOCK_HELD),
    });
    switch (field) {
    case APPLICATION_CONTENTION:
        return contention.factor;
    case APPLICATION_CONTENDED:
        return contention.probability;
    case APPLICATION_HELD:
        return contention.load;
    default:
        return NAN;
    }
}

const struct sample_computed figures_of_lock = {
    .size = sizeof(struct counts),
    .take = take_lock,
    .value = lock_value,
    .begin = begin_counts,
    .release = release_counts,
};

/* -- Times between arrivals ------------------------------------------------------------------ */

struct times {
    bool has_begun;
    struct statistics_window window;
};

static int take_times(void *state, const struct sample_slot *slot)
{
    struct times *times = state;
    bool counts = times->has_begun && slot->events;
    times->has_begun = true;
    if (!counts)
        return 0;
    struct statistics_window came = statistics_of_histogram(slot->events, slot->events_mean);
    return statistics_merge(&times->window, &came);
}

/* At 5 %, of 100 Poisson processes 5 are wrongly rejected. */
static double verdict_value(enum fit_verdict verdict)
{
    if (verdict == FIT_NOT_KNOWN)
        return NAN;
    return verdict == FIT_NOT_REJECTED || verdict == FIT_REJECTED_AT_10;
}

/* What the buckets stand for is not exact, so it is better to compute m2 from them again. */
static double fit_value(const void *state, unsigned field, double seconds)
{
    const struct times *times = state;
    const struct statistics_window *window = &times->window;
    struct fit fit;
    (void)seconds;
    if (fit_exponential(&(struct fit_times){.histogram = &window->histogram,
                                            .count = window->count,
                                            .sum = window->mean * (double)window->count,
                                            .m2 = NAN},
                        &fit))
        return NAN;
    switch (field) {
    case APPLICATION_CV2:
        return fit.cv2;
    case APPLICATION_DISTANCE:
        return fit.distance;
    case APPLICATION_POISSON:
        return verdict_value(fit.verdict);
    default:
        return NAN;
    }
}

static void begin_times(void *state)
{
    struct times *times = state;
    statistics_window_reset(&times->window);
}

static void release_times(void *state)
{
    struct times *times = state;
    statistics_window_release(&times->window);
}

const struct sample_computed figures_of_fit = {
    .size = sizeof(struct times),
    .take = take_times,
    .value = fit_value,
    .begin = begin_times,
    .release = release_times,
};
