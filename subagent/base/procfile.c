#include "base/procfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FIRST_CAPACITY ((size_t)4096)
/* 16 MiB: far above /proc/stat of the largest machine. A file without end must not eat memory. */
#define LAST_CAPACITY (FIRST_CAPACITY << 12)

/* The root without the slashes at its end, since the path brings its own. */
static int root_length(const char *root)
{
    size_t length = strlen(root);
    while (length > 0 && root[length - 1] == '/')
        length--;
    return (int)length;
}

int procfile_open(int dirfd, const char *path)
{
    return openat(dirfd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

int procfile_path(char *joined, size_t size, const char *root, const char *path)
{
    int length = snprintf(joined, size, "%.*s%s", root_length(root), root, path);
    return length >= 0 && (size_t)length < size ? 0 : ENAMETOOLONG;
}

int procfile_init(struct procfile *file, const char *root, const char *path)
{
    *file = (struct procfile){.fd = -1};
    size_t size = strlen(root) + strlen(path) + 1;
    file->path = malloc(size);
    return file->path ? procfile_path(file->path, size, root, path) : ENOMEM;
}

static void close_file(struct procfile *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

void procfile_release(struct procfile *file)
{
    close_file(file);
    free(file->text);
    free(file->path);
    *file = (struct procfile){.fd = -1};
}

static int file_grow(struct procfile *file)
{
    size_t capacity = file->capacity ? 2 * file->capacity : FIRST_CAPACITY;
    if (capacity > LAST_CAPACITY)
        return EFBIG;
    char *text = realloc(file->text, capacity);
    if (!text)
        return ENOMEM;
    file->text = text;
    file->capacity = capacity;
    return 0;
}

static ssize_t read_at(int fd, char *text, size_t size, size_t offset)
{
    ssize_t got;
    do
        got = pread(fd, text, size, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got;
}

/* A read of a seq_file gives as many whole records as fit in a page, and does not say whether they
 * were the last. All files here have records shorter than half a page, so that after less than half
 * a page another record would have fitted: there is none, and the read that would give 0 is spared.
 */
#define SURELY_WHOLE 2048

/* Makes one pass into the buffer as it is. ENOSPC: the buffer was filled, so that there may be
 * more. A short read is not the end: a seq_file of many records (net/dev, diskstats) gives about a
 * page at a time, and goes on where it was as long as the offsets follow each other (fs/seq_file.c,
 * seq_read_iter). */
static int read_pass(struct procfile *file)
{
    size_t room = file->capacity - 1;
    file->length = 0;
    while (file->length < room) {
        ssize_t got =
            read_at(file->fd, file->text + file->length, room - file->length, file->length);
        if (got < 0)
            return errno;
        file->length += (size_t)got;
        if (got == 0 || (file->length < SURELY_WHOLE && file->length < room)) {
            file->text[file->length] = '\0';
            return 0;
        }
    }
    return ENOSPC;
}

/* If the buffer was full, it is grown and the file is read again from 0, not continued: the files
 * that the kernel makes in one piece (stat, meminfo) are consistent only within one read. The
 * buffer keeps its size, so that this happens once. */
static int read_whole(struct procfile *file)
{
    int error = file->capacity ? read_pass(file) : ENOSPC;
    while (error == ENOSPC) {
        error = file_grow(file);
        if (!error)
            error = read_pass(file);
    }
    return error;
}

static int open_file(struct procfile *file)
{
    file->fd = procfile_open(AT_FDCWD, file->path);
    return file->fd < 0 ? errno : 0;
}

int procfile_read(struct procfile *file)
{
    if (file->fd >= 0 && read_whole(file) == 0)
        return 0;
    /* The kept handle may have become stale (ESTALE, ENODEV) while the name is valid again. */
    close_file(file);
    int error = open_file(file);
    if (!error)
        error = read_whole(file);
    if (error) {
        close_file(file);
        file->length = 0;
    }
    return error;
}

int procfile_read_once(int dirfd, const char *path, char *text, size_t size)
{
    int fd = procfile_open(dirfd, path);
    if (fd < 0)
        return errno;
    size_t length = 0;
    ssize_t got;
    do {
        got = read_at(fd, text + length, size - 1 - length, length);
        length += got > 0 ? (size_t)got : 0;
    } while (got > 0 && length < size - 1);
    int error = got < 0 ? errno : 0;
    close(fd);
    text[error ? 0 : length] = '\0';
    return error;
}
