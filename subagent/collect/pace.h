/* When each child is polled, how long its answer is waited for, and an ordered list of due times.
 * Pure. All times are monotonic, in nanoseconds.
 *
 * A child has a place of its own in the period, from its number, and keeps it: times are computed
 * from the grid of its places, never from when the last poll happened to end. */
#ifndef DCAMP_COLLECT_PACE_H
#define DCAMP_COLLECT_PACE_H

#include <stdint.h>
#include <bsd/sys/tree.h>

struct pace {
    uint32_t id;
    uint64_t period;
    uint64_t phase;      /* below period */
    uint64_t slot;       /* the place of the poll that is next or under way, without jitter */
    uint64_t round_trip; /* smoothed; 0: not measured */
    uint32_t failures;   /* in a row */
    uint64_t hurried;    /* when a poll out of turn was last asked for; 0: never */
};

/* period_ms: at least 1 is taken. The first poll is due within the first second. */
void pace_init(struct pace *pace, uint32_t id, uint32_t period_ms, uint64_t now);

/* Another period from now on; what was learned of the child stays. */
void pace_set_period(struct pace *pace, uint32_t period_ms, uint64_t now);

/* A poll was answered, or not. pace_next then chooses the next place: after now, so that those
 * that were missed are left out. */
void pace_answered(struct pace *pace, uint64_t round_trip);
void pace_failed(struct pace *pace);
void pace_next(struct pace *pace, uint64_t now);

/* When the poll of the current place is due: with a jitter of less than a hundredth of the period,
 * so that children of several collectors do not stay in step. */
uint64_t pace_due(const struct pace *pace);

/* A poll is wanted out of turn: when it may be, now or later. There is one in PACE_HURRY_NS at
 * most, whoever asks. */
#define PACE_HURRY_NS UINT64_C(1000000000)
uint64_t pace_hurry(struct pace *pace, uint64_t now);

/* How long to wait for an answer. */
uint64_t pace_timeout(const struct pace *pace);

/* Due times in order. A timer is in the list or not; timer_set moves it. */
struct timer {
    RB_ENTRY(timer) link;
    uint64_t at; /* 0: not in the list */
    uint32_t id; /* tells timers of one time apart */
};

RB_HEAD(timer_list, timer);

void timer_set(struct timer_list *list, struct timer *timer, uint64_t at);
void timer_clear(struct timer_list *list, struct timer *timer);
struct timer *timer_first(struct timer_list *list);

#endif
