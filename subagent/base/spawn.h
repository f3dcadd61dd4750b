/* Other programs of dCAMP: where they are, and starting one with a socket to it. */
#ifndef DCAMP_BASE_SPAWN_H
#define DCAMP_BASE_SPAWN_H

#include <limits.h>
#include <sys/types.h>

/* Finds the path of a program of dCAMP: beside this program, as in a build tree, or else in the
 * directory where it is installed; if directory is NULL, path is the name alone, for execvp(3). */
void spawn_find(const char *name, const char *directory, char path[PATH_MAX]);

/* Starts a program with one end of a new pair of sockets, of type SOCK_SEQPACKET, as its descriptor
 * number at. The program has no descriptors above that one and no blocked signals, and is in a
 * process group of its own, so that signals from a terminal reach only the daemon, which decides
 * what to do. The other end becomes *fd. Returns 0 or an errno, ENOENT if there is no such program.
 */
int spawn_with_socket(const char *program, const char *const *argv, int at, pid_t *pid, int *fd);

#endif
