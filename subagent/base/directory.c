#include "base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void directory_own(int dir, int fd)
{
    struct stat owner, own;
    if (geteuid() != 0 || fstat(dir, &owner) < 0 || fstat(fd, &own) < 0)
        return;
    if (owner.st_uid == own.st_uid && owner.st_gid == own.st_gid)
        return;
    int refused = fchown(fd, owner.st_uid, owner.st_gid);
    (void)refused;
}

static int open_lock(const char *dir, int *lock)
{
    struct stat status;
    int folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return errno;
    /* It is opened for writing, because NFS gives an exclusive lock only on a file opened for
     * writing. */
    *lock = openat(folder, DIRECTORY_LOCK,
                   O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    int error = *lock < 0 ? errno : 0;
    if (!error && fstat(*lock, &status) < 0)
        error = errno;
    if (!error && !S_ISREG(status.st_mode))
        error = EINVAL;
    if (!error)
        directory_own(folder, *lock);
    close(folder);
    return error;
}

/* The process that took the lock last wrote its number there; the lock may be held by another
 * program now. */
static pid_t read_holder(int lock)
{
    char text[24] = "";
    ssize_t n = pread(lock, text, sizeof text - 1, 0);
    long pid = n > 0 ? strtol(text, NULL, 10) : 0;
    bool runs = pid > 0 && (kill((pid_t)pid, 0) == 0 || errno == EPERM);
    return runs ? (pid_t)pid : 0;
}

/* If the disk is full, the number of this process cannot be written; the lock holds all the same.
 */
static void sign(int lock)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%d\n", (int)getpid());
    int failed = pwrite(lock, text, (size_t)len, 0) != len || ftruncate(lock, len) < 0;
    (void)failed;
}

/* A lock on a file that was removed between open and flock keeps out nobody who comes later. */
static int take_lock(int lock, pid_t *holder)
{
    struct stat status;
    if (flock(lock, LOCK_EX | LOCK_NB) < 0) {
        int error = errno == EWOULDBLOCK ? EBUSY : errno;
        *holder = error == EBUSY ? read_holder(lock) : 0;
        return error;
    }
    if (fstat(lock, &status) < 0)
        return errno;
    return status.st_nlink > 0 ? 0 : ESTALE;
}

/* This uses flock(2), not fcntl(2): POSIX locks are lost when any descriptor of the file is closed,
 * and by fork(2). Locks of open file descriptions (F_OFD_SETLK) name no process, while lslocks(8)
 * shows the process that holds this one; and a script that copies the directory can take it by
 * flock(1). */
int directory_lock(const char *dir, int *lock, pid_t *holder)
{
    int error;
    *holder = 0;
    do {
        *lock = -1;
        error = open_lock(dir, lock);
        if (!error)
            error = take_lock(*lock, holder);
        if (error && *lock >= 0)
            close(*lock);
    } while (error == ESTALE);
    if (error)
        *lock = -1;
    else
        sign(*lock);
    return error;
}
