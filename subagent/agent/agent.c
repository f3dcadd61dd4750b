#include "agent/agent.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "agent/dispatch.h"
#include "agent/notify.h"
#include "agent/tables.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "daemon/dcampd.h"

struct agent {
    struct dcampd *core;
    pthread_t thread;
    int wake_fd, timer_fd;
    int events_fd;     /* epoll: of wake_fd, timer_fd and watched_fd */
    int watched_fd;    /* of the connection to the master; -1: there is none */
    uint64_t timer_ns; /* when timer_fd rings; 0: it is not set */
    atomic_bool stopping;
    char socket[sizeof((struct config *)0)->agentx.socket];
    char description[64];
    uint32_t address;
    struct agentx_parameters settings;
    struct agentx_events events;
    struct agentx *agentx;
    struct dispatch dispatch;
    uint32_t in_flight; /* sequence of the notification that the master has not answered; 0: none */
    uint32_t pushing;   /* the same for a report block; only one of the three is in flight */
    bool announcing;    /* the same for an announcement of the node */
    bool attached_before;
};

/* -- What the session tells ------------------------------------------------------------------ */

static void on_request(void *context, struct agentx *agentx, netsnmp_pdu *pdu)
{
    dispatch_request(&((struct agent *)context)->dispatch, agentx, pdu);
}

static void on_attached(void *context)
{
    struct agent *agent = context;
    if (agent->attached_before)
        agent->core->self.reconnects++;
    agent->attached_before = true;
}

/* Blocks are not sent again: the parent fetches what is missing. */
static void on_pushed(struct agent *agent, bool sent)
{
    struct push *push = &agent->core->push;
    dcampd_lock(agent->core);
    if (push_next(push) == agent->pushing)
        push_done(push, sent);
    dcampd_unlock(agent->core);
    agent->pushing = 0;
}

static void on_announced(struct agent *agent, bool sent)
{
    dcampd_lock(agent->core);
    announcing_done(&agent->core->announcing, sent);
    dcampd_unlock(agent->core);
    agent->announcing = false;
}

static void on_notified(void *context, long error)
{
    struct agent *agent = context;
    if (agent->pushing || agent->announcing) {
        if (agent->pushing)
            on_pushed(agent, error == 0);
        else
            on_announced(agent, error == 0);
        return;
    }
    struct alarms *alarms = &agent->core->alarms;
    dcampd_lock(agent->core);
    /* The queue may have dropped it meanwhile. */
    const struct notification *first = alarms_peek(alarms);
    if (first && first->facts.sequence == agent->in_flight && error != AGENTX_NOT_OPEN)
        alarms_pop(alarms, error == 0);
    dcampd_unlock(agent->core);
    if (error)
        log_error("notify", "the master refused notification %u: error %ld", agent->in_flight,
                  error);
    agent->in_flight = 0;
    dcampd_wake(agent->core);
}

static void on_detached(void *context)
{
    struct agent *agent = context;
    agent->watched_fd = -1; /* it is closed, and so no longer in events_fd */
    agent->in_flight = 0;   /* not confirmed: it is sent to the next master */
    agent->pushing = 0;
    agent->announcing = false; /* likewise */
    dcampd_lock(agent->core);
    push_clear(&agent->core->push);
    dcampd_unlock(agent->core);
    dispatch_reset(&agent->dispatch);
}

/* -- The thread ----------------------------------------------------------------------------- */

/* Sends the next block that is to be pushed; blocks that are no longer kept are left out. */
static void send_block(struct agent *agent, uint64_t now_ns)
{
    struct dcampd *core = agent->core;
    netsnmp_variable_list *varbinds = NULL;
    uint32_t sequence;
    dcampd_lock(core);
    while (!varbinds && (sequence = push_next(&core->push))) {
        const struct index_node *node = index_find(&core->report.index, &sequence, 1);
        if (node)
            varbinds = notify_push(core->boot, &core->report, (const struct report_block *)node);
        if (!varbinds)
            push_done(&core->push, false);
    }
    dcampd_unlock(core);
    if (varbinds && agentx_notify(agent->agentx, varbinds, now_ns))
        agent->pushing = sequence;
}

static void send_alarm(struct agent *agent, uint64_t now_ns)
{
    netsnmp_variable_list *varbinds = NULL;
    uint32_t sequence = 0;
    dcampd_lock(agent->core);
    const struct notification *first = alarms_peek(&agent->core->alarms);
    if (first) {
        varbinds = notify_varbinds(first, agent->address);
        sequence = first->facts.sequence;
    }
    dcampd_unlock(agent->core);
    if (varbinds && agentx_notify(agent->agentx, varbinds, now_ns)) {
        agent->in_flight = sequence;
        log_debug("notify", "sent notification %u", sequence);
    }
}

/* The group that it announces is the one of its own configuration, not that of a share. */
static void send_announcement(struct agent *agent, uint64_t now_ns)
{
    const struct dcampd *core = agent->core;
    netsnmp_variable_list *varbinds = NULL;
    dcampd_lock(agent->core);
    if (core->announcing.is_due)
        varbinds = notify_announcement(core->config->node.name, core->config->node.group,
                                       core->config->announce.port);
    dcampd_unlock(agent->core);
    agent->announcing = varbinds && agentx_notify(agent->agentx, varbinds, now_ns);
    if (agent->announcing)
        log_debug("notify", "announced this node");
}

/* Sends one at a time: AgentX notifications are requests, and a burst that nobody reads would
 * block. */
static void send_notification(struct agent *agent, uint64_t now_ns)
{
    if (agent->in_flight || agent->pushing || agent->announcing || !agentx_ready(agent->agentx))
        return;
    send_alarm(agent, now_ns);
    if (!agent->in_flight)
        send_announcement(agent, now_ns);
    if (!agent->in_flight && !agent->announcing)
        send_block(agent, now_ns);
}

static void drain_fd(int fd)
{
    uint64_t count;
    while (read(fd, &count, sizeof count) == sizeof count)
        ;
}

static bool watch_fd(const struct agent *agent, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(agent->events_fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* What is due only in some seconds is put off until just after the core's cycle at a full second:
 * it costs less then, because the kernel's part of it is still in the caches. */
#define FAR_NS (2 * NS_PER_S)
#define AFTER_CYCLE_NS (2 * NS_PER_MS)
static uint64_t with_the_core(uint64_t due_ns, uint64_t now_ns)
{
    if (due_ns < now_ns + FAR_NS)
        return due_ns;
    return (due_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S + AFTER_CYCLE_NS;
}

/* A timer that rings too early is set again only then: each request moves the next ping, and a walk
 * would spend a tenth of its time on setting the timer for each wait. */
static void ring_at(struct agent *agent, uint64_t due_ns)
{
    if (agent->timer_ns != 0 && agent->timer_ns <= due_ns)
        return;
    agent->timer_ns = due_ns > 0 ? due_ns : 1; /* 0 would stop the timer */
    struct itimerspec at = {.it_value = {.tv_sec = (time_t)(agent->timer_ns / NS_PER_S),
                                         .tv_nsec = (long)(agent->timer_ns % NS_PER_S)}};
    timerfd_settime(agent->timer_fd, TFD_TIMER_ABSTIME, &at, NULL);
}

static void wait_for_events(struct agent *agent)
{
    struct epoll_event events[3];
    int n = epoll_wait(agent->events_fd, events, 3, -1);
    for (int i = 0; i < n; i++) {
        int fd = events[i].data.fd;
        if (fd == agent->watched_fd) {
            agentx_read(agent->agentx, clock_mono_ns());
            continue;
        }
        drain_fd(fd);
        if (fd == agent->timer_fd)
            agent->timer_ns = 0;
    }
}

static void *agent_main(void *context)
{
    struct agent *agent = context;
    while (!agent->stopping) {
        uint64_t now_ns = clock_mono_ns();
        uint64_t due_ns = with_the_core(agentx_tick(agent->agentx, now_ns), now_ns);
        uint64_t commit_ns = dispatch_tick(&agent->dispatch, agent->agentx);
        send_notification(agent, now_ns);
        int fd = agentx_fd(agent->agentx);
        if (fd != agent->watched_fd && watch_fd(agent, fd))
            agent->watched_fd = fd;
        ring_at(agent, commit_ns < due_ns ? commit_ns : due_ns);
        wait_for_events(agent);
    }
    agentx_free(agent->agentx);
    return NULL;
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static int library_log(int major, int minor, void *message, void *context)
{
    (void)major;
    (void)minor;
    (void)context;
    const struct snmp_log_message *said = message;
    /* If the master is away, agentx.c says so once: what the library says of it is for
     * debugging. */
    log_debug("agentx", "%.*s", (int)strcspn(said->msg, "\n"), said->msg);
    return 0;
}

static void quiet_library(void)
{
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    snmp_disable_stderrlog();
    netsnmp_register_loghandler(NETSNMP_LOGHANDLER_CALLBACK, LOG_DEBUG);
    snmp_register_callback(SNMP_CALLBACK_LIBRARY, SNMP_CALLBACK_LOGGING, library_log, NULL);
}

static void configure(struct agent *agent, struct dcampd *core)
{
    const struct config *config = core->config;
    agent->core = agent->dispatch.core = core;
    agent->address = notify_address(config->node.address);
    memcpy(agent->socket, config->agentx.socket, sizeof agent->socket);
    text_format(agent->description, sizeof agent->description, "dCAMP node, dcampd %s",
                PACKAGE_VERSION);
    agent->settings = (struct agentx_parameters){
        .socket = agent->socket,
        .ping_ns = config->agentx.ping_ms * NS_PER_MS,
        .timeout_ns = config->agentx.timeout_ms * NS_PER_MS,
        .description = agent->description,
    };
    agent->events =
        (struct agentx_events){on_request, on_attached, on_notified, on_detached, agent};
}

static void close_events(struct agent *agent)
{
    const int fds[] = {agent->wake_fd, agent->timer_fd, agent->events_fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static bool open_events(struct agent *agent)
{
    agent->watched_fd = -1;
    agent->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    agent->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    agent->events_fd = epoll_create1(EPOLL_CLOEXEC);
    return watch_fd(agent, agent->wake_fd) && watch_fd(agent, agent->timer_fd);
}

static void *start_agent(struct dcampd *core, char error[1024])
{
    struct agent *agent = calloc(1, sizeof *agent);
    const char *fault =
        agent ? engine_open(&agent->dispatch.engine, dcamp_tables, dcamp_table_count) : NULL;
    if (!agent || fault) {
        text_format(error, 1024, "%s%s", agent ? "the tables do not fit the MIB at " : "no memory",
                    fault ? fault : "");
        free(agent);
        return NULL;
    }
    quiet_library();
    configure(agent, core);
    int code = open_events(agent) ? 0 : errno;
    agent->agentx = agentx_new(&agent->settings, &agent->events);
    if (!code)
        code = agent->agentx ? pthread_create(&agent->thread, NULL, agent_main, agent) : ENOMEM;
    if (code) {
        text_format(error, 1024, "its thread cannot be started: %s", strerror(code));
        free(agent->agentx);
        close_events(agent);
        free(agent);
        return NULL;
    }
    return agent;
}

static void wake_agent(void *server)
{
    const struct agent *agent = server;
    uint64_t one = 1;
    ssize_t ignored = write(agent->wake_fd, &one, sizeof one);
    (void)ignored;
}

static void stop_agent(void *server)
{
    struct agent *agent = server;
    agent->stopping = true;
    wake_agent(agent);
    pthread_join(agent->thread, NULL);
    close_events(agent);
    free(agent);
}

const struct dcampd_server agent_server = {start_agent, wake_agent, stop_agent};
