#include "libdcamp/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libdcamp/segment.h"

/* Names of files of earlier images of a process: NAME.1 and so on. */
#define ASIDE_MAX 9

/* How often an allocation is repeated if signals interrupt it. */
#define ATTEMPTS 100

#define PATH_OF_FILE "%s/%ld.%llu"

static void path_of(char *path, const char *directory, uint64_t start_time)
{
    snprintf(path, PATH_MAX, PATH_OF_FILE, directory, (long)getpid(),
             (unsigned long long)start_time);
}

/* The name of the program, in parentheses, may contain blanks and parentheses: field 3 begins after
 * the last ')'. */
uint64_t dcamp_file_start_time(const char *stat)
{
    const char *field = strrchr(stat, ')');
    for (int n = 2; field && n < 22; n++) {
        field = strchr(field, ' ');
        field = field ? field + 1 : NULL;
    }
    return field ? strtoull(field, NULL, 10) : 0;
}

static int read_start_time(uint64_t *start_time)
{
    char stat[1024];
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    ssize_t n = read(fd, stat, sizeof stat - 1);
    int error = n < 0 ? errno : 0;
    close(fd);
    if (error)
        return error;
    stat[n] = '\0';
    *start_time = dcamp_file_start_time(stat);
    return *start_time ? 0 : EPROTO;
}

/* Whether somebody holds the lock of the file, or it cannot be found out. If the lock is a POSIX
 * lock of this very process, such as that of a segment in Java, closing any descriptor of the file
 * would release it: so the descriptor is left open. */
static bool is_alive(const char *path)
{
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return true;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool alive = fcntl(fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
    if (lock.l_type == F_UNLCK || lock.l_pid != getpid())
        close(fd);
    return alive;
}

/* An earlier image of this process has left its file. It is renamed, so that the reader can read it
 * once more. If there are too many of them, nobody is reading, and the file is removed. */
static int set_aside(const char *path)
{
    char aside[PATH_MAX + 4];
    if (is_alive(path))
        return EEXIST;
    for (int n = 1; n <= ASIDE_MAX; n++) {
        snprintf(aside, sizeof aside, "%s.%c", path, (char)('0' + n));
        if (renameat2(AT_FDCWD, path, AT_FDCWD, aside, RENAME_NOREPLACE) == 0)
            return 0;
        if (errno != EEXIST)
            break;
    }
    return unlink(path) == 0 ? 0 : errno;
}

static int open_new(const char *path)
{
    return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, SEGMENT_MODE);
}

static int open_file(struct file *file, const char *path)
{
    file->fd = open_new(path);
    int error = file->fd < 0 ? errno : 0;
    if (error == EEXIST) {
        error = set_aside(path);
        file->fd = error ? -1 : open_new(path);
        if (!error && file->fd < 0)
            error = errno;
    }
    return error;
}

/* The mode must not depend on the umask, because dcampd reads the file as its group. */
static int prepare(struct file *file)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    if (fcntl(file->fd, F_OFD_SETLK, &lock) < 0 || fchmod(file->fd, SEGMENT_MODE) < 0 ||
        fstat(file->fd, &status) < 0)
        return errno;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    return 0;
}

static int map(struct file *file, int protection, int flags, int fd)
{
    void *base = mmap(NULL, SEGMENT_SIZE_MAX, protection, flags, fd, 0);
    file->base = base == MAP_FAILED ? NULL : base;
    return file->base ? 0 : errno;
}

/* Addresses beyond the end of the file are not accessible: otherwise Valgrind, which reads all
 * accessible memory when a process ends, would get a signal for each word, for ten seconds. */
static int open_up(const struct file *file, uint64_t from, uint64_t size)
{
    return mprotect(file->base + from, size, PROT_READ | PROT_WRITE) < 0 ? errno : 0;
}

static int fill(struct file *file, const char **step)
{
    *step = "cannot be locked";
    int error = prepare(file);
    if (!error) {
        *step = "cannot be allocated";
        error = dcamp_file_allocate(file, 0, SEGMENT_EXTENT);
    }
    if (!error) {
        *step = "cannot be mapped";
        error = map(file, PROT_NONE, MAP_SHARED, file->fd);
    }
    if (!error)
        error = open_up(file, 0, SEGMENT_EXTENT);
    return error;
}

int dcamp_file_create(struct file *file, const char *directory, uint64_t *start_time,
                      const char **step)
{
    char path[PATH_MAX];
    *file = (struct file){.fd = -1};
    *step = "has no /proc/self/stat to take its name from";
    int error = read_start_time(start_time);
    if (error)
        return error;
    path_of(path, directory, *start_time);
    *step = "cannot be created";
    error = open_file(file, path);
    if (!error && (error = fill(file, step)))
        dcamp_file_undo(file, directory, *start_time);
    return error;
}

int dcamp_file_pretend(struct file *file)
{
    file->fd = -1;
    return map(file, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
}

/* If the file grew beyond the limit, the kernel would send SIGXFSZ, which ends the program. */
static int check_limit(uint64_t end)
{
    struct rlimit limit;
    if (end > SEGMENT_SIZE_MAX)
        return EFBIG;
    if (getrlimit(RLIMIT_FSIZE, &limit) < 0)
        return errno;
    return limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < end ? EFBIG : 0;
}

static bool is_still_ours(const struct file *file)
{
    struct stat status;
    return file->fd >= 0 && fstat(file->fd, &status) == 0 && status.st_dev == file->device &&
           status.st_ino == file->inode;
}

/* posix_fallocate(3) is not used: if the file system does not support it, it reads and writes zero
 * octets where other threads may have begun to count. */
int dcamp_file_allocate(const struct file *file, uint64_t from, uint64_t size)
{
    int error = check_limit(from + size);
    if (!error && !is_still_ours(file))
        error = EBADF;
    if (error)
        return error;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        error = fallocate(file->fd, 0, (off_t)from, (off_t)size) < 0 ? errno : 0;
        if (error != EINTR)
            break;
    }
    return error || !file->base ? error : open_up(file, from, size);
}

/* Without this, the lock would last as long as the memory is mapped, or as a page fault of another
 * thread that is under way. */
static void unlock(const struct file *file)
{
    struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    if (is_still_ours(file))
        fcntl(file->fd, F_OFD_SETLK, &lock);
}

void dcamp_file_close(struct file *file)
{
    unlock(file);
    if (is_still_ours(file))
        close(file->fd);
    file->fd = -1;
}

/* The addresses stay mapped, because a thread may be between finding one and writing to it. */
void dcamp_file_leave(struct file *file)
{
    if (file->base && file->fd < 0)
        madvise(file->base, SEGMENT_SIZE_MAX, MADV_DONTNEED);
    else if (file->base &&
             mmap(file->base, SEGMENT_SIZE_MAX, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        munmap(file->base, SEGMENT_SIZE_MAX);
    if (is_still_ours(file))
        close(file->fd);
    *file = (struct file){.fd = -1};
}

void dcamp_file_release(struct file *file)
{
    unlock(file);
    dcamp_file_leave(file);
}

void dcamp_file_undo(struct file *file, const char *directory, uint64_t start_time)
{
    char path[PATH_MAX];
    path_of(path, directory, start_time);
    unlink(path);
    dcamp_file_release(file);
}
