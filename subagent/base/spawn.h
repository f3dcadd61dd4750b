/* Processes of the daemon: a program with a socket to it. */
#ifndef DCAMP_BASE_SPAWN_H
#define DCAMP_BASE_SPAWN_H

#include <sys/types.h>

/* Starts a program with one end of a new pair of sockets, of type SOCK_SEQPACKET, as its descriptor
 * number at; it has no descriptors above that one, no signals that are blocked, and is in a process
 * group of its own: what a terminal sends to the daemon is the daemon's to act on. The other end
 * becomes *fd. 0 or an errno, ENOENT where there is no such program. */
int spawn_with_socket(const char *program, const char *const *argv, int at, pid_t *pid, int *fd);

#endif
