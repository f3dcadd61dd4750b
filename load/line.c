#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hostport.h"
#include "base/text.h"
#include "load/actor.h"

#define ADDRESSES_MAX 16
#define CROWDED_NS NS_PER_MS /* pause before another attempt when a backlog was full */

struct line_address {
    struct sockaddr_storage octets;
    socklen_t length;
};

/* Sends a line and awaits a line. Each actor keeps its connection from one operation to the next,
 * and makes a new one after an error. Host names are looked up once, before the test. If a host has
 * several addresses, an operation tries one after the other; the next operations begin with the one
 * that has connected. */
struct line_hub {
    struct hub hub;
    struct line_address address[ADDRESSES_MAX];
    size_t n_addresses, good;
    struct reactor_timer timer; /* when the first of the crowded actors tries again */
    TAILQ_HEAD(line_actors, line_actor) crowded;
};

/* LINE_CROWDED: the backlog of a Unix-domain socket is full. There, connect(2) fails at once, where
 * over TCP it would wait. */
enum line_state { LINE_IDLE, LINE_CROWDED, LINE_CONNECTING, LINE_SENDING, LINE_AWAITING };

struct line_actor {
    struct actor actor;
    TAILQ_ENTRY(line_actor) link; /* in the list of crowded actors, while it is one */
    struct reactor_watch watch;   /* fd is -1 if there is no connection */
    uint32_t wanted;              /* what it is watched for */
    enum line_state state;
    size_t address, n_tried; /* the present one, and how many the operation has tried */
    char *line;              /* of the operation; NULL if there is none */
    size_t len, sent;
};

static struct line_hub *hub_of(const struct line_actor *own)
{
    return (struct line_hub *)own->actor.hub;
}

/* -- Where lines go -------------------------------------------------------------------------- */

static bool find_unix(struct line_hub *hub, const char *path, char why[FAILURE_TEXT])
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path[0] || strlen(path) >= sizeof address.sun_path) {
        text_format(why, FAILURE_TEXT, "expected the path of a socket, of at most %zu octets",
                    sizeof address.sun_path - 1);
        return false;
    }
    strcpy(address.sun_path, path);
    memcpy(&hub->address[0].octets, &address, sizeof address);
    hub->address[0].length = sizeof address;
    hub->n_addresses = 1;
    return true;
}

static void take_addresses(struct line_hub *hub, const struct addrinfo *found)
{
    for (; found && hub->n_addresses < ADDRESSES_MAX; found = found->ai_next) {
        struct line_address *to = &hub->address[hub->n_addresses++];
        memcpy(&to->octets, found->ai_addr, found->ai_addrlen);
        to->length = found->ai_addrlen;
    }
}

static bool find_host(struct line_hub *hub, const char *target, char why[FAILURE_TEXT])
{
    static const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    struct hostport parts;
    char host[256];
    if (!hostport_split(target, &parts) || !parts.port || !hostport_is_port(parts.port) ||
        parts.host_len == 0 || parts.host_len >= sizeof host) {
        text_format(why, FAILURE_TEXT, "expected HOST:PORT or unix:PATH");
        return false;
    }
    memcpy(host, parts.host, parts.host_len);
    host[parts.host_len] = '\0';
    int error = getaddrinfo(host, parts.port, &hints, &found);
    if (error) {
        text_format(why, FAILURE_TEXT, "%s", gai_strerror(error));
        return false;
    }
    take_addresses(hub, found);
    freeaddrinfo(found);
    return true;
}

static void try_again(void *context);

static struct hub *prepare_line(const struct action *action, struct reactor *reactor,
                                char why[FAILURE_TEXT])
{
    struct line_hub *hub = calloc(1, sizeof *hub);
    if (!hub) {
        text_format(why, FAILURE_TEXT, "out of memory");
        return NULL;
    }
    hub->hub = (struct hub){&line_type, action, reactor};
    hub->timer = (struct reactor_timer){.expired = try_again, .context = hub, .at_ns = UINT64_MAX};
    TAILQ_INIT(&hub->crowded);
    bool is_found = strncmp(action->target, "unix:", 5) == 0
                        ? find_unix(hub, action->target + 5, why)
                        : find_host(hub, action->target, why);
    if (is_found) {
        reactor_add_timer(reactor, &hub->timer);
        return &hub->hub;
    }
    free(hub);
    return NULL;
}

static void finish_line(struct hub *hub)
{
    reactor_remove_timer(&((struct line_hub *)hub)->timer);
    free(hub);
}

/* -- How an operation ends --------------------------------------------------------------------- */

static void hang_up(struct line_actor *own)
{
    if (own->watch.fd < 0)
        return;
    reactor_remove(own->actor.hub->reactor, &own->watch);
    close(own->watch.fd);
    own->watch.fd = -1;
}

static void drop_line(struct line_actor *own)
{
    if (own->state == LINE_CROWDED)
        TAILQ_REMOVE(&hub_of(own)->crowded, own, link);
    free(own->line);
    own->line = NULL;
    own->state = LINE_IDLE;
}

static void succeed(struct line_actor *own)
{
    drop_line(own);
    actor_succeed(&own->actor);
}

static void fail(struct line_actor *own, enum failure_kind kind, const char *why)
{
    drop_line(own);
    hang_up(own);
    actor_fail(&own->actor, kind, "%s: %s", own->actor.hub->action->target, why);
}

/* -- Sending, and what comes back -------------------------------------------------------------- */

static void want(struct line_actor *own, uint32_t events)
{
    if (own->wanted != events)
        reactor_change(own->actor.hub->reactor, &own->watch, events);
    own->wanted = events;
}

static void send_line(struct line_actor *own)
{
    ssize_t n;
    own->state = LINE_SENDING;
    do {
        n = send(own->watch.fd, own->line + own->sent, own->len - own->sent, MSG_NOSIGNAL);
        own->sent += n > 0 ? (size_t)n : 0;
    } while (own->sent < own->len && (n > 0 || (n < 0 && errno == EINTR)));
    if (own->sent == own->len) {
        own->state = LINE_AWAITING;
        want(own, EPOLLIN);
        if (own->actor.hub->action->is_unanswered)
            succeed(own);
    } else if (n < 0 && errno != EAGAIN) {
        fail(own, FAILURE_CLOSED, strerror(errno));
    } else {
        want(own, EPOLLOUT);
    }
}

/* A line may come in pieces. What follows the line in the same piece belongs to no operation. */
static void take_answer(struct line_actor *own)
{
    char octets[4096];
    ssize_t n = recv(own->watch.fd, octets, sizeof octets, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    const char *end = n > 0 ? memchr(octets, '\n', (size_t)n) : NULL;
    if (n == 0)
        fail(own, FAILURE_CLOSED, "the connection was closed before a line was whole");
    else if (n < 0)
        fail(own, FAILURE_CLOSED, strerror(errno));
    else if (end && end != octets + n - 1)
        fail(own, FAILURE_PROTOCOL, "more than one line was answered");
    else if (end)
        succeed(own);
}

/* Between two operations nothing should come; if something does, or the other side closes, the
 * connection is closed. If the operations await no answer, what comes is thrown away. */
static void take_unasked(struct line_actor *own)
{
    char octets[4096];
    ssize_t n = recv(own->watch.fd, octets, sizeof octets, 0);
    bool is_wanted = own->actor.hub->action->is_unanswered;
    if ((n < 0 && (errno == EAGAIN || errno == EINTR)) || (n > 0 && is_wanted))
        return;
    hang_up(own);
}

/* -- Connecting -------------------------------------------------------------------------------- */

/* Returns 0; EINPROGRESS; EAGAIN if the backlog is full; or another error, with the socket
 * closed. */
static int ask_connection(struct line_actor *own)
{
    const struct line_address *to = &hub_of(own)->address[own->address];
    int error = 0;
    if (connect(own->watch.fd, (const struct sockaddr *)&to->octets, to->length) != 0)
        error = errno;
    if (error == EAGAIN)
        return error;
    own->wanted = EPOLLOUT;
    int refused = error && error != EINPROGRESS
                      ? error
                      : reactor_add(own->actor.hub->reactor, &own->watch, EPOLLOUT);
    if (!refused)
        return error;
    close(own->watch.fd);
    own->watch.fd = -1;
    return refused;
}

/* Opens a socket and asks for a connection. Returns what ask_connection() does. */
static int start_connect(struct line_actor *own)
{
    const int at_once = 1;
    int family = hub_of(own)->address[own->address].octets.ss_family;
    own->n_tried++;
    own->watch.fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (own->watch.fd < 0)
        return errno;
    setsockopt(own->watch.fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    return ask_connection(own);
}

static bool is_refusal(int error)
{
    return error != 0 && error != EINPROGRESS && error != EAGAIN;
}

static void wait_in_crowd(struct line_actor *own)
{
    struct line_hub *hub = hub_of(own);
    if (TAILQ_EMPTY(&hub->crowded))
        hub->timer.at_ns = clock_mono_ns() + CROWDED_NS;
    TAILQ_INSERT_TAIL(&hub->crowded, own, link);
    own->state = LINE_CROWDED;
}

/* Continues after an attempt; if it was refused, the other addresses are tried. */
static void go_on(struct line_actor *own, int error)
{
    struct line_hub *hub = hub_of(own);
    while (is_refusal(error) && own->n_tried < hub->n_addresses) {
        own->address = (own->address + 1) % hub->n_addresses;
        error = start_connect(own);
    }
    own->state = LINE_CONNECTING;
    if (is_refusal(error)) {
        fail(own, FAILURE_CONNECT, strerror(error));
    } else if (error == EAGAIN) {
        wait_in_crowd(own);
    } else if (error == 0) {
        hub->good = own->address;
        send_line(own);
    }
}

/* A reactor_timer of the hub. The actor that has waited longest comes first; if there is still no
 * room for it, there is none for those after it. */
static void try_again(void *context)
{
    struct line_hub *hub = context;
    for (struct line_actor *own; (own = TAILQ_FIRST(&hub->crowded));) {
        int error = ask_connection(own);
        if (error == EAGAIN)
            break;
        TAILQ_REMOVE(&hub->crowded, own, link);
        go_on(own, error);
    }
    if (!TAILQ_EMPTY(&hub->crowded))
        hub->timer.at_ns = clock_mono_ns() + CROWDED_NS;
}

static void finish_connect(struct line_actor *own)
{
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(own->watch.fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (error)
        hang_up(own);
    go_on(own, error);
}

static void line_ready(void *context, uint32_t events)
{
    struct line_actor *own = context;
    (void)events;
    if (own->state == LINE_CONNECTING)
        finish_connect(own);
    else if (own->state == LINE_SENDING)
        send_line(own);
    else if (own->state == LINE_AWAITING)
        take_answer(own);
    else
        take_unasked(own);
}

/* -- Beginning ------------------------------------------------------------------------------- */

/* If there is a connection already, the line is sent at once. */
static void begin_line(struct actor *actor, const struct call *call)
{
    struct line_actor *own = (struct line_actor *)actor;
    char *filled = action_fill(actor->hub->action->line, call, false);
    int len = filled ? asprintf(&own->line, "%s\n", filled) : -1;
    free(filled);
    if (len < 0) {
        own->line = NULL;
        actor_fail(actor, FAILURE_MEMORY, "out of memory");
        return;
    }
    own->len = (size_t)len;
    own->sent = 0;
    if (own->watch.fd >= 0) {
        send_line(own);
        return;
    }
    own->address = hub_of(own)->good;
    own->n_tried = 0;
    go_on(own, start_connect(own));
}

static void cancel_line(struct actor *actor)
{
    struct line_actor *own = (struct line_actor *)actor;
    drop_line(own);
    hang_up(own);
}

static struct actor *open_line(struct hub *hub)
{
    struct line_actor *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->actor.hub = hub;
    own->watch = (struct reactor_watch){line_ready, own, -1};
    return &own->actor;
}

static const char *why_late(const struct actor *actor)
{
    const struct line_actor *own = (const struct line_actor *)actor;
    return own->state == LINE_CROWDED ? "the backlog of the socket is full" : NULL;
}

static void close_line(struct actor *actor)
{
    cancel_line(actor);
    free(actor);
}

const struct actor_type line_type = {.prepare = prepare_line,
                                     .finish = finish_line,
                                     .open = open_line,
                                     .begin = begin_line,
                                     .cancel = cancel_line,
                                     .close = close_line,
                                     .why_late = why_late};
