#include "base/atomicfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"

static int write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            return EIO;
        bytes += n;
        len -= (size_t)n;
    }
    return 0;
}

static int make(int dir, const char *name, const void *bytes, size_t len)
{
    /* A left-over of a killed process is removed, not opened: it may be anything by now. */
    unlinkat(dir, name, 0);
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    int error = fchmod(fd, 0600) < 0 ? errno : write_all(fd, bytes, len);
    directory_own(dir, fd);
    if (!error && fsync(fd) < 0)
        error = errno;
    if (close(fd) < 0 && !error)
        error = errno;
    return error;
}

/* The link is made under a name of its own and renamed, so that there is a NAME.1 at any time. */
static int keep_previous(int dir, const char *name, const char *kept, const char *temporary)
{
    unlinkat(dir, temporary, 0);
    int error = 0;
    if (linkat(dir, name, dir, temporary, 0) < 0)
        error = errno;
    else if (renameat(dir, temporary, dir, kept) < 0)
        error = errno;
    /* rename(2) leaves both names alone where they are links to the same file already. */
    unlinkat(dir, temporary, 0);
    /* No previous file, or no hard links here: link(2). */
    return error == ENOENT || error == EPERM || error == EOPNOTSUPP ? 0 : error;
}

struct names {
    char temporary[NAME_MAX + 1];
    char kept[NAME_MAX + 1];
    char kept_temporary[NAME_MAX + 1];
};

static int make_names(struct names *names, const char *name)
{
    int n = snprintf(names->kept_temporary, sizeof names->kept_temporary, "%s.1.new", name);
    if (n < 0 || (size_t)n >= sizeof names->kept_temporary)
        return ENAMETOOLONG;
    snprintf(names->temporary, sizeof names->temporary, "%s.new", name);
    snprintf(names->kept, sizeof names->kept, "%s.1", name);
    return 0;
}

static int replace(int dir, const char *name, const void *bytes, size_t len, bool keep)
{
    struct names names;
    int error = make_names(&names, name);
    if (error)
        return error;
    error = make(dir, names.temporary, bytes, len);
    if (!error && keep)
        error = keep_previous(dir, name, names.kept, names.kept_temporary);
    if (!error && renameat(dir, names.temporary, dir, name) < 0)
        error = errno;
    if (error)
        unlinkat(dir, names.temporary, 0);
    else if (fsync(dir) < 0)
        error = errno;
    return error;
}

int atomicfile_write(const char *dir, const char *name, const void *bytes, size_t len, bool keep)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = replace(fd, name, bytes, len, keep);
    close(fd);
    return error;
}
