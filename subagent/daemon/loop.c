#include "daemon/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#define EVENTS_MAX (2 + LOOP_INPUTS) /* signals, the eventfd, inputs */

static void our_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGHUP);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGINT);
}

void loop_block_signals(void)
{
    sigset_t set;
    our_signals(&set);
    sigaddset(&set, SIGPIPE); /* the master may disappear while the agent writes */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void tell_reload(const struct loop *loop)
{
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)(clock_mono_ns() / 1000));
    loop->reload(loop->context);
    sd_notify(0, "READY=1");
}

/* False: the loop must end. */
static bool read_signals(const struct loop *loop, int fd)
{
    struct signalfd_siginfo info;
    bool goes_on = true;
    while (read(fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGHUP)
            tell_reload(loop);
        else
            goes_on = false;
    }
    return goes_on;
}

static void drain_fd(int fd)
{
    uint64_t count;
    while (read(fd, &count, sizeof count) == sizeof count)
        ;
}

static struct timespec wait_until(uint64_t due_ns, uint64_t now_ns, uint64_t longest_ns)
{
    uint64_t wait = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait > longest_ns)
        wait = longest_ns;
    return (struct timespec){.tv_sec = (time_t)(wait / NS_PER_S),
                             .tv_nsec = (long)(wait % NS_PER_S)};
}

static int watch_fd(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return fd < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

static int watch_all(const struct loop *loop, int epoll, int signals)
{
    int error = watch_fd(epoll, signals);
    if (!error)
        error = watch_fd(epoll, loop->wake_fd);
    for (int i = 0; !error && i < LOOP_INPUTS; i++)
        error = watch_fd(epoll, loop->input_fds[i]);
    return error;
}

/* Linux has had epoll_pwait2 since 5.11. It costs less than ppoll, which checks each file anew. */
static int wait_for_events(int epoll, struct epoll_event events[EVENTS_MAX],
                           const struct timespec *wait)
{
    int n = epoll_pwait2(epoll, events, EVENTS_MAX, wait, NULL);
    if (n >= 0 || errno != ENOSYS)
        return n;
    struct pollfd any = {.fd = epoll, .events = POLLIN};
    return ppoll(&any, 1, wait, NULL) > 0 ? epoll_wait(epoll, events, EVENTS_MAX, 0) : 0;
}

/* False: the loop must end. */
static bool handle_fd(const struct loop *loop, int signals, int fd)
{
    if (fd == loop->wake_fd)
        drain_fd(fd);
    for (int i = 0; i < LOOP_INPUTS; i++)
        if (fd == loop->input_fds[i] && loop->came[i])
            *loop->came[i] = true;
    return fd != signals || read_signals(loop, fd);
}

static void run_cycles(const struct loop *loop, int epoll, int signals)
{
    uint64_t watchdog_us = 0;
    bool watched = sd_watchdog_enabled(0, &watchdog_us) > 0;
    uint64_t longest_ns = watched ? watchdog_us * 1000 / 2 : 60 * NS_PER_S;
    bool ready = false, goes_on = true;
    while (goes_on) {
        uint64_t due_ns = loop->cycle(loop->context, clock_now());
        if (!ready)
            sd_notify(0, "READY=1");
        ready = true;
        if (watched)
            sd_notify(0, "WATCHDOG=1");
        struct epoll_event events[EVENTS_MAX];
        struct timespec wait = wait_until(due_ns, clock_mono_ns(), longest_ns);
        int n = wait_for_events(epoll, events, &wait);
        for (int i = 0; i < n; i++)
            goes_on &= handle_fd(loop, signals, events[i].data.fd);
    }
    sd_notify(0, "STOPPING=1");
}

int loop_run(const struct loop *loop)
{
    sigset_t set;
    our_signals(&set);
    int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int error = signals < 0 || epoll < 0 ? errno : watch_all(loop, epoll, signals);
    if (!error)
        run_cycles(loop, epoll, signals);
    if (epoll >= 0)
        close(epoll);
    if (signals >= 0)
        close(signals);
    return error;
}
