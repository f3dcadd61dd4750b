#include "publish/link.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct link *link_new(void)
{
    struct link *link = calloc(1, sizeof *link);
    if (link)
        link->fd = -1;
    return link;
}

void link_free(struct link *link)
{
    if (!link)
        return;
    link_close(link);
    free(link);
}

void link_close(struct link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    link->n_out = 0;
}

/* Does not wait, even if others are waiting to connect. */
int link_connect(struct link *link, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path));
    link_close(link);
    link->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (link->fd >= 0 && connect(link->fd, (const void *)&address, sizeof address) == 0)
        return 0;
    int error = errno;
    link_close(link);
    return error;
}

int link_flush(struct link *link)
{
    ssize_t n;
    if (link->n_out == 0)
        return 0;
    do
        n = send(link->fd, link->out, link->n_out, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EWOULDBLOCK ? EAGAIN : errno;
    link->n_out = 0;
    return 0;
}

int link_put(struct link *link, const struct message *message)
{
    if (message_put(link->out, &link->n_out, message))
        return 0;
    int error = link_flush(link);
    if (!error && !message_put(link->out, &link->n_out, message))
        error = EMSGSIZE;
    return error;
}

int link_put_waiting(struct link *link, const struct message *message)
{
    int error;
    while ((error = link_put(link, message)) == EAGAIN) {
        struct pollfd room = {link->fd, POLLOUT, 0};
        int n = poll(&room, 1, LINK_SEND_MS);
        if (n == 0)
            return ETIMEDOUT;
        if (n < 0 && errno != EINTR)
            return errno;
    }
    return error;
}

int link_receive(struct link *link)
{
    ssize_t n;
    do
        n = recv(link->fd, link->in, sizeof link->in, MSG_DONTWAIT | MSG_TRUNC);
    while (n < 0 && errno == EINTR);
    link->n_in = 0;
    if (n < 0)
        return errno == EWOULDBLOCK ? EAGAIN : errno;
    if (n == 0)
        return EPIPE;
    if ((size_t)n > sizeof link->in)
        return EMSGSIZE;
    link->n_in = (size_t)n;
    return 0;
}
