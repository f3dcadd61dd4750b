/* Other programs of dCAMP: where they are, and one with a socket to it. */
#ifndef DCAMP_BASE_SPAWN_H
#define DCAMP_BASE_SPAWN_H

#include <limits.h>
#include <sys/types.h>

/* The path of the program of that name: beside this one, as where they were built, or in the
 * directory, where it is installed; with NULL as directory the name alone, for execvp(3). */
void spawn_find(const char *name, const char *directory, char path[PATH_MAX]);

/* Starts a program with one end of a new pair of sockets, of type SOCK_SEQPACKET, as its descriptor
 * number at; it has no descriptors above that one, no signals that are blocked, and is in a process
 * group of its own: what a terminal sends to the daemon is the daemon's to act on. The other end
 * becomes *fd. 0 or an errno, ENOENT where there is no such program. */
int spawn_with_socket(const char *program, const char *const *argv, int at, pid_t *pid, int *fd);

#endif
