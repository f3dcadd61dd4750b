#include "base/rotatefile.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"

/* Gives the file to the owner of its directory, since it may have been made just now. */
static void own_file(const char *path, int fd)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return;
    int dir = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return;
    directory_own(dir, fd);
    close(dir);
}

static int open_file(const char *path, uint64_t *size, int *fd)
{
    struct stat status;
    /* With O_NONBLOCK, a pipe that nobody reads fails with ENXIO instead of holding up the writer.
     */
    *fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_NOFOLLOW,
               0640);
    if (*fd < 0)
        return errno;
    if (fstat(*fd, &status) < 0 || !S_ISREG(status.st_mode)) {
        int error = S_ISREG(status.st_mode) ? errno : EINVAL;
        close(*fd);
        return error;
    }
    if (status.st_size == 0)
        own_file(path, *fd);
    *size = (uint64_t)status.st_size;
    return 0;
}

static int write_whole(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text += n;
        len -= (size_t)n;
    }
    return 0;
}

static int rotate(const char *path)
{
    char previous[PATH_MAX];
    if (snprintf(previous, sizeof previous, "%s.1", path) >= (int)sizeof previous)
        return ENAMETOOLONG;
    return rename(path, previous) < 0 ? errno : 0;
}

int rotatefile_append(const char *path, uint64_t most, const char *text, size_t len)
{
    uint64_t size;
    int fd, error = open_file(path, &size, &fd);
    if (error)
        return error;
    if (size > 0 && size + len > most) {
        close(fd);
        error = rotate(path);
        if (!error)
            error = open_file(path, &size, &fd);
        if (error)
            return error;
    }
    error = write_whole(fd, text, len);
    if (error && ftruncate(fd, (off_t)size) < 0)
        error = errno;
    if (!error && fdatasync(fd) < 0)
        error = errno;
    if (close(fd) < 0 && !error)
        error = errno;
    return error;
}
