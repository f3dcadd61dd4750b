#include "http/listener.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/hostport.h"
#include "base/local_url.h"
#include "base/text.h"

#define WAITING 64 /* connections that the kernel keeps until they are taken */

static bool fail(char error[256], const char *text, const char *why)
{
    text_format(error, 256, "%s: %s", text, why);
    return false;
}

static int listen_on(const struct addrinfo *address)
{
    int one = 1;
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, WAITING) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static void name_address(struct listener *listener)
{
    struct sockaddr_storage storage;
    struct sockaddr *address = (struct sockaddr *)&storage;
    socklen_t size = sizeof storage;
    char host[64] = "", port[8] = "";
    getsockname(listener->fd, address, &size);
    getnameinfo(address, size, host, sizeof host, port, sizeof port,
                NI_NUMERICHOST | NI_NUMERICSERV);
    bool is_v6 = address->sa_family == AF_INET6;
    text_format(listener->address, sizeof listener->address, "http://%s%s%s:%s", is_v6 ? "[" : "",
                host, is_v6 ? "]" : "", port);
    listener->is_local = local_address(address);
}

bool listener_open(struct listener *listener, const char *text, const char *default_port,
                   char error[256])
{
    struct hostport parts;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV}, *list;
    char host[256];
    if (!hostport_split(text, &parts) || parts.host_len == 0 || parts.host_len >= sizeof host)
        return fail(error, text, "expected HOST or HOST:PORT");
    const char *port = parts.port ? parts.port : default_port;
    if (strcmp(port, "0") != 0 && !hostport_is_port(port))
        return fail(error, text, "expected a port from 0 to 65535");
    memcpy(host, parts.host, parts.host_len);
    host[parts.host_len] = '\0';
    int code = getaddrinfo(host, port, &hints, &list);
    if (code)
        return fail(error, text, gai_strerror(code));
    int why = 0;
    listener->fd = -1;
    for (const struct addrinfo *at = list; at && listener->fd < 0; at = at->ai_next) {
        listener->fd = listen_on(at);
        why = why ? why : errno; /* the error of the first address, which is most likely the one
                                    that was meant */
    }
    freeaddrinfo(list);
    if (listener->fd < 0)
        return fail(error, text, strerror(why));
    name_address(listener);
    return true;
}

void listener_name_hosts(const struct listener *listener, struct access *access,
                         char own[LISTENER_HOST_SIZE])
{
    static const char *const local[] = {"localhost", "127.0.0.1", "::1"};
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        access->hosts[access->n_hosts++] = local[i];
    /* The address itself, without scheme and port. */
    const char *host = strstr(listener->address, "://") + 3;
    const char *port = strrchr(host, ':');
    bool is_v6 = *host == '[';
    size_t len = (size_t)(port - host) - (is_v6 ? 2 : 0);
    memcpy(own, host + is_v6, len);
    own[len] = '\0';
    access->hosts[access->n_hosts++] = own;
}
