#include "poller/pace.h"

#include <stddef.h>

#include "base/clock.h"

#define FIRST_WITHIN NS_PER_S
#define BACK_OFF_MAX (30 * NS_PER_S)
#define BACK_OFF_PERIODS 10
#define TIMEOUT_MIN (400 * NS_PER_MS)
#define TIMEOUT_MAX (5 * NS_PER_S)
#define FAILURES_AT_PACE 2 /* a lost packet or a restart must not cost more than one period */
#define JITTER_PART 16

/* The steps of the grids that children share, in milliseconds, the coarsest first. */
static const uint32_t steps_ms[] = {250, 125, 50, 25, 10, 5, 1};
#define N_STEPS (sizeof steps_ms / sizeof *steps_ms)
#define PLACES_MIN 4    /* at least so many places in a period, so that the load stays spread */
#define ROUNDING_MAX 64 /* if the period is no multiple of the step: off by this part at most */

/* A wake-up from idle costs as much as some polls, and the first polls after it cost twice as much
 * as the others: with this many polls at a time, more of them would save nothing. */
#define TOGETHER 50

/* The finalizer of splitmix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators,
 * 2014): neighbouring numbers come out far apart. */
static uint64_t mix_bits(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* The first place of the child's grid that is not before a time. */
static uint64_t place_from(const struct pace *pace, uint64_t time)
{
    uint64_t since = time > pace->phase ? time - pace->phase : 0;
    return pace->phase + (since + pace->period - 1) / pace->period * pace->period;
}

static void set_grid(struct pace *pace, uint32_t period_ms)
{
    pace->period = (period_ms ? period_ms : 1) * NS_PER_MS;
    pace->phase = mix_bits(pace->id) % pace->period;
}

void pace_init(struct pace *pace, uint32_t id, uint32_t period_ms, uint64_t now)
{
    *pace = (struct pace){.id = id};
    set_grid(pace, period_ms);
    uint64_t within = pace->period < FIRST_WITHIN ? pace->period : FIRST_WITHIN;
    pace->slot = now + mix_bits(id) % within;
}

void pace_set_period(struct pace *pace, uint32_t period_ms, uint64_t now)
{
    set_grid(pace, period_ms);
    pace->slot = place_from(pace, now + 1);
}

void pace_answered(struct pace *pace, uint64_t round_trip)
{
    pace->failures = 0;
    pace->round_trip =
        pace->round_trip ? (7 * pace->round_trip + round_trip) / 8 : round_trip; /* RFC 6298 */
}

void pace_failed(struct pace *pace)
{
    if (pace->failures < UINT32_MAX)
        pace->failures++;
}

/* The time between two polls: the period, doubled with each failure up to a limit. */
static uint64_t poll_distance(const struct pace *pace)
{
    uint64_t limit = BACK_OFF_PERIODS * pace->period;
    if (limit > BACK_OFF_MAX)
        limit = pace->period > BACK_OFF_MAX ? pace->period : BACK_OFF_MAX;
    uint64_t length = pace->period;
    for (uint32_t i = FAILURES_AT_PACE; i < pace->failures && length < limit; i++)
        length *= 2;
    return length < limit ? length : limit;
}

void pace_next(struct pace *pace, uint64_t now)
{
    /* A place that is at least half a period away counts as the next one, because the first poll
     * was on no place. */
    uint64_t time = pace->slot + poll_distance(pace) - pace->period / 2;
    pace->slot = place_from(pace, time > now ? time : now + 1);
}

uint32_t pace_step(uint64_t polls_per_hour)
{
    size_t i = 0;
    while (i < N_STEPS - 1 && polls_per_hour * steps_ms[i + 1] >= TOGETHER * MS_PER_HOUR)
        i++;
    return steps_ms[i];
}

/* The step of the grid on which this child is polled. If its period is a multiple of the step, its
 * polls are a period apart. */
static uint64_t own_step(uint64_t period, uint32_t step_ms)
{
    for (size_t i = 0; i < N_STEPS; i++) {
        uint64_t step = steps_ms[i] * NS_PER_MS;
        if (steps_ms[i] <= step_ms &&
            (period >= step * ROUNDING_MAX || (period >= step * PLACES_MIN && period % step == 0)))
            return step;
    }
    return 0;
}

/* A poll is made before its place rather than after it, so that one that fails ends before the next
 * one is due. */
uint64_t pace_due(const struct pace *pace, uint32_t step_ms)
{
    uint64_t step = own_step(pace->period, step_ms);
    if (place_from(pace, pace->slot) != pace->slot || step == 0)
        return pace->slot; /* the very first poll, which is on no place and need not wait */
    uint64_t together = pace->slot / step * step;
    return together + mix_bits(together) % (step / JITTER_PART);
}

bool pace_is_turn(const struct pace *pace, uint64_t now)
{
    return pace->slot <= now + own_step(pace->period, steps_ms[0]);
}

uint64_t pace_hurry(struct pace *pace, uint64_t now)
{
    uint64_t at = pace->hurried ? pace->hurried + PACE_HURRY_NS : now;
    if (at < now)
        at = now;
    pace->hurried = at;
    return at;
}

/* A request is sent twice. This takes half a period, or more if that is short: a child that falls
 * silent is known to be down after three periods. A request that waits for its answer takes more
 * memory than everything else that a poller keeps of a child, so if many children fall silent
 * together, their requests must not wait all the time. Only a child that has never answered may
 * need more time from the first request on. */
uint64_t pace_timeout(const struct pace *pace)
{
    uint64_t wait = pace->period / 4;
    uint32_t patience = pace->round_trip ? FAILURES_AT_PACE : 0;
    if (wait < TIMEOUT_MIN)
        wait = TIMEOUT_MIN;
    if (wait < 2 * pace->round_trip)
        wait = 2 * pace->round_trip;
    for (uint32_t i = patience; i < pace->failures && wait < TIMEOUT_MAX; i++)
        wait *= 2;
    return wait < TIMEOUT_MAX ? wait : TIMEOUT_MAX;
}

static int compare_timers(struct timer *a, struct timer *b)
{
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

/* RB_GENERATE_STATIC is not used, because it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(timer_list, timer, link, compare_timers, __attribute__((__unused__)) static)

void timer_clear(struct timer_list *list, struct timer *timer)
{
    if (timer->at)
        RB_REMOVE(timer_list, list, timer);
    timer->at = 0;
}

void timer_set(struct timer_list *list, struct timer *timer, uint64_t at)
{
    timer_clear(list, timer);
    timer->at = at ? at : 1;
    RB_INSERT(timer_list, list, timer);
}

struct timer *timer_first(struct timer_list *list)
{
    return RB_MIN(timer_list, list);
}
