#include "load/reactor.h"

#include <errno.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* On a virtual machine, a sleeping thread wakes up some 50 us after its timer, and rarely later
 * than this. So it stops sleeping this much earlier and waits awake. */
#define AWAKE_NS (150 * NS_PER_US)

int reactor_open(struct reactor *reactor)
{
    *reactor = (struct reactor){.fd = epoll_create1(EPOLL_CLOEXEC)};
    prctl(PR_SET_TIMERSLACK, 1UL);
    return reactor->fd < 0 ? errno : 0;
}

void reactor_close(struct reactor *reactor)
{
    if (reactor->fd >= 0)
        close(reactor->fd);
    reactor->fd = -1;
}

static int control(struct reactor *reactor, int how, struct reactor_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};
    return epoll_ctl(reactor->fd, how, watch->fd, &event) == 0 ? 0 : errno;
}

int reactor_add(struct reactor *reactor, struct reactor_watch *watch, uint32_t events)
{
    return control(reactor, EPOLL_CTL_ADD, watch, events);
}

int reactor_change(struct reactor *reactor, struct reactor_watch *watch, uint32_t events)
{
    return control(reactor, EPOLL_CTL_MOD, watch, events);
}

void reactor_remove(struct reactor *reactor, struct reactor_watch *watch)
{
    control(reactor, EPOLL_CTL_DEL, watch, 0);
    for (int i = reactor->next; i < reactor->n_events; i++)
        if (reactor->events[i].data.ptr == watch)
            reactor->events[i].data.ptr = NULL;
}

/* A callback may remove a watch that the same wait has found ready and not called yet. */
static bool tell(struct reactor *reactor, int n_events)
{
    reactor->n_events = n_events;
    for (reactor->next = 0; reactor->next < reactor->n_events;) {
        const struct epoll_event event = reactor->events[reactor->next++];
        const struct reactor_watch *watch = event.data.ptr;
        if (watch)
            watch->ready(watch->context, event.events);
    }
    return n_events > 0;
}

void reactor_add_timer(struct reactor *reactor, struct reactor_timer *timer)
{
    LIST_INSERT_HEAD(&reactor->timers, timer, link);
}

void reactor_remove_timer(struct reactor_timer *timer)
{
    LIST_REMOVE(timer, link);
}

static uint64_t timer_at(const struct reactor *reactor)
{
    uint64_t at_ns = UINT64_MAX;
    const struct reactor_timer *timer;
    LIST_FOREACH(timer, &reactor->timers, link)
    {
        if (timer->at_ns < at_ns)
            at_ns = timer->at_ns;
    }
    return at_ns;
}

/* Returns whether any timer was due. */
static bool tell_timers(struct reactor *reactor, uint64_t now_ns)
{
    struct reactor_timer *timer;
    bool was_due = false;
    LIST_FOREACH(timer, &reactor->timers, link)
    {
        if (timer->at_ns > now_ns)
            continue;
        timer->at_ns = UINT64_MAX;
        timer->expired(timer->context);
        was_due = true;
    }
    return was_due;
}

static bool poll_events(struct reactor *reactor)
{
    return tell(reactor, epoll_wait(reactor->fd, reactor->events, REACTOR_BATCH, 0));
}

bool reactor_poll(struct reactor *reactor)
{
    bool was_due = tell_timers(reactor, clock_mono_ns());
    return poll_events(reactor) || was_due;
}

/* Returns whether anything was reported. */
static bool sleep_until(struct reactor *reactor, uint64_t now_ns, uint64_t until_ns)
{
    uint64_t length = until_ns - now_ns;
    struct timespec most = {(time_t)(length / NS_PER_S), (long)(length % NS_PER_S)};
    if (length / NS_PER_S > 3600)
        most = (struct timespec){.tv_sec = 3600};
    int n = epoll_pwait2(reactor->fd, reactor->events, REACTOR_BATCH, &most, NULL);
    if (n < 0 && (errno == ENOSYS || errno == EPERM)) /* before Linux 5.11, or blocked by a seccomp
                                                       * filter */
        n = epoll_wait(reactor->fd, reactor->events, REACTOR_BATCH,
                       (int)((uint64_t)most.tv_sec * 1000 + (uint64_t)most.tv_nsec / NS_PER_MS));
    return tell(reactor, n);
}

void reactor_wait(struct reactor *reactor, uint64_t exact_ns, uint64_t about_ns)
{
    uint64_t awake_ns = exact_ns > AWAKE_NS ? exact_ns - AWAKE_NS : 0, timer_ns = timer_at(reactor);
    about_ns = timer_ns < about_ns ? timer_ns : about_ns;
    uint64_t asleep_ns = awake_ns < about_ns ? awake_ns : about_ns;
    uint64_t now_ns = clock_mono_ns();
    if (now_ns < asleep_ns && sleep_until(reactor, now_ns, asleep_ns))
        return;
    if (about_ns <= awake_ns) {
        tell_timers(reactor, clock_mono_ns());
        return;
    }
    while (clock_mono_ns() < exact_ns)
        if (reactor_poll(reactor))
            return;
}
