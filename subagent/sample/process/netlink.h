/* Sockets on which the kernel tells of processes; not for other stages. Nothing here waits. */
#ifndef DCAMP_SAMPLE_PROCESS_NETLINK_H
#define DCAMP_SAMPLE_PROCESS_NETLINK_H

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

/* Hands out the datagrams that wait, at most NETLINK_DRAIN_MAX of them, through a buffer of size
 * octets. 0; ENOBUFS where some were lost; or another errno. */
#define NETLINK_DRAIN_MAX 65536
typedef void netlink_take(void *context, const char *datagram, size_t len);
int netlink_drain(int fd, char *buffer, size_t size, netlink_take *take, void *context);

/* The number of the socket that the kernel chose; 0 on an error. */
uint32_t netlink_port(int fd);

#endif
