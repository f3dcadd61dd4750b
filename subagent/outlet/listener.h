/* The UNIX socket at which publishers connect: a file, which may be left of a daemon that is gone.
 */
#ifndef DCAMP_OUTLET_LISTENER_H
#define DCAMP_OUTLET_LISTENER_H

#include <sys/stat.h>

struct listener {
    int fd;         /* -1: nobody can connect */
    struct stat is; /* the file */
};

/* Listens at that path, for the owner and the group of the file, which is that of the directory
 * where it is setgid. What is there is replaced if it is a socket at which nobody listens. 0; or an
 * errno: EADDRINUSE, somebody listens there, or begins to in this moment; EEXIST, it is no socket;
 * ENAMETOOLONG. */
int listener_open(struct listener *listener, const char *path, int backlog);

/* The file goes, unless it is another one by now. */
void listener_close(struct listener *listener, const char *path);

#endif
