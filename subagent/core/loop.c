#include "core/loop.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "core/polling.h"
#include "dcampd.h"

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
    sigaddset(&set, SIGPIPE); /* the master may go while the agent writes */
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void reload(struct dcampd *daemon)
{
    char error[1024];
    sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu", (unsigned long long)(clock_mono_ns() / 1000));
    if (dcampd_reload(daemon, error))
        log_info("config", "%s: reloaded", daemon->options.config_path);
    else
        log_error("config", "%s (the configuration in use is kept)", error);
    sd_notify(0, "READY=1");
}

static void read_signals(struct dcampd *daemon, int fd)
{
    struct signalfd_siginfo info;
    while (read(fd, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGHUP)
            reload(daemon);
        else
            daemon->stopping = true;
    }
}

static void drain(int fd)
{
    uint64_t count;
    while (read(fd, &count, sizeof count) == sizeof count)
        ;
}

static struct timespec until(uint64_t due_ns, uint64_t now_ns, uint64_t longest_ns)
{
    uint64_t wait = due_ns > now_ns ? due_ns - now_ns : 0;
    if (wait > longest_ns)
        wait = longest_ns;
    return (struct timespec){.tv_sec = (time_t)(wait / NS_PER_S),
                             .tv_nsec = (long)(wait % NS_PER_S)};
}

int loop_run(struct dcampd *daemon)
{
    sigset_t set;
    our_signals(&set);
    int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (signals < 0)
        return errno;
    uint64_t watchdog_us = 0;
    bool watched = sd_watchdog_enabled(0, &watchdog_us) > 0;
    uint64_t longest_ns = watched ? watchdog_us * 1000 / 2 : 60 * NS_PER_S;
    bool ready = false;
    while (!daemon->stopping) {
        uint64_t due_ns = dcampd_cycle(daemon, clock_now());
        if (!ready)
            sd_notify(0, "READY=1");
        ready = true;
        if (watched)
            sd_notify(0, "WATCHDOG=1");
        struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                               {.fd = daemon->wake_fd, .events = POLLIN},
                               {.fd = polling_fd(daemon), .events = POLLIN}};
        struct timespec wait = until(due_ns, clock_mono_ns(), longest_ns);
        if (ppoll(fds, 3, &wait, NULL) <= 0)
            continue;
        if (fds[1].revents)
            drain(daemon->wake_fd);
        if (fds[0].revents)
            read_signals(daemon, signals);
    }
    sd_notify(0, "STOPPING=1");
    close(signals);
    return 0;
}
