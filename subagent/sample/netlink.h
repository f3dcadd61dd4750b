/* Sockets on which the kernel tells of processes; not for other stages. Nothing here waits. */
#ifndef DCAMP_SAMPLE_NETLINK_H
#define DCAMP_SAMPLE_NETLINK_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A socket that takes what passes the filter (NULL: all), with room for size octets where that is
 * permitted. Its descriptor, or a negative errno. */
int netlink_open(int protocol, uint32_t groups, int size, const struct sock_fprog *filter);

/* One datagram of the kernel. Its length; 0: there is none; or a negative errno, ENOBUFS where some
 * were lost since the last call. */
ssize_t netlink_receive(int fd, void *buffer, size_t size);

/* The number of the socket that the kernel chose; 0 on an error. */
uint32_t netlink_port(int fd);

#endif
