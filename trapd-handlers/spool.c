#include "trapd-handlers/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "dcampS1\n"
#define SEGMENT_SIZE (UINT64_C(1) << 20)
#define READ_SIZE (64 << 10)

#define NAME_MAX_SIZE 32

static void segment_name(uint64_t segment, char name[NAME_MAX_SIZE])
{
    snprintf(name, NAME_MAX_SIZE, "%010" PRIu64 ".json", segment);
}

/* -- Opening -------------------------------------------------------------------------------- */

static bool segment_of_name(const char *name, uint64_t *segment)
{
    char again[NAME_MAX_SIZE];
    *segment = strtoull(name, NULL, 10);
    segment_name(*segment, again);
    return strcmp(name, again) == 0;
}

/* A new state takes its segment numbers from the files that exist. */
static void find_segments(struct spool *spool)
{
    struct spool_state *state = spool->state;
    uint64_t lowest = UINT64_MAX, highest = 0, segment;
    int copy = dup(spool->dir);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    for (const struct dirent *entry; dir && (entry = readdir(dir));)
        if (segment_of_name(entry->d_name, &segment)) {
            lowest = segment < lowest ? segment : lowest;
            highest = segment > highest ? segment : highest;
        }
    if (dir)
        closedir(dir);
    state->intake.oldest = state->delivery.position.segment = lowest == UINT64_MAX ? 1 : lowest;
    state->intake.newest = lowest == UINT64_MAX ? 1 : highest;
}

/* After a power failure, the state may be ahead of the segments, and one page of it ahead of
 * another. Without this check, what is then written into a segment before the position would never
 * be delivered. */
static void check_position(struct spool *spool)
{
    struct spool_position *position = &spool->state->delivery.position;
    if (spool->state->intake.newest < position->segment)
        spool->state->intake.newest = position->segment;
    struct stat status;
    char name[NAME_MAX_SIZE];
    segment_name(position->segment, name);
    off_t size = fstatat(spool->dir, name, &status, 0) == 0 ? status.st_size : 0;
    if (position->offset > (uint64_t)size)
        position->offset = (uint64_t)size;
}

/* Blocks are allocated before the file is mapped: a full disk must fail here, not in the middle of
 * a memory access. */
static int map_state(struct spool *spool)
{
    int fd = openat(spool->dir, "state", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    struct stat status;
    int error = fstat(fd, &status) != 0 ? errno : 0;
    if (!error && (uint64_t)status.st_size < sizeof *spool->state)
        error = posix_fallocate(fd, 0, sizeof *spool->state);
    void *at = MAP_FAILED;
    if (!error) {
        at = mmap(NULL, sizeof *spool->state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = at == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (error)
        return error;
    spool->state = at;
    if (memcmp(spool->state->magic, MAGIC, sizeof spool->state->magic) != 0) {
        memset(spool->state, 0, sizeof *spool->state);
        find_segments(spool);
        memcpy(spool->state->magic, MAGIC, sizeof spool->state->magic);
    }
    return 0;
}

/* Ends a line that a crash has cut, so that the next line stands alone. */
static int end_last_line(int fd, off_t size)
{
    char last;
    if (size == 0 || pread(fd, &last, 1, size - 1) != 1 || last == '\n')
        return 0;
    return write(fd, "\n", 1) == 1 ? 0 : errno;
}

/* With the intake locked, nobody is writing a line: an incomplete one will never be completed. */
static void mend_newest(const struct spool *spool)
{
    struct stat status;
    char name[NAME_MAX_SIZE];
    segment_name(spool->state->intake.newest, name);
    int fd = openat(spool->dir, name, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &status) == 0)
        end_last_line(fd, status.st_size);
    close(fd);
}

static int open_lock(const struct spool *spool, const char *name, int *fd)
{
    *fd = openat(spool->dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return *fd < 0 ? errno : 0;
}

/* Makes the directory and those above it, as mkdir -p does. */
static int make_directories(const char *path)
{
    char copy[4096];
    if (strlen(path) >= sizeof copy)
        return ENAMETOOLONG;
    strcpy(copy, path);
    for (char *at = copy + 1; *at; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        if (mkdir(copy, 0755) != 0 && errno != EEXIST)
            return errno;
        *at = '/';
    }
    return mkdir(copy, 0700) != 0 && errno != EEXIST ? errno : 0;
}

static int lock(int fd, int how)
{
    int rc;
    do
        rc = flock(fd, how);
    while (rc != 0 && errno == EINTR);
    return rc;
}

/* Called with the intake locked. A process that is delivering has checked the position when it
 * began, and is moving it: segment and offset are two stores, of which another process might see
 * only one. */
static void check_position_alone(struct spool *spool)
{
    if (lock(spool->deliver_lock, LOCK_EX | LOCK_NB) != 0)
        return;
    check_position(spool);
    lock(spool->deliver_lock, LOCK_UN);
}

int spool_open(struct spool *spool, const char *path, uint64_t max_bytes, char *error,
               size_t error_size)
{
    *spool = (struct spool){.dir = -1, .append_lock = -1, .deliver_lock = -1};
    spool->write_fd = spool->read_fd = -1;
    spool->most_segments = max_bytes / SEGMENT_SIZE > 2 ? max_bytes / SEGMENT_SIZE : 2;
    int code = make_directories(path);
    if (!code && (spool->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        code = errno;
    if (!code)
        code = open_lock(spool, "append", &spool->append_lock);
    if (!code)
        code = open_lock(spool, "deliver", &spool->deliver_lock);
    if (!code) {
        spool_lock_intake(spool);
        code = map_state(spool);
        if (!code) {
            check_position_alone(spool);
            mend_newest(spool);
        }
        spool_unlock_intake(spool);
    }
    if (code) {
        snprintf(error, error_size, "spool %s: %s", path, strerror(code));
        spool_close(spool);
    }
    return code;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void spool_close(struct spool *spool)
{
    if (spool->state)
        munmap(spool->state, sizeof *spool->state);
    spool->state = NULL;
    close_fd(&spool->write_fd);
    close_fd(&spool->read_fd);
    close_fd(&spool->append_lock);
    close_fd(&spool->deliver_lock);
    close_fd(&spool->dir);
}

/* -- Intake --------------------------------------------------------------------------------- */

void spool_lock_intake(struct spool *spool)
{
    lock(spool->append_lock, LOCK_EX);
}

void spool_unlock_intake(struct spool *spool)
{
    lock(spool->append_lock, LOCK_UN);
}

static uint64_t count_lines(int fd, uint64_t from)
{
    char chunk[READ_SIZE];
    uint64_t lines = 0;
    for (ssize_t n; (n = pread(fd, chunk, sizeof chunk, (off_t)from)) > 0; from += (uint64_t)n)
        for (ssize_t i = 0; i < n; i++)
            lines += chunk[i] == '\n';
    return lines;
}

static void drop_oldest(struct spool *spool)
{
    struct spool_state *state = spool->state;
    struct spool_position at = state->delivery.position;
    char name[NAME_MAX_SIZE];
    segment_name(state->intake.oldest, name);
    int fd = openat(spool->dir, name, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && at.segment <= state->intake.oldest)
        state->intake.counts.dropped +=
            count_lines(fd, at.segment == state->intake.oldest ? at.offset : 0);
    close_fd(&fd);
    unlinkat(spool->dir, name, 0);
    state->intake.oldest++;
}

static int open_newest(struct spool *spool, off_t *size)
{
    struct stat status;
    char name[NAME_MAX_SIZE];
    uint64_t newest = spool->state->intake.newest;
    bool fresh = spool->write_fd < 0 || spool->write_segment != newest;
    if (fresh) {
        close_fd(&spool->write_fd);
        segment_name(newest, name);
        spool->write_fd = openat(spool->dir, name, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
        if (spool->write_fd < 0)
            return errno;
        spool->write_segment = newest;
    }
    if (fstat(spool->write_fd, &status) != 0)
        return errno;
    *size = status.st_size;
    return fresh ? end_last_line(spool->write_fd, *size) : 0;
}

static int append_whole(int fd, const char *lines, size_t len)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return errno;
    ssize_t n = write(fd, lines, len);
    if (n == (ssize_t)len)
        return 0;
    int code = n < 0 ? errno : ENOSPC;
    if (n > 0 && ftruncate(fd, status.st_size) != 0)
        code = errno;
    return code;
}

int spool_append(struct spool *spool, const char *lines, size_t len)
{
    struct spool_state *state = spool->state;
    off_t size;
    int code = open_newest(spool, &size);
    if (!code && (uint64_t)size >= SEGMENT_SIZE) {
        state->intake.newest++;
        code = open_newest(spool, &size);
    }
    if (!code)
        code = append_whole(spool->write_fd, lines, len);
    if (code)
        return code;
    spool->unsynced = true;
    if (state->intake.oldest < state->delivery.position.segment)
        state->intake.oldest = state->delivery.position.segment;
    while (state->intake.newest - state->intake.oldest >= spool->most_segments)
        drop_oldest(spool);
    return 0;
}

int spool_sync(struct spool *spool)
{
    if (!spool->unsynced || spool->write_fd < 0)
        return 0;
    spool->unsynced = false;
    return fdatasync(spool->write_fd) == 0 ? 0 : errno;
}

/* -- Delivery ------------------------------------------------------------------------------- */

bool spool_lock_delivery(struct spool *spool)
{
    /* A process that opens the spool holds both locks for a moment, without delivering. Taking the
     * intake lock waits for that. */
    spool_lock_intake(spool);
    bool locked = lock(spool->deliver_lock, LOCK_EX | LOCK_NB) == 0;
    spool_unlock_intake(spool);
    return locked;
}

void spool_unlock_delivery(struct spool *spool)
{
    lock(spool->deliver_lock, LOCK_UN);
}

static bool open_segment(struct spool *spool, uint64_t segment)
{
    char name[NAME_MAX_SIZE];
    if (spool->read_fd >= 0 && spool->read_segment == segment)
        return true;
    close_fd(&spool->read_fd);
    segment_name(segment, name);
    spool->read_fd = openat(spool->dir, name, O_RDONLY | O_CLOEXEC);
    spool->read_segment = segment;
    return spool->read_fd >= 0;
}

/* Goes on to the next segment; the one before is done with, and removed. */
static void next_segment(struct spool *spool)
{
    struct spool_position *position = &spool->state->delivery.position;
    char name[NAME_MAX_SIZE];
    close_fd(&spool->read_fd);
    segment_name(position->segment, name);
    *position = (struct spool_position){.segment = position->segment + 1};
    unlinkat(spool->dir, name, 0);
}

static int read_lines(struct spool *spool, struct buffer *lines)
{
    char chunk[READ_SIZE];
    off_t offset = (off_t)spool->state->delivery.position.offset;
    ssize_t n;
    while ((n = pread(spool->read_fd, chunk, sizeof chunk, offset)) > 0) {
        const char *last = memrchr(chunk, '\n', (size_t)n);
        buffer_put(lines, chunk, last ? (size_t)(last - chunk) + 1 : (size_t)n);
        if (last || lines->failed)
            return lines->failed ? ENOMEM : 0;
        offset += n;
    }
    int code = n < 0 ? errno : 0;
    /* The last line is incomplete: it is being written, or a crash has cut it. */
    buffer_clear(lines);
    return code;
}

int spool_read(struct spool *spool, struct buffer *lines)
{
    const struct spool_position *position = &spool->state->delivery.position;
    for (;;) {
        /* Read before the file: if the segment is not the newest one, its present end is final. */
        bool older =
            position->segment < __atomic_load_n(&spool->state->intake.newest, __ATOMIC_ACQUIRE);
        buffer_clear(lines);
        bool there = open_segment(spool, position->segment);
        int code = there ? read_lines(spool, lines) : 0;
        if (code || lines->len > 0 || !older)
            return code;
        next_segment(spool);
    }
}

void spool_advance(struct spool *spool, size_t len)
{
    spool->state->delivery.position.offset += len;
}

bool spool_waits(struct spool *spool)
{
    const struct spool_state *state = spool->state;
    struct stat status;
    char name[NAME_MAX_SIZE];
    if (state->delivery.position.segment < state->intake.newest)
        return true;
    segment_name(state->intake.newest, name);
    return fstatat(spool->dir, name, &status, 0) == 0 &&
           (uint64_t)status.st_size > state->delivery.position.offset;
}
