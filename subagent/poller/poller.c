#include "poller/poller.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "collect/load.h"
#include "poller/peer.h"

#define EVENTS_AT_ONCE 256
#define PACKETS_AT_ONCE 16
#define DESCRIPTORS (LOAD_CHILDREN_MAX + 96) /* a socket for each child, and some more */

/* At most so many questions at a time. Each takes some KB in the library until it is answered; when
 * all children are met at once and there is more to do than time allows, answers come first and the
 * other children later. It is about as many as share a tick in general: see pace_step. */
#define TIMERS_AT_ONCE 128
#define TIMERS_BEHIND 32 /* while more answers wait than are read at a time */

/* Timers are looked at no more often than this, and neither are answers while more are to come:
 * each look costs a wake-up, which costs more than an answer. */
#define TICK (4 * NS_PER_MS)

/* The core is told of answers when all that were asked for are here, or this long after the
 * first. */
#define DELAY (20 * NS_PER_MS)

/* Free memory is given back to the system this often; it is given back sooner while children are
 * met, and once more afterwards, because answers of their dictionaries take ten times as much
 * memory as is needed later. At the same times, pages of programs and libraries that are not used
 * any more are given back. */
#define TRIM (30 * NS_PER_S)
#define TRIM_LEARNING (3 * NS_PER_S)
#define LEARNED_MUCH 100 /* see struct peers */

struct poller {
    int fd, epoll;
    uint64_t trim_at; /* 0: not set yet */
    struct peers peers;
    bool watched_for_room; /* EPOLLOUT of the core's socket is asked for */
    bool gone;             /* the core has ended */
    bool bad;              /* the core sent something that is no message, or there is no memory for
                            * it */
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
};

/* -- From the core --------------------------------------------------------------------------- */

static bool take_poller_message(struct poller *poller, const struct message *message, uint64_t now)
{
    const void *content = message;
    struct peers *peers = &poller->peers;
    switch (message->kind) {
    case MESSAGE_CREDENTIAL: {
        const struct usm_credential *credential =
            &((const struct message_credential *)content)->credential;
        if (!keys_set(&peers->credentials, credential))
            return false;
        peer_renew(peers, credential->name, now);
        return true;
    }
    case MESSAGE_CHILD:
        return peer_set(peers, content, now);
    case MESSAGE_FORGET:
        peer_forget(peers, ((const struct message_forget *)content)->id);
        return true;
    case MESSAGE_LOOK_UP:
        return peer_look_up(peers, content, now);
    case MESSAGE_MOVE:
        peer_move(peers, content, now);
        return true;
    case MESSAGE_OBJECT:
        return object_define(&peers->objects, content);
    case MESSAGE_DROP_OBJECT:
        object_drop(&peers->objects, ((const struct message_drop_object *)content)->object);
        return true;
    case MESSAGE_OBJECTS:
        return peer_set_objects(peers, content);
    default:
        return false;
    }
}

static void take_packet(struct poller *poller, size_t used, uint64_t now)
{
    const struct message *message;
    size_t at = 0;
    while (!poller->bad && (message = message_next(poller->packet, used, &at)))
        poller->bad = !take_poller_message(poller, message, now);
    if (at != used)
        poller->bad = true;
    explicit_bzero(poller->packet, used); /* it may have held passphrases */
}

static void read_core(struct poller *poller, uint64_t now)
{
    for (int i = 0; i < PACKETS_AT_ONCE && !poller->gone && !poller->bad; i++) {
        ssize_t n = recv(poller->fd, poller->packet, sizeof poller->packet, MSG_DONTWAIT);
        if (n > 0)
            take_packet(poller, (size_t)n, now);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            poller->gone = true;
        else
            break;
    }
}

/* -- The loop -------------------------------------------------------------------------------- */

static void watch_core(struct poller *poller, int operation)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = poller};
    poller->watched_for_room = poller->peers.outbox.blocked;
    if (poller->watched_for_room)
        event.events |= EPOLLOUT;
    epoll_ctl(poller->epoll, operation, poller->fd, &event);
}

static uint64_t next_tick(uint64_t time)
{
    return (time / TICK + 1) * TICK;
}

/* How long to wait, in milliseconds, rounded up; -1: until something comes. */
static int wait_for(struct poller *poller, uint64_t now)
{
    uint64_t until = outbox_due(&poller->peers.outbox);
    uint64_t alive = outbox_alive_due(&poller->peers.outbox);
    const struct timer *timer = timer_first(&poller->peers.timers);
    if (timer && timer->at <= now)
        return 0;
    if (timer && next_tick(timer->at) < until)
        until = next_tick(timer->at);
    until = alive < until ? alive : until;
    if (until == UINT64_MAX)
        return -1;
    if (until <= now)
        return 0;
    uint64_t ms = (until - now + NS_PER_MS - 1) / NS_PER_MS;
    return ms < 60000 ? (int)ms : 60000;
}

/* Waits until more answers are there. Meanwhile the kernel keeps what arrives, and the time of
 * arrival. */
static void gather_answers(const struct poller *poller)
{
    uint64_t until = next_tick(clock_mono_ns());
    const struct timespec time = {.tv_sec = (time_t)(until / NS_PER_S),
                                  .tv_nsec = (long)(until % NS_PER_S)};
    if (poller->peers.asking > 0)
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void run_timers(struct poller *poller, int most)
{
    struct timer *timer;
    for (int i = 0; i < most; i++) {
        uint64_t now = clock_mono_ns();
        timer = timer_first(&poller->peers.timers);
        if (!timer || timer->at > now)
            break;
        peer_timer(timer, now);
    }
}

static void trim_memory(struct poller *poller, uint64_t now)
{
    bool first = poller->trim_at == 0, learning = poller->peers.learned >= LEARNED_MUCH;
    if (now < poller->trim_at)
        return;
    if (!first)
        memory_let_go();
    poller->peers.learned = 0;
    poller->trim_at = now + (first || learning ? TRIM_LEARNING : TRIM);
}

/* The core's messages are handled last, because they may remove the children of other events. */
static bool run_poller_once(struct poller *poller)
{
    struct epoll_event events[EVENTS_AT_ONCE];
    int wait = wait_for(poller, clock_mono_ns());
    int n = epoll_wait(poller->epoll, events, EVENTS_AT_ONCE, wait);
    bool core = false;
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr == poller)
            core = true;
        else
            peer_read(events[i].data.ptr, clock_mono_ns());
    }
    if (core)
        read_core(poller, clock_mono_ns());
    run_timers(poller, n < EVENTS_AT_ONCE ? TIMERS_AT_ONCE : TIMERS_BEHIND);
    peers_look_up(&poller->peers, clock_mono_ns());
    if (poller->peers.asking == 0)
        outbox_hurry(&poller->peers.outbox);
    outbox_say_alive(&poller->peers.outbox, clock_mono_ns());
    if (!outbox_flush(&poller->peers.outbox, clock_mono_ns()))
        poller->gone = true;
    poller->bad |= poller->peers.outbox.lost;
    trim_memory(poller, clock_mono_ns());
    if (poller->watched_for_room != poller->peers.outbox.blocked)
        watch_core(poller, EPOLL_CTL_MOD);
    return !poller->gone && !poller->bad && (n >= 0 || errno == EINTR);
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

static void stop_poller(struct poller *poller)
{
    struct peer *peer, *next;
    HASH_ITER(hh, poller->peers.all, peer, next)
    peer_forget(&poller->peers, peer->id);
    object_drop_all(&poller->peers.objects);
    keys_free(&poller->peers.credentials);
    outbox_free(&poller->peers.outbox);
    netsnmp_large_fd_set_cleanup(&poller->peers.readable);
    session_stop_library();
    close(poller->epoll);
    close(poller->fd);
    keys_unprotect();
}

int poller_run(int fd)
{
    struct poller *poller = calloc(1, sizeof *poller);
    if (!poller)
        return 1;
    keys_protect();
    allow_descriptors();
    poller->fd = fd;
    poller->epoll = poller->peers.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (poller->epoll < 0) {
        free(poller);
        return 1;
    }
    RB_INIT(&poller->peers.timers);
    TAILQ_INIT(&poller->peers.waiting);
    outbox_init(&poller->peers.outbox, fd, DELAY);
    netsnmp_large_fd_set_init(&poller->peers.readable, DESCRIPTORS);
    session_start_library();
    watch_core(poller, EPOLL_CTL_ADD);
    while (run_poller_once(poller))
        gather_answers(poller);
    stop_poller(poller);
    int status = poller->bad ? 1 : 0;
    free(poller);
    return status;
}
