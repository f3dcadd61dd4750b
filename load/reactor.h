/* Waits for descriptors and for moments: the only user of epoll(7) here. Moments are in nanoseconds
 * of the monotonic clock. */
#ifndef DCAMP_LOAD_REACTOR_H
#define DCAMP_LOAD_REACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/queue.h>

#define REACTOR_BATCH 64

/* A descriptor that is waited for. The struct must not move while it is added. */
struct reactor_watch {
    void (*ready)(void *context, uint32_t events); /* events as in epoll(7) */
    void *context;
    int fd;
};

/* A moment that is waited for. The struct must not move while it is added. */
struct reactor_timer {
    LIST_ENTRY(reactor_timer) link;
    void (*expired)(void *context); /* it may set the timer again */
    void *context;
    uint64_t at_ns; /* UINT64_MAX if it is not set */
};

struct reactor {
    LIST_HEAD(reactor_timers, reactor_timer) timers; /* there are only a few */
    int fd;
    int n_events, next; /* those of the last wait that are still to be reported */
    struct epoll_event events[REACTOR_BATCH];
};

/* Returns 0 or an errno. From then on, the calling thread waits to the nanosecond
 * (PR_SET_TIMERSLACK). */
int reactor_open(struct reactor *reactor);
void reactor_close(struct reactor *reactor);

/* They return 0 or an errno. */
int reactor_add(struct reactor *reactor, struct reactor_watch *watch, uint32_t events);
int reactor_change(struct reactor *reactor, struct reactor_watch *watch, uint32_t events);

/* Has to be called before the descriptor is closed. Nothing more is reported of it, not even what
 * the present wait has found. */
void reactor_remove(struct reactor *reactor, struct reactor_watch *watch);

/* A timer is set by its at_ns, which may be changed at any time. If the thread is busy, the timer
 * expires when it polls or waits next. Setting it needs no system call, unlike
 * timerfd_settime(2). */
void reactor_add_timer(struct reactor *reactor, struct reactor_timer *timer);
void reactor_remove_timer(struct reactor_timer *timer);

/* Reports what is ready now, without waiting. Returns whether there was anything. */
bool reactor_poll(struct reactor *reactor);

/* Waits until something was ready and has been reported, or until the earlier of the two moments.
 * At exact_ns, it returns to the microsecond, because the last part of the wait is spent awake. */
void reactor_wait(struct reactor *reactor, uint64_t exact_ns, uint64_t about_ns);

#endif
