#include "director/director.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "director/direct.h"
#include "director/hearing.h"

#define EVENTS_AT_ONCE 256
#define PACKETS_AT_ONCE 16
#define TIMERS_AT_ONCE 256
#define DESCRIPTORS 16384 /* a socket for each node that is asked often, and some more */

/* After so many nodes were met, free memory is given back to the system, because meeting them has
 * needed some. */
#define DISCOVERIES_MAX 1024

struct process {
    int fd, epoll;
    bool watched_for_room; /* EPOLLOUT of the core's socket is asked for */
    bool gone;             /* the core has ended */
    bool bad;              /* it sent something that is no message, or there is no memory for it */
    struct director director;
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
};

/* -- From the core --------------------------------------------------------------------------- */

static void take_packet(struct process *process, size_t used, uint64_t now)
{
    const struct message *message;
    size_t at = 0;
    while (!process->bad && (message = tree_message_next(process->packet, used, &at)))
        process->bad = !direct_take(&process->director, message, now);
    if (at != used)
        process->bad = true;
}

static void read_core(struct process *process, uint64_t now)
{
    for (int i = 0; i < PACKETS_AT_ONCE && !process->gone && !process->bad; i++) {
        ssize_t n = recv(process->fd, process->packet, sizeof process->packet, MSG_DONTWAIT);
        if (n > 0)
            take_packet(process, (size_t)n, now);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            process->gone = true;
        else
            break;
    }
}

static void watch_core(struct process *process, int operation)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = process};
    process->watched_for_room = process->director.outbox.blocked;
    if (process->watched_for_room)
        event.events |= EPOLLOUT;
    epoll_ctl(process->epoll, operation, process->fd, &event);
}

/* -- The loop -------------------------------------------------------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How long to wait, in milliseconds, rounded up; -1: until something comes. */
static int wait_for(struct process *process, uint64_t due, uint64_t now)
{
    const struct timer *timer = timer_first(&process->director.roster.nodes.timers);
    if (timer)
        due = earlier(due, timer->at);
    due = earlier(due, outbox_due(&process->director.outbox));
    due = earlier(due, outbox_alive_due(&process->director.outbox));
    if (due == UINT64_MAX)
        return -1;
    if (due <= now)
        return 0;
    uint64_t ms = (due - now + NS_PER_MS - 1) / NS_PER_MS;
    return ms < 60000 ? (int)ms : 60000;
}

static void run_timers(struct process *process)
{
    for (int i = 0; i < TIMERS_AT_ONCE; i++) {
        uint64_t now = clock_mono_ns();
        struct timer *timer = timer_first(&process->director.roster.nodes.timers);
        if (!timer || timer->at > now)
            break;
        node_timer(timer, now);
    }
}

static void tidy(struct process *process)
{
    struct roster *roster = &process->director.roster;
    if (roster->nodes.discoveries < DISCOVERIES_MAX)
        return;
    roster->nodes.discoveries = 0;
    memory_let_go();
}

/* What the core says, and its consequences, are handled last, because they may end nodes of other
 * events. */
static void act(struct process *process, const struct epoll_event *events, int n)
{
    bool core = false;
    direct_tick(&process->director, clock_mono_ns());
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == process)
            core = true;
        else if (events[i].data.ptr == &process->director.hearing)
            hearing_read(&process->director, clock_mono_ns());
        else if (events[i].data.ptr != process->director.etcd) /* direct_step handles that */
            node_read(events[i].data.ptr, clock_mono_ns());
    }
    run_timers(process);
    if (core)
        read_core(process, clock_mono_ns());
}

/* Returns when something has to be done again. */
static uint64_t run_once(struct process *process, uint64_t due)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    struct outbox *outbox = &process->director.outbox;
    int wait = wait_for(process, due, clock_mono_ns());
    int n = epoll_wait(process->epoll, events, EVENTS_AT_ONCE, wait);
    if (n < 0 && errno != EINTR)
        process->bad = true;
    act(process, events, n);
    due = direct_step(&process->director, clock_mono_ns());
    outbox_say_alive(outbox, clock_mono_ns());
    if (!outbox_flush(outbox, clock_mono_ns()))
        process->gone = true;
    process->bad |= outbox->lost;
    tidy(process);
    if (process->watched_for_room != outbox->blocked)
        watch_core(process, EPOLL_CTL_MOD);
    return due;
}

/* -- The process ----------------------------------------------------------------------------- */

static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= DESCRIPTORS)
        return;
    limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int director_run(int fd)
{
    struct process *process = calloc(1, sizeof *process);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!process || epoll < 0) {
        free(process);
        return 1;
    }
    signal(SIGPIPE, SIG_IGN); /* a server may disappear while something is sent */
    keys_protect();
    allow_descriptors();
    process->fd = fd;
    process->epoll = epoll;
    direct_open(&process->director, fd, epoll);
    session_start_library();
    watch_core(process, EPOLL_CTL_ADD);
    for (uint64_t due = UINT64_MAX; !process->gone && !process->bad;)
        due = run_once(process, due);
    direct_close(&process->director);
    session_stop_library();
    close(epoll);
    close(fd);
    keys_unprotect();
    int status = process->bad ? 1 : 0;
    free(process);
    return status;
}
