#include "trapd-handlers/zabbix_sender.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

#define DEFAULT_PORT "10051"

struct connection {
    int fd;
    uint64_t end_ns; /* when the time-out is reached */
};

/* "HOST", "HOST:PORT", "[ADDRESS]:PORT". */
static bool split_address(const char *server, char host[256], char port[32])
{
    const char *end = server[0] == '[' ? strchr(server, ']') : strchr(server, ':');
    const char *start = server[0] == '[' ? server + 1 : server;
    if (server[0] == '[' && !end)
        return false;
    if (!end || (server[0] != '[' && strchr(end + 1, ':')))
        end = server + strlen(server);
    const char *after = *end == ']' ? end + 1 : end;
    snprintf(port, 32, "%s", *after == ':' ? after + 1 : DEFAULT_PORT);
    return snprintf(host, 256, "%.*s", (int)(end - start), start) < 256;
}

/* Returns 0, or an errno, such as ETIMEDOUT when the time is over. */
static int wait_for(const struct connection *connection, short events)
{
    struct pollfd poller = {.fd = connection->fd, .events = events};
    for (;;) {
        uint64_t now = clock_mono_ns();
        if (now >= connection->end_ns)
            return ETIMEDOUT;
        int rc = poll(&poller, 1, (int)((connection->end_ns - now) / NS_PER_MS) + 1);
        if (rc > 0)
            return 0;
        if (rc < 0 && errno != EINTR)
            return errno;
    }
}

static int connect_to(struct connection *connection, const struct addrinfo *info)
{
    socklen_t size = sizeof(int);
    int code;
    connection->fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection->fd < 0)
        return errno;
    if (connect(connection->fd, info->ai_addr, info->ai_addrlen) == 0)
        return 0;
    if (errno != EINPROGRESS)
        return errno;
    code = wait_for(connection, POLLOUT);
    if (!code && getsockopt(connection->fd, SOL_SOCKET, SO_ERROR, &code, &size) != 0)
        code = errno;
    return code;
}

static int send_all(const struct connection *connection, const void *octets, size_t len)
{
    const char *at = octets;
    while (len > 0) {
        ssize_t n = send(connection->fd, at, len, MSG_NOSIGNAL);
        if (n > 0) {
            at += n;
            len -= (size_t)n;
            continue;
        }
        int code = errno == EAGAIN || errno == EINTR ? wait_for(connection, POLLOUT) : errno;
        if (code)
            return code;
    }
    return 0;
}

static int receive_all(const struct connection *connection, void *octets, size_t len)
{
    char *at = octets;
    while (len > 0) {
        ssize_t n = recv(connection->fd, at, len, 0);
        if (n > 0) {
            at += n;
            len -= (size_t)n;
            continue;
        }
        if (n == 0)
            return ECONNRESET;
        int code = errno == EAGAIN || errno == EINTR ? wait_for(connection, POLLIN) : errno;
        if (code)
            return code;
    }
    return 0;
}

static int exchange(const struct connection *connection, const struct buffer *request,
                    struct buffer *answer)
{
    unsigned char header[ZABBIX_HEADER_SIZE];
    char chunk[4096];
    uint32_t len;
    zabbix_header(header, (uint32_t)request->len);
    int code = send_all(connection, header, sizeof header);
    if (!code)
        code = send_all(connection, request->at, request->len);
    if (!code)
        code = receive_all(connection, header, sizeof header);
    if (!code && !zabbix_header_read(header, &len))
        code = EBADMSG;
    while (!code && answer->len < len) {
        size_t n = len - answer->len < sizeof chunk ? len - answer->len : sizeof chunk;
        code = receive_all(connection, chunk, n);
        buffer_put(answer, chunk, n);
    }
    return answer->failed ? ENOMEM : code;
}

/* Tries the server's addresses. Returns 0, an errno, or -1 with a text of getaddrinfo(3). */
static int ask(const struct options *options, const struct buffer *request, struct buffer *answer,
               const char **text)
{
    char host[256], port[32];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all;
    struct connection connection = {-1, clock_mono_ns() + options->timeout_ms * NS_PER_MS};
    int code = EINVAL;
    if (!split_address(options->server, host, port))
        return code;
    int failed = getaddrinfo(host, port, &hints, &all);
    if (failed) {
        *text = gai_strerror(failed);
        return -1;
    }
    for (const struct addrinfo *info = all; info && code; info = info->ai_next) {
        code = connect_to(&connection, info);
        if (code && connection.fd >= 0)
            close(connection.fd);
    }
    freeaddrinfo(all);
    if (code)
        return code;
    code = exchange(&connection, request, answer);
    close(connection.fd);
    return code;
}

enum delivery zabbix_sender_deliver(struct target *target, const struct trap *traps, size_t n,
                                    size_t *done)
{
    const struct options *options = target->options;
    struct buffer answer = {0};
    const char *text = NULL;
    unsigned processed = 0, failed = 0;
    enum delivery delivery = DELIVERY_DONE;
    *done = 0;
    buffer_clear(&target->text);
    zabbix_request(&target->text, traps, n, options->host, options->item);
    int code = target->text.failed ? ENOMEM : ask(options, &target->text, &answer, &text);
    if (code)
        delivery = target_fail(target, DELIVERY_LATER, "Zabbix server %s: %s", options->server,
                               text ? text : strerror(code));
    else if (!zabbix_response(answer.at ? answer.at : "", answer.len, &processed, &failed))
        delivery = target_fail(target, DELIVERY_LATER, "Zabbix server %s: answers nonsense",
                               options->server);
    else if (failed > 0 && n == 1)
        delivery = target_fail(target, DELIVERY_REFUSED,
                               "Zabbix server %s: no trapper item %s of this host", options->server,
                               options->item);
    else if (failed > 0) {
        target->refused = failed < n ? failed : n;
        target_fail(target, DELIVERY_DONE,
                    "Zabbix server %s: no trapper item %s of their hosts for %zu of %zu",
                    options->server, options->item, target->refused, n);
    }
    buffer_release(&answer);
    *done = delivery == DELIVERY_DONE ? n : 0;
    return delivery;
}
