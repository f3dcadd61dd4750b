#include "outlet/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MODE (S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP)

static int new_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* Whether it is a socket that a process has left behind. Returns 0, or why it must not be
 * removed. */
static int judge_file(const struct sockaddr_un *address)
{
    struct stat is;
    if (lstat(address->sun_path, &is) != 0)
        return errno;
    if (!S_ISSOCK(is.st_mode))
        return EEXIST;
    int fd = new_socket();
    if (fd < 0)
        return errno;
    bool is_left = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                   errno == ECONNREFUSED;
    close(fd);
    return is_left ? 0 : EADDRINUSE;
}

static int bind_to(int fd, const struct sockaddr_un *address)
{
    if (bind(fd, (const struct sockaddr *)address, sizeof *address) == 0)
        return 0;
    if (errno != EADDRINUSE)
        return errno;
    int error = judge_file(address);
    if (error)
        return error;
    if (unlink(address->sun_path) != 0 ||
        bind(fd, (const struct sockaddr *)address, sizeof *address) != 0)
        return errno;
    return 0;
}

/* Nobody can connect before listen(2), so that the mode is right before anybody does. */
static int begin(struct listener *listener, const struct sockaddr_un *address, int backlog)
{
    int error = bind_to(listener->fd, address);
    if (error)
        return error;
    if (chmod(address->sun_path, MODE) != 0 || listen(listener->fd, backlog) != 0 ||
        lstat(address->sun_path, &listener->is) != 0) {
        error = errno;
        unlink(address->sun_path);
    }
    return error;
}

/* If two processes find a dead process's socket at the same time, the second would remove what the
 * first has put there. So only one at a time looks and replaces, under a flock(2) of the directory:
 * it needs no file of its own, and the kernel releases it. The caller closes it; -1: errno says
 * why. */
static int lock_directory(const struct sockaddr_un *address)
{
    char path[sizeof address->sun_path];
    memcpy(path, address->sun_path, sizeof path);
    int fd = open(dirname(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
        return fd;
    int error = errno == EWOULDBLOCK ? EADDRINUSE : errno;
    close(fd);
    errno = error;
    return -1;
}

int listener_open(struct listener *listener, const char *path, int backlog)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return ENAMETOOLONG;
    strcpy(address.sun_path, path);
    listener->fd = -1;
    int lock = lock_directory(&address);
    if (lock < 0)
        return errno;
    listener->fd = new_socket();
    int error = listener->fd < 0 ? errno : begin(listener, &address, backlog);
    close(lock);
    if (error && listener->fd >= 0) {
        close(listener->fd);
        listener->fd = -1;
    }
    return error;
}

/* Whether it is still the same file, and not one of another process that has got its inode. */
static bool is_ours(const struct stat *is, const struct stat *was)
{
    return is->st_dev == was->st_dev && is->st_ino == was->st_ino &&
           is->st_ctim.tv_sec == was->st_ctim.tv_sec && is->st_ctim.tv_nsec == was->st_ctim.tv_nsec;
}

void listener_close(struct listener *listener, const char *path)
{
    struct stat is;
    if (listener->fd < 0)
        return;
    if (lstat(path, &is) == 0 && is_ours(&is, &listener->is))
        unlink(path);
    close(listener->fd);
    listener->fd = -1;
}
