#include "sample/process/netlink.h"

#include <errno.h>
#include <linux/netlink.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

/* SO_RCVBUFFORCE goes beyond net.core.rmem_max, but needs CAP_NET_ADMIN. */
static void set_room(int fd, int size)
{
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size) != 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
}

/* The filter is attached before the address is bound, so that nothing else ever arrives. */
static bool prepare(int fd, uint32_t groups, int size, const struct sock_fprog *filter)
{
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    set_room(fd, size);
    if (filter && setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, filter, sizeof *filter) != 0)
        return false;
    return bind(fd, (const struct sockaddr *)&address, sizeof address) == 0;
}

int netlink_open(int protocol, uint32_t groups, int size, const struct sock_fprog *filter)
{
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
    if (fd < 0)
        return -errno;
    if (prepare(fd, groups, size, filter))
        return fd;
    int error = errno;
    close(fd);
    return -error;
}

ssize_t netlink_receive(int fd, void *buffer, size_t size)
{
    for (;;) {
        struct sockaddr_nl from = {0};
        socklen_t length = sizeof from;
        ssize_t got = recvfrom(fd, buffer, size, 0, (struct sockaddr *)&from, &length);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return errno == EAGAIN ? 0 : -errno;
        if (from.nl_pid == 0 && got > 0)
            return got;
    }
}

int netlink_drain(int fd, char *buffer, size_t size, netlink_take *take, void *context)
{
    bool lost = false;
    for (unsigned i = 0; i < NETLINK_DRAIN_MAX; i++) {
        ssize_t got = netlink_receive(fd, buffer, size);
        if (got == 0)
            break;
        if (got < 0 && got != -ENOBUFS)
            return (int)-got;
        if (got < 0)
            lost = true;
        else
            take(context, buffer, (size_t)got);
    }
    return lost ? ENOBUFS : 0;
}

uint32_t netlink_port(int fd)
{
    struct sockaddr_nl address = {0};
    socklen_t length = sizeof address;
    return getsockname(fd, (struct sockaddr *)&address, &length) == 0 ? address.nl_pid : 0;
}
