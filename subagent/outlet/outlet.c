#include "outlet/outlet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "outlet/publisher.h"

/* How many packets are sent in one step, to all publishers together: at most 2 MB. */
#define PACKETS_MAX 32

#define LISTEN_AGAIN_NS (10 * NS_PER_S)
/* How often holes are looked at, and children asked, if nothing else is to be done. */
#define LOOK_AGAIN_NS NS_PER_S
/* Of the publishers that are refused, at most one is logged in this time. */
#define COMPLAIN_NS (60 * NS_PER_S)
/* How long the end of the daemon waits for publishers that keep taking packets and asking for
 * more. */
#define FINISH_NS (2 * NS_PER_S)

/* -- Sinks ------------------------------------------------------------------------------------ */

bool outlet_has_sinks(const struct outlet *outlet)
{
    return outlet->sinks.count > 0;
}

static struct outlet_sink_row *find_row(const struct outlet *outlet, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct outlet_sink_row *)index_find(&outlet->sinks, key, index_key_text(key, name));
}

/* Sends away the process that works for the sink. */
static void send_away(struct outlet *outlet, const struct outlet_sink_row *row, const char *why)
{
    struct outlet_publisher *publisher;
    TAILQ_FOREACH(publisher, &outlet->publishers, link)
    {
        if (publisher->row != row)
            continue;
        publisher->row = NULL;
        publisher->ends = why;
    }
}

static void end_row(struct outlet *outlet, struct outlet_sink_row *row)
{
    send_away(outlet, row, "its sink was removed");
    index_remove(&outlet->sinks, &row->node);
    free(row);
}

static bool begin_row(struct outlet *outlet, const struct outlet_sink *sink)
{
    struct outlet_sink_row *row = calloc(1, sizeof *row);
    if (!row)
        return false;
    row->settings = *sink;
    row->state.state = OUTLET_SINK_ABSENT;
    row->node.key = row->key;
    row->node.key_len = index_key_text(row->key, sink->name);
    index_add(&outlet->sinks, &row->node);
    return true;
}

static bool is_among(const char *name, const struct outlet_sink *sinks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(sinks[i].name, name) == 0)
            return true;
    return false;
}

/* Ends the rows that are not among the sinks. True: there were some. */
static bool end_rows(struct outlet *outlet, const struct outlet_sink *sinks, size_t n)
{
    struct index_node *next;
    bool any = false;
    for (struct index_node *node = index_first(&outlet->sinks); node; node = next) {
        struct outlet_sink_row *row = (struct outlet_sink_row *)node;
        next = index_next(node);
        if (is_among(row->settings.name, sinks, n))
            continue;
        end_row(outlet, row);
        any = true;
    }
    return any;
}

/* The head at the beginning has no meaning. Everything else has: .change of the fields of the row
 * must agree with that (test_daemon_rows). */
static bool is_same(const struct outlet_sink *a, const struct outlet_sink *b)
{
    size_t from = sizeof a->head;
    return memcmp((const char *)a + from, (const char *)b + from, sizeof *a - from) == 0;
}

/* Takes a row of the configuration. What is known of a changed sink belongs to the old one and is
 * dropped. False: no memory. */
static bool sync_row(struct outlet *outlet, const struct outlet_sink *sink, bool *any)
{
    struct outlet_sink_row *row = find_row(outlet, sink->name);
    if (row && is_same(&row->settings, sink))
        return true;
    *any = true;
    if (!row)
        return begin_row(outlet, sink);
    send_away(outlet, row, "its sink was changed");
    row->settings = *sink;
    row->connected = false;
    row->state = (struct outlet_state){.state = OUTLET_SINK_ABSENT};
    return true;
}

bool outlet_sync(struct outlet *outlet, const struct outlet_sink *sinks, size_t n)
{
    struct outlet_publisher *publisher;
    bool whole = true, any = end_rows(outlet, sinks, n);
    for (size_t i = 0; i < n; i++)
        whole &= sync_row(outlet, &sinks[i], &any);
    if (!any)
        return whole;
    outlet->again_ns = 0; /* whether the outlet listens matters more now, or less */
    TAILQ_FOREACH(publisher, &outlet->publishers, link)
    {
        if (publisher->stage != PUBLISHER_HEARS)
            continue;
        publisher->tells_sinks = true;
        publisher->sinks_told = 0;
    }
    if (!outlet_has_sinks(outlet))
        backlog_clear(&outlet->backlog);
    return whole;
}

/* -- Who connects ----------------------------------------------------------------------------- */

static void say_not_listening(struct outlet *outlet, int error, bool matters)
{
    if (error == outlet->told || !matters)
        return;
    outlet->told = error;
    log_error("outlet", "%s: dcamp-publish cannot connect: %s; trying again", outlet->path,
              error == EADDRINUSE ? "another process listens there"
              : error == EEXIST   ? "what is there is no socket"
                                  : strerror(error));
}

static int watch_listener(const struct outlet *outlet)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    return epoll_ctl(outlet->epoll, EPOLL_CTL_ADD, outlet->listener.fd, &event) == 0 ? 0 : errno;
}

/* Tries to listen, if that is due. Returns when to try again. Without sinks, nobody misses it. */
static uint64_t listen_if_due(struct outlet *outlet, uint64_t now_ns)
{
    if (!outlet->path || outlet->listener.fd >= 0)
        return UINT64_MAX;
    if (now_ns < outlet->again_ns)
        return outlet->again_ns;
    bool matters = outlet_has_sinks(outlet); /* this is safe without the lock, because only this
                                              * thread changes the sinks */
    int error = listener_open(&outlet->listener, outlet->path, OUTLET_PUBLISHERS_MAX);
    if (!error && (error = watch_listener(outlet)))
        listener_close(&outlet->listener, outlet->path);
    if (error)
        say_not_listening(outlet, error, matters);
    else
        outlet->told = 0;
    outlet->again_ns = matters ? now_ns + LISTEN_AGAIN_NS : UINT64_MAX;
    return error ? outlet->again_ns : UINT64_MAX;
}

static void complain(struct outlet *outlet, const char *sink, const char *why, uint64_t now_ns)
{
    if (!log_due(outlet->complained_ns, now_ns, COMPLAIN_NS))
        return;
    outlet->complained_ns = now_ns;
    if (sink[0])
        log_warning("outlet", "the process for sink %s was sent away: %s", sink, why);
    else
        log_warning("outlet", "a process of dcamp-publish was sent away: %s", why);
}

static void accept_all(struct outlet *outlet, uint64_t now_ns)
{
    int fd;
    while ((fd = accept4(outlet->listener.fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        if (outlet->n_publishers >= OUTLET_PUBLISHERS_MAX) {
            close(fd);
            complain(outlet, "", "there are too many", now_ns);
        } else if (!publisher_new(outlet, fd, now_ns)) {
            complain(outlet, "", "there is no memory for it", now_ns);
        }
    }
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
        return;
    /* A publisher that waits to be accepted would wake the loop for ever. */
    complain(outlet, "", strerror(errno), now_ns);
    listener_close(&outlet->listener, outlet->path);
    outlet->again_ns = now_ns + LISTEN_AGAIN_NS;
}

static void end_those_that_end(struct outlet *outlet, uint64_t now_ns)
{
    struct outlet_publisher *publisher, *next;
    TAILQ_FOREACH_SAFE(publisher, &outlet->publishers, link, next)
    {
        if (!publisher->ends)
            continue;
        if (publisher->says_why)
            complain(outlet, publisher->sink, publisher->ends, now_ns);
        else
            log_debug("outlet", "the process for sink \"%s\" goes: %s", publisher->sink,
                      publisher->ends);
        publisher_free(outlet, publisher);
    }
}

/* -- Steps ------------------------------------------------------------------------------------ */

static void look_who_is_ready(struct outlet *outlet, uint64_t now_ns)
{
    struct epoll_event events[OUTLET_PUBLISHERS_MAX + 1];
    int n = epoll_wait(outlet->epoll, events, OUTLET_PUBLISHERS_MAX + 1, 0);
    bool accepts = false;
    for (int i = 0; i < n; i++) {
        struct outlet_publisher *publisher = events[i].data.ptr;
        if (!publisher) {
            accepts = true;
            continue;
        }
        publisher->readable |= (events[i].events & ~(uint32_t)EPOLLOUT) != 0;
        publisher->writable |= (events[i].events & ~(uint32_t)EPOLLIN) != 0;
    }
    if (accepts)
        accept_all(outlet, now_ns);
}

/* Gives each publisher its turn, again and again. Returns whether all had what there is, or take no
 * more; the next step begins with another one. */
static bool serve(struct outlet *outlet, unsigned packets, uint64_t now_ns)
{
    struct outlet_publisher *publisher = TAILQ_FIRST(&outlet->publishers);
    bool any = publisher != NULL;
    if (publisher) {
        TAILQ_REMOVE(&outlet->publishers, publisher, link);
        TAILQ_INSERT_TAIL(&outlet->publishers, publisher, link);
    }
    while (any && packets > 0) {
        any = false;
        TAILQ_FOREACH(publisher, &outlet->publishers, link)
        {
            if (packets == 0)
                return false;
            bool sent = !publisher->ends && publisher_turn(outlet, publisher, now_ns);
            packets -= sent;
            any |= sent;
        }
    }
    return !any;
}

/* When there is something to do even if nothing comes in. */
static uint64_t due_again(const struct outlet *outlet, uint64_t now_ns)
{
    const struct outlet_publisher *publisher;
    uint64_t due = UINT64_MAX;
    TAILQ_FOREACH(publisher, &outlet->publishers, link)
    {
        if (publisher_waits(publisher))
            return now_ns;
        uint64_t deadline = publisher_deadline(publisher);
        due = deadline < due ? deadline : due;
        if (publisher->reader.n_holes > 0 && now_ns + LOOK_AGAIN_NS < due)
            due = now_ns + LOOK_AGAIN_NS;
    }
    return due;
}

uint64_t outlet_step(struct outlet *outlet, uint64_t now_ns)
{
    uint64_t due = listen_if_due(outlet, now_ns);
    if (!outlet->is_ready && outlet->n_publishers == 0)
        return due;
    outlet->is_ready = false;
    look_who_is_ready(outlet, now_ns);
    bool served = serve(outlet, PACKETS_MAX, now_ns);
    end_those_that_end(outlet, now_ns);
    uint64_t again = served ? due_again(outlet, now_ns) : now_ns;
    return again < due ? again : due;
}

void outlet_finish(struct outlet *outlet, uint64_t now_ns)
{
    uint64_t until_ns = clock_mono_ns() + FINISH_NS;
    outlet->asks = false;
    while (outlet->n_publishers > 0 && outlet_step(outlet, now_ns) <= now_ns &&
           clock_mono_ns() < until_ns)
        ;
}

int outlet_fd(const struct outlet *outlet)
{
    return outlet->epoll;
}

/* -- Beginning and end ------------------------------------------------------------------------ */

void outlet_open(struct outlet *outlet, const struct report_ring *report,
                 const struct dictionary *dictionary, const struct outlet_neighbours *neighbours)
{
    *outlet = (struct outlet){.report = report,
                              .dictionary = dictionary,
                              .neighbours = *neighbours,
                              .listener.fd = -1,
                              .epoll = -1,
                              .asks = true};
    index_init(&outlet->sinks);
    backlog_open(&outlet->backlog, BACKLOG_OCTETS);
    TAILQ_INIT(&outlet->publishers);
}

int outlet_listen(struct outlet *outlet, const char *path, uint32_t boot, const char *name,
                  const char *group, uint64_t now_ns)
{
    outlet->boot = boot;
    memccpy(outlet->name, name, '\0', sizeof outlet->name - 1);
    memccpy(outlet->group, group, '\0', sizeof outlet->group - 1);
    if (!path)
        return 0;
    outlet->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (outlet->epoll < 0)
        return errno;
    outlet->path = path;
    listen_if_due(outlet, now_ns);
    return 0;
}

void outlet_regroup(struct outlet *outlet, const char *group)
{
    struct outlet_publisher *publisher;
    if (strcmp(outlet->group, group) == 0)
        return;
    text_format(outlet->group, sizeof outlet->group, "%s", group);
    TAILQ_FOREACH(publisher, &outlet->publishers, link)
    {
        publisher->own_told = false;
    }
}

void outlet_close(struct outlet *outlet)
{
    struct outlet_publisher *publisher;
    struct index_node *node;
    while ((publisher = TAILQ_FIRST(&outlet->publishers)))
        publisher_free(outlet, publisher);
    while ((node = index_first(&outlet->sinks)))
        end_row(outlet, (struct outlet_sink_row *)node);
    if (outlet->path)
        listener_close(&outlet->listener, outlet->path);
    if (outlet->epoll >= 0)
        close(outlet->epoll);
    outlet->epoll = -1;
    index_release(&outlet->sinks);
    backlog_close(&outlet->backlog);
}
