/* When each child is polled, how long its answer is waited for, and an ordered list of due times.
 * Pure. All times are monotonic, in nanoseconds.
 *
 * A child has a place of its own in the period, derived from its number, and keeps it: times are
 * computed from the grid of its places, never from when the last poll happened to end. It is polled
 * at the last point before its place of a coarser grid, which all children share, so that one
 * wake-up serves many polls. */
#ifndef DCAMP_POLLER_PACE_H
#define DCAMP_POLLER_PACE_H

#include <stdbool.h>
#include <stdint.h>
#include <bsd/sys/tree.h>

struct pace {
    uint32_t id;
    uint64_t period;
    uint64_t phase;      /* below period */
    uint64_t slot;       /* the place of the next poll or of the one under way, without jitter */
    uint64_t round_trip; /* smoothed; 0: not measured */
    uint32_t failures;   /* in a row */
    uint64_t hurried;    /* when a poll out of turn was last asked for; 0: never */
};

/* period_ms: 0 is taken as 1. The first poll is due within the first second. */
void pace_init(struct pace *pace, uint32_t id, uint32_t period_ms, uint64_t now);

/* Sets another period; what was learned of the child stays. */
void pace_set_period(struct pace *pace, uint32_t period_ms, uint64_t now);

/* A poll was answered, or was not. pace_next then chooses the next place, which is after now, so
 * that missed places are left out. */
void pace_answered(struct pace *pace, uint64_t round_trip);
void pace_failed(struct pace *pace);
void pace_next(struct pace *pace, uint64_t now);

/* The step of the grid for all children together, by how many polls there are in an hour: the
 * finest step with which enough of them share a point of the grid, and at most a quarter of a
 * second. */
uint32_t pace_step(uint64_t polls_per_hour);

/* When the poll of the current place is due, on a grid of this step or, if that would move it by
 * too much, of a finer one. A jitter of less than a fiftieth of the period is added, which is the
 * same for all children of this time, so that several collectors do not stay in step. */
uint64_t pace_due(const struct pace *pace, uint32_t step_ms);

/* Whether a poll at this time is the one of the current place: it is due on some grid. */
bool pace_is_turn(const struct pace *pace, uint64_t now);

/* A poll is wanted out of turn: returns when it may be made, now or later. There is at most one in
 * PACE_HURRY_NS, whoever asks. */
#define PACE_HURRY_NS UINT64_C(1000000000)
uint64_t pace_hurry(struct pace *pace, uint64_t now);

/* How long to wait for an answer. */
uint64_t pace_timeout(const struct pace *pace);

/* Due times in order. A timer is either in the list or not; timer_set moves it. */
struct timer {
    RB_ENTRY(timer) link;
    uint64_t at; /* 0: not in the list */
    uint32_t id; /* orders timers of the same time */
};

RB_HEAD(timer_list, timer);

void timer_set(struct timer_list *list, struct timer *timer, uint64_t at);
void timer_clear(struct timer_list *list, struct timer *timer);
struct timer *timer_first(struct timer_list *list);

#endif
