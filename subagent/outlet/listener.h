/* The UNIX socket at which publishers connect: a file, which may have been left behind by an
 * earlier daemon. */
#ifndef DCAMP_OUTLET_LISTENER_H
#define DCAMP_OUTLET_LISTENER_H

#include <sys/stat.h>

struct listener {
    int fd;         /* -1: nobody can connect */
    struct stat is; /* the file */
};

/* Listens at that path, for the owner and the group of the file; the group is that of the directory
 * if that is setgid. An existing file is replaced if it is a socket at which nobody listens.
 * Returns 0 or an errno: EADDRINUSE, somebody listens there or is about to; EEXIST, it is no
 * socket; ENAMETOOLONG. */
int listener_open(struct listener *listener, const char *path, int backlog);

/* Removes the file, unless it is another one by now. */
void listener_close(struct listener *listener, const char *path);

#endif
