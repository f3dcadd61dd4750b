#include "publish/log_server.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/hostport.h"
#include "base/text.h"

#define DEFAULT_PORT "514"
#define LOOK_MS 5 /* between two looks at what TCP has acknowledged */

static int set_up(int fd)
{
    struct timeval timeout = {.tv_sec = LOG_SERVER_TIMEOUT_MS / 1000};
    return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout) < 0 ? errno : 0;
}

static int connect_to(int family, int type, const struct sockaddr *address, socklen_t len, int *fd)
{
    *fd = socket(family, type | SOCK_CLOEXEC, 0);
    if (*fd < 0)
        return errno;
    int error = set_up(*fd);
    if (!error && connect(*fd, address, len) < 0)
        error = errno == EINPROGRESS ? ETIMEDOUT : errno;
    if (error) {
        close(*fd);
        *fd = -1;
    }
    return error;
}

/* Some daemons have a stream socket there, with which syslog(3) can deal, too. */
static int open_local(struct log_server *server)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(server->place) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    strcpy(address.sun_path, server->place);
    const struct sockaddr *at = (const struct sockaddr *)&address;
    server->is_local = true;
    server->is_stream = false;
    int error = connect_to(AF_UNIX, SOCK_DGRAM, at, sizeof address, &server->fd);
    if (error == EPROTOTYPE) {
        server->is_stream = true;
        error = connect_to(AF_UNIX, SOCK_STREAM, at, sizeof address, &server->fd);
    }
    return error;
}

static int resolve(const char *text, int type, struct addrinfo **found)
{
    char host[LOG_SERVER_PLACE_SIZE];
    struct hostport parts;
    if (!hostport_split(text, &parts) || parts.host_len == 0 ||
        (parts.port && !hostport_is_port(parts.port)))
        return EINVAL;
    text_format(host, sizeof host, "%.*s", (int)parts.host_len, parts.host);
    struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = type};
    int error = getaddrinfo(host, parts.port ? parts.port : DEFAULT_PORT, &hints, found);
    return error == 0            ? 0
           : error == EAI_SYSTEM ? errno
           : error == EAI_MEMORY ? ENOMEM
                                 : EHOSTUNREACH;
}

static int open_remote(struct log_server *server, int type)
{
    struct addrinfo *found = NULL;
    int error = resolve(server->place + strlen("udp:"), type, &found);
    if (error)
        return error;
    error = EHOSTUNREACH;
    server->is_local = false;
    server->is_stream = type == SOCK_STREAM;
    for (const struct addrinfo *at = found; at && error; at = at->ai_next)
        error = connect_to(at->ai_family, type, at->ai_addr, at->ai_addrlen, &server->fd);
    freeaddrinfo(found);
    return error;
}

int log_server_open(struct log_server *server)
{
    server->fd = -1;
    octets_cut(&server->waiting, 0);
    if (server->place[0] == '/')
        return open_local(server);
    if (strncmp(server->place, "udp:", 4) == 0)
        return open_remote(server, SOCK_DGRAM);
    if (strncmp(server->place, "tcp:", 4) == 0)
        return open_remote(server, SOCK_STREAM);
    return EINVAL;
}

void log_server_close(struct log_server *server)
{
    if (server->fd >= 0)
        close(server->fd);
    server->fd = -1;
    octets_release(&server->waiting);
}

static int send_once(const struct log_server *server, const char *message, size_t len)
{
    ssize_t n;
    do
        n = send(server->fd, message, len, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n < 0 ? errno : 0;
}

/* UDP reports a closed port only at the message after the one that went there. */
static bool is_gone(int error)
{
    return error == ECONNREFUSED || error == ENOTCONN || error == ECONNRESET;
}

static int send_datagram(struct log_server *server, const char *message, size_t len)
{
    int error = send_once(server, message, len);
    if (!is_gone(error) || !server->is_local)
        return error;
    close(server->fd);
    error = open_local(server);
    return error ? error : send_once(server, message, len);
}

int log_server_send(struct log_server *server, const char *message, size_t len)
{
    if (!server->is_stream)
        return send_datagram(server, message, len);
    if (!server->is_local) {
        octets_add_unsigned(&server->waiting, len);
        octets_add(&server->waiting, " ", 1);
    }
    octets_add(&server->waiting, message, len);
    if (server->is_local)
        octets_add(&server->waiting, "", 1); /* the NUL that syslog(3) sends */
    return server->waiting.failed ? ENOMEM : 0;
}

static int send_all(const struct log_server *server)
{
    const char *at = server->waiting.at;
    for (size_t left = server->waiting.len; left > 0;) {
        ssize_t n = send(server->fd, at, left, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno == EAGAIN ? ETIMEDOUT : errno;
        at += n;
        left -= (size_t)n;
    }
    return 0;
}

/* A server never sends anything: if there is something to read, it is the end. */
static int look(const struct log_server *server)
{
    char octet;
    ssize_t n = recv(server->fd, &octet, 1, MSG_DONTWAIT);
    if (n == 0)
        return ECONNRESET;
    return n < 0 && errno != EAGAIN && errno != EINTR ? errno : 0;
}

static int wait_for_acknowledgement(const struct log_server *server)
{
    struct pollfd never = {.fd = -1};
    for (int waited = 0; waited < LOG_SERVER_TIMEOUT_MS; waited += LOOK_MS) {
        int left = 0, error = look(server);
        if (!error && ioctl(server->fd, SIOCOUTQ, &left) < 0)
            error = errno;
        if (error || left == 0)
            return error;
        poll(&never, 1, LOOK_MS);
    }
    return ETIMEDOUT;
}

int log_server_flush(struct log_server *server)
{
    if (!server->is_stream || server->waiting.len == 0)
        return 0;
    int error = look(server);
    if (!error)
        error = send_all(server);
    if (!error && !server->is_local)
        error = wait_for_acknowledgement(server);
    octets_cut(&server->waiting, 0);
    return error;
}
