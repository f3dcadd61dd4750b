#include "statsd/receive.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hostport.h"
#include "base/log.h"

/* No UDP datagram is longer. */
#define DATAGRAM_SIZE 65536
#define DATAGRAMS 32

/* How often one socket is read before it is the others' turn. */
#define TURNS 8

/* How long a socket is left alone after an error. */
#define REST_MS 1000

/* The size that is asked for; the system allows at most net.core.rmem_max. */
#define BUFFER_SIZE (4 << 20)

struct source {
    int fd;
    bool ends;     /* a message without octets means that the other side is gone */
    uint32_t lost; /* how many the kernel has counted so far; it wraps */
    int error;     /* of the latest read; 0 if there was none */
};

struct receiver {
    struct source source[STATSD_LISTEN_MAX * 2];
    size_t n_sources;
    int signals;
    struct mmsghdr message[DATAGRAMS];
    struct iovec piece[DATAGRAMS];
    char control[DATAGRAMS][CMSG_SPACE(sizeof(uint32_t))];
    char octets[DATAGRAMS][DATAGRAM_SIZE];
};

/* -- Sockets ----------------------------------------------------------------------------------- */

static void add_source(struct receiver *receiver, int fd)
{
    int size = BUFFER_SIZE, on = 1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on);
    receiver->source[receiver->n_sources++] = (struct source){.fd = fd};
}

static int bind_address(struct receiver *receiver, const struct addrinfo *address)
{
    int on = 1, fd = socket(address->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    if (address->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(fd, address->ai_addr, address->ai_addrlen) < 0) {
        int error = errno;
        close(fd);
        return error;
    }
    add_source(receiver, fd);
    return 0;
}

/* Binds each address of the host, as long as there is room. Returns whether one could be bound. */
static bool bind_host(struct receiver *receiver, const char *host, const char *port,
                      enum log_level level)
{
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *list;
    int fault = getaddrinfo(host, port, &hints, &list), error = 0;
    size_t before = receiver->n_sources;
    if (fault) {
        log_write(level, "statsd", "%s: %s", host, gai_strerror(fault));
        return false;
    }
    for (const struct addrinfo *at = list;
         at && receiver->n_sources < sizeof receiver->source / sizeof *receiver->source;
         at = at->ai_next) {
        error = bind_address(receiver, at);
        if (error)
            log_write(level, "statsd", "%s port %s: %s", host, port, strerror(error));
    }
    freeaddrinfo(list);
    return receiver->n_sources > before;
}

static bool bind_text(struct receiver *receiver, const char *text)
{
    struct hostport parts;
    char host[NI_MAXHOST];
    if (!hostport_split(text, &parts) || parts.host_len >= sizeof host)
        return false;
    memcpy(host, parts.host, parts.host_len);
    host[parts.host_len] = '\0';
    return bind_host(receiver, host, parts.port ? parts.port : STATSD_PORT, LOG_LEVEL_ERROR);
}

/* A machine without IPv6 has no ::1, and 127.0.0.1 alone is enough. */
static bool bind_loopback(struct receiver *receiver)
{
    if (!bind_host(receiver, "127.0.0.1", STATSD_PORT, LOG_LEVEL_ERROR))
        return false;
    bind_host(receiver, "::1", STATSD_PORT, LOG_LEVEL_INFO);
    return true;
}

static bool take_stdin(struct receiver *receiver)
{
    int type;
    socklen_t size = sizeof type;
    if (getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type == SOCK_STREAM) {
        log_error("statsd", "standard input is no socket of datagrams");
        return false;
    }
    add_source(receiver, STDIN_FILENO);
    receiver->source[0].ends = type == SOCK_SEQPACKET;
    return true;
}

static bool open_sources(struct receiver *receiver, const struct options *options)
{
    if (options->from_stdin)
        return take_stdin(receiver);
    for (size_t i = 0; i < options->n_listen; i++)
        if (!bind_text(receiver, options->listen[i]))
            return false;
    return options->n_listen > 0 || bind_loopback(receiver);
}

static bool open_signals(struct receiver *receiver)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    receiver->signals = signalfd(-1, &set, SFD_CLOEXEC);
    if (receiver->signals < 0)
        log_error("statsd", "signals: %s", strerror(errno));
    return receiver->signals >= 0;
}

struct receiver *receiver_open(const struct options *options)
{
    struct receiver *receiver = calloc(1, sizeof *receiver);
    if (!receiver) {
        log_error("statsd", "out of memory");
        return NULL;
    }
    receiver->signals = -1;
    if (open_signals(receiver) && open_sources(receiver, options))
        return receiver;
    receiver_close(receiver);
    return NULL;
}

void receiver_close(struct receiver *receiver)
{
    if (!receiver)
        return;
    for (size_t i = 0; i < receiver->n_sources; i++)
        close(receiver->source[i].fd);
    if (receiver->signals >= 0)
        close(receiver->signals);
    free(receiver);
}

/* -- Datagrams --------------------------------------------------------------------------------- */

static void prepare(struct receiver *receiver)
{
    for (size_t i = 0; i < DATAGRAMS; i++) {
        receiver->piece[i] = (struct iovec){receiver->octets[i], DATAGRAM_SIZE};
        receiver->message[i] = (struct mmsghdr){.msg_hdr = {
                                                    .msg_iov = &receiver->piece[i],
                                                    .msg_iovlen = 1,
                                                    .msg_control = receiver->control[i],
                                                    .msg_controllen = sizeof receiver->control[i],
                                                }};
    }
}

/* How many datagrams the kernel had to drop before this one; it counts all that it ever dropped. */
static void note_loss(struct source *source, struct msghdr *message,
                      const struct listener *listener)
{
    for (struct cmsghdr *part = CMSG_FIRSTHDR(message); part; part = CMSG_NXTHDR(message, part)) {
        uint32_t lost;
        if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SO_RXQ_OVFL)
            continue;
        memcpy(&lost, CMSG_DATA(part), sizeof lost);
        if (lost != source->lost)
            listener->lose(listener->context, lost - source->lost);
        source->lost = lost;
    }
}

/* The same error is logged only once. */
static void note_error(struct source *source, int error)
{
    if (error && error != source->error)
        log_error("statsd", "a socket cannot be read: %s", strerror(error));
    source->error = error;
}

/* Returns how many came; -1 if the other side is gone. */
static int receive(struct receiver *receiver, struct source *source,
                   const struct listener *listener)
{
    prepare(receiver);
    int n = recvmmsg(source->fd, receiver->message, DATAGRAMS, MSG_DONTWAIT, NULL);
    bool is_idle = n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
    note_error(source, n < 0 && !is_idle ? errno : 0);
    for (int i = 0; i < n; i++) {
        struct mmsghdr *message = &receiver->message[i];
        note_loss(source, &message->msg_hdr, listener);
        if (message->msg_len == 0 && source->ends)
            return -1;
        listener->take(listener->context, receiver->octets[i], message->msg_len,
                       message->msg_hdr.msg_flags & MSG_TRUNC);
    }
    return n < 0 ? 0 : n;
}

/* Returns whether the receiver may go on. */
static bool serve(struct receiver *receiver, struct source *source, const struct listener *listener)
{
    for (int turn = 0; turn < TURNS; turn++) {
        int n = receive(receiver, source, listener);
        if (n < 0)
            return false;
        if (n < DATAGRAMS)
            break;
    }
    listener->rest(listener->context);
    return true;
}

/* Sets what to wait for, and returns how long. A socket with an error is left out, because most
 * errors stay and would end the wait at once; it is read again after a while. */
static int prepare_poll(const struct receiver *receiver, struct pollfd *wanted)
{
    int timeout = -1;
    *wanted = (struct pollfd){receiver->signals, POLLIN, 0};
    for (size_t i = 0; i < receiver->n_sources; i++) {
        const struct source *source = &receiver->source[i];
        wanted[1 + i] = (struct pollfd){source->error ? -1 : source->fd, POLLIN, 0};
        if (source->error)
            timeout = REST_MS;
    }
    return timeout;
}

int receiver_run(struct receiver *receiver, const struct listener *listener)
{
    struct pollfd wanted[1 + STATSD_LISTEN_MAX * 2];
    for (;;) {
        int timeout = prepare_poll(receiver, wanted);
        if (poll(wanted, 1 + receiver->n_sources, timeout) < 0 && errno != EINTR) {
            int error = errno;
            log_error("statsd", "poll: %s", strerror(error));
            return error;
        }
        if (wanted[0].revents)
            return 0;
        for (size_t i = 0; i < receiver->n_sources; i++)
            if ((wanted[1 + i].revents || receiver->source[i].error) &&
                !serve(receiver, &receiver->source[i], listener))
                return 0;
    }
}
