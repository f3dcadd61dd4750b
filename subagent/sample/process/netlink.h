/* Sockets on which the kernel tells of processes; not for other stages. Nothing here waits. */
#ifndef DCAMP_SAMPLE_PROCESS_NETLINK_H
#define DCAMP_SAMPLE_PROCESS_NETLINK_H

#include <linux/filter.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Opens a socket that receives what passes the filter (NULL: everything), with room for size octets
 * if that is permitted. Returns its descriptor, or a negative errno. */
int netlink_open(int protocol, uint32_t groups, int size, const struct sock_fprog *filter);

/* Receives one datagram of the kernel. Returns its length; 0: there is none; or a negative errno,
 * ENOBUFS if some were lost since the last call. */
ssize_t netlink_receive(int fd, void *buffer, size_t size);

/* Hands out the datagrams that wait, at most NETLINK_DRAIN_MAX of them, through a buffer of size
 * octets. Returns 0; ENOBUFS if some were lost; or another errno. */
#define NETLINK_DRAIN_MAX 65536
typedef void netlink_take(void *context, const char *datagram, size_t len);
int netlink_drain(int fd, char *buffer, size_t size, netlink_take *take, void *context);

/* The number that the kernel chose for the socket; 0 on an error. */
uint32_t netlink_port(int fd);

#endif
