#include "base/atomicfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Gives a file the owner, group and mode of another file. Owner and group -1 leave both as they
 * are. */
static int look_like(int fd, const struct stat *other)
{
    struct stat own;
    if (fstat(fd, &own) < 0)
        return errno;
    bool same =
        other->st_uid == (uid_t)-1 || (own.st_uid == other->st_uid && own.st_gid == other->st_gid);
    if (!same && fchown(fd, other->st_uid, other->st_gid) < 0)
        return errno;
    return fchmod(fd, other->st_mode & 07777) < 0 ? errno : 0;
}

/* If like is NULL, the file gets mode 0600 and the owner of the directory. */
static int make(int dir, const char *name, const void *bytes, size_t len, const struct stat *like)
{
    /* A file that a killed process left over is removed, not opened: it may be anything by now. */
    unlinkat(dir, name, 0);
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    int error = fchmod(fd, 0600) < 0 ? errno : write_all(fd, bytes, len);
    if (!like)
        directory_own(dir, fd);
    else if (!error)
        error = look_like(fd, like);
    if (!error && fsync(fd) < 0)
        error = errno;
    if (close(fd) < 0 && !error)
        error = errno;
    return error;
}

/* The link is made under a temporary name and renamed, so that NAME.1 exists at any time. */
static int keep_previous(int dir, const char *name, const char *kept, const char *temporary)
{
    unlinkat(dir, temporary, 0);
    int error = 0;
    if (linkat(dir, name, dir, temporary, 0) < 0)
        error = errno;
    else if (renameat(dir, temporary, dir, kept) < 0)
        error = errno;
    /* rename(2) leaves both names alone if they are links to the same file already. */
    unlinkat(dir, temporary, 0);
    /* There is no previous file, or the file system has no hard links: link(2). */
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

static int replace(int dir, const char *name, const void *bytes, size_t len, bool keep,
                   const struct stat *like)
{
    struct names names;
    int error = make_names(&names, name);
    if (error)
        return error;
    error = make(dir, names.temporary, bytes, len, like);
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
    int error = replace(fd, name, bytes, len, keep, NULL);
    close(fd);
    return error;
}

/* Fills in what the file is now or, if it does not exist, what a new one is to be. */
static int look_at(int dir, const char *name, mode_t mode, struct stat *file)
{
    if (fstatat(dir, name, file, AT_SYMLINK_NOFOLLOW) == 0)
        return S_ISREG(file->st_mode) ? 0 : S_ISDIR(file->st_mode) ? EISDIR : EINVAL;
    *file = (struct stat){.st_uid = (uid_t)-1, .st_gid = (gid_t)-1, .st_mode = mode};
    return errno == ENOENT ? 0 : errno;
}

int atomicfile_replace(const char *path, const void *bytes, size_t len, mode_t mode)
{
    char whole[PATH_MAX];
    struct stat file;
    if (!realpath(path, whole)) {
        if (errno != ENOENT)
            return errno;
        if (snprintf(whole, sizeof whole, "%s%s", strchr(path, '/') ? "" : "./", path) >=
            (int)sizeof whole)
            return ENAMETOOLONG;
    }
    char *name = strrchr(whole, '/');
    *name++ = '\0';
    int dir = open(whole[0] ? whole : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return errno;
    int error = name[0] ? look_at(dir, name, mode, &file) : EISDIR;
    if (!error)
        error = replace(dir, name, bytes, len, false, &file);
    close(dir);
    return error;
}
