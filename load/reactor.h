/* Waits for descriptors and for moments: the only user of epoll(7) here. Moments are monotonic, in
 * nanoseconds. */
#ifndef DCAMP_LOAD_REACTOR_H
#define DCAMP_LOAD_REACTOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/queue.h>

#define REACTOR_BATCH 64

/* A descriptor that is waited for. It stays where it is while it is added. */
struct reactor_watch {
    void (*ready)(void *context, uint32_t events); /* those of epoll(7) */
    void *context;
    int fd;
};

/* A moment that is waited for. It stays where it is while it is added. */
struct reactor_timer {
    LIST_ENTRY(reactor_timer) link;
    void (*expired)(void *context); /* it may be set again there */
    void *context;
    uint64_t at_ns; /* UINT64_MAX: it is not set */
};

struct reactor {
    LIST_HEAD(reactor_timers, reactor_timer) timers; /* a few of them */
    int fd;
    int n_events, next; /* what is still to be told of the last wait */
    struct epoll_event events[REACTOR_BATCH];
};

/* 0 or an errno. What a thread waits for is from then on to the nanosecond (PR_SET_TIMERSLACK). */
int reactor_open(struct reactor *reactor);
void reactor_close(struct reactor *reactor);

/* 0 or an errno. */
int reactor_add(struct reactor *reactor, struct reactor_watch *watch, uint32_t events);
int reactor_change(struct reactor *reactor, struct reactor_watch *watch, uint32_t events);

/* To be called before the descriptor is closed. Nothing more is told of it, not even of the wait
 * that is going on. */
void reactor_remove(struct reactor *reactor, struct reactor_watch *watch);

/* A timer is set by its at_ns, which may be changed at any time. Those of a thread that is busy
 * come when it polls or waits. It costs no system call, which timerfd_settime(2) would. */
void reactor_add_timer(struct reactor *reactor, struct reactor_timer *timer);
void reactor_remove_timer(struct reactor_timer *timer);

/* Tells what is ready now, and does not wait. Whether there was something. */
bool reactor_poll(struct reactor *reactor);

/* Waits until something was ready and is told, or it is the sooner one of two moments. At exact_ns
 * the return is to the microsecond: the last part of the wait is spent awake. */
void reactor_wait(struct reactor *reactor, uint64_t exact_ns, uint64_t about_ns);

#endif
