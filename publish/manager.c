#include "publish/manager.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/restart.h"
#include "publish/link.h"
#include "publish/processes.h"

struct manager {
    const struct options *options;
    struct processes *processes;
    struct link *link;
    struct restart connection;
    int signals;
    uint64_t watchdog_ns; /* half the time that systemd waits; 0: it does not */
};

/* -- The connection -------------------------------------------------------------------------- */

static void lose(struct manager *manager, int error, uint64_t now_ns)
{
    link_close(manager->link);
    if (restart_ended(&manager->connection, now_ns))
        log_warning("publish", "%s: %s; it is tried again", manager->options->socket,
                    error == EPIPE || error == ECONNRESET ? "dcampd has closed the connection"
                    : error == EBADMSG ? "what comes is not of this version of dcampd"
                                       : strerror(error));
}

static int say_hello(struct manager *manager)
{
    const struct outlet_hello hello = {.head = {OUTLET_HELLO, sizeof hello},
                                       .version = OUTLET_VERSION};
    int error = link_put(manager->link, &hello.head);
    return error ? error : link_flush(manager->link);
}

static void connect_if_due(struct manager *manager, uint64_t now_ns)
{
    if (manager->link->fd >= 0 || !restart_is_due(&manager->connection, now_ns))
        return;
    restart_started(&manager->connection, now_ns);
    int error = link_connect(manager->link, manager->options->socket);
    if (!error)
        error = say_hello(manager);
    if (error)
        lose(manager, error, now_ns);
}

static int take_packet(struct manager *manager)
{
    struct link *link = manager->link;
    const struct message *message;
    size_t at = 0;
    int error = link_receive(link);
    if (error)
        return error;
    while ((message = outlet_next_from_daemon(link->in, link->n_in, &at))) {
        if (message->kind == OUTLET_SINK)
            processes_take(manager->processes, (const void *)message);
        if (message->kind == OUTLET_SINKS_END)
            processes_taken(manager->processes);
    }
    return at == link->n_in ? 0 : EBADMSG;
}

static void receive(struct manager *manager, uint64_t now_ns)
{
    int error = take_packet(manager);
    if (error && error != EAGAIN)
        lose(manager, error, now_ns);
}

/* -- Waiting --------------------------------------------------------------------------------- */

static int timeout_of(const struct manager *manager, uint64_t due_ns, uint64_t now_ns)
{
    if (manager->link->fd < 0) {
        uint64_t again = manager->connection.started_ns + manager->connection.pause_ns;
        due_ns = again < due_ns ? again : due_ns;
    }
    if (manager->watchdog_ns > 0 && now_ns + manager->watchdog_ns < due_ns)
        due_ns = now_ns + manager->watchdog_ns;
    if (due_ns <= now_ns)
        return 0;
    uint64_t ms = (due_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
    return ms > 60000 ? 60000 : (int)ms;
}

/* False: the manager is to end. The end of a process is only a reason to look. */
static bool take_signal(const struct manager *manager)
{
    struct signalfd_siginfo signal;
    return read(manager->signals, &signal, sizeof signal) != sizeof signal ||
           signal.ssi_signo == SIGCHLD;
}

/* False: the manager is to end. */
static bool wait_for_something(struct manager *manager, int timeout, bool with_link)
{
    struct pollfd wanted[] = {{manager->signals, POLLIN, 0},
                              {with_link ? manager->link->fd : -1, POLLIN, 0}};
    if (poll(wanted, 2, timeout) <= 0)
        return true;
    if (wanted[1].revents)
        receive(manager, clock_mono_ns());
    return !wanted[0].revents || take_signal(manager);
}

static void loop(struct manager *manager)
{
    bool goes_on = true;
    sd_notify(0, "READY=1");
    while (goes_on) {
        uint64_t now_ns = clock_mono_ns();
        if (manager->watchdog_ns > 0)
            sd_notify(0, "WATCHDOG=1");
        connect_if_due(manager, now_ns);
        uint64_t due_ns = processes_step(manager->processes, now_ns);
        goes_on = wait_for_something(manager, timeout_of(manager, due_ns, now_ns), true);
    }
}

/* Each process writes what it has; one that takes too long is killed. */
static void stop(struct manager *manager)
{
    sd_notify(0, "STOPPING=1");
    processes_stop(manager->processes, clock_mono_ns());
    for (;;) {
        uint64_t now_ns = clock_mono_ns(), due_ns = processes_step(manager->processes, now_ns);
        if (processes_running(manager->processes) == 0)
            return;
        wait_for_something(manager, timeout_of(manager, due_ns, now_ns), false);
    }
}

/* -- All of it ------------------------------------------------------------------------------- */

static int open_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static int run(struct manager *manager)
{
    uint64_t watchdog_us = 0;
    if (!manager->link || manager->signals < 0) {
        log_error("publish", "%s", manager->link ? "no signals" : "out of memory");
        return PUBLISH_FAILED;
    }
    if (sd_watchdog_enabled(0, &watchdog_us) > 0)
        manager->watchdog_ns = watchdog_us * NS_PER_US / 2;
    loop(manager);
    stop(manager);
    return PUBLISH_OK;
}

int manager_run(const struct options *options)
{
    struct manager manager = {.options = options,
                              .processes = processes_open(options),
                              .link = link_new(),
                              .signals = open_signals()};
    int status = manager.processes ? run(&manager) : PUBLISH_FAILED;
    if (manager.signals >= 0)
        close(manager.signals);
    link_free(manager.link);
    processes_close(manager.processes);
    return status;
}
