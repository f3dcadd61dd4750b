#include "publish/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/atomicfile.h"
#include "base/directory.h"
#include "base/log.h"
#include "base/text.h"
#include "publish/outdir.h"

#define STATE_FORMAT "dcamp-sink-files 1\n"
#define STATE_MAX (64 << 20)

struct outfile {
    char *directory, *name, *suffix, *header;
    char state_name[NAME_SIZE + 8];
    uint64_t rotate, limit;
    int lock;
    struct positions *positions;
    /* What the state says. */
    char current[OUTDIR_NAME_SIZE]; /* "": there is none */
    uint64_t length, inode;    /* inode 0: the file is still to be made, and nothing of it counts */
    char day[OUTDIR_DAY_SIZE]; /* of the current one */
    uint64_t others;           /* octets of the files before it */
};

/* -- Errors ---------------------------------------------------------------------------------- */

static int say(const struct outfile *file, char error[SINK_ERROR_SIZE], const char *name, int why)
{
    text_format(error, SINK_ERROR_SIZE, "%s%s%s: %s", file->directory, name[0] ? "/" : "", name,
                why == EMLINK ? "is a symbolic link" : strerror(why));
    return why == EMLINK ? EINVAL : why;
}

/* -- The state ------------------------------------------------------------------------------- */

/* taken: including the blocks that are being committed. */
static void compose_state(const struct outfile *file, bool taken, struct octets *text)
{
    char line[OUTDIR_NAME_SIZE + 64];
    octets_add_text(text, STATE_FORMAT);
    text_format(line, sizeof line, "file %" PRIu64 " %" PRIu64 " %s\n", file->length, file->inode,
                file->current);
    octets_add_text(text, line);
    positions_write(file->positions, taken, text);
}

/* Reads the state; nothing if there is no such file. */
static int read_state(const struct outfile *file, struct octets *text)
{
    char path[PATH_MAX], part[4096];
    struct stat status;
    text_format(path, sizeof path, "%s/%s", file->directory, file->state_name);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : errno == ELOOP ? EMLINK : errno;
    int error = fstat(fd, &status) < 0 ? errno : S_ISREG(status.st_mode) ? 0 : EINVAL;
    while (!error) {
        ssize_t n = read(fd, part, sizeof part);
        if (n <= 0) {
            error = n < 0 ? errno : 0;
            break;
        }
        octets_add(text, part, (size_t)n);
        error = text->failed ? ENOMEM : text->len > STATE_MAX ? EFBIG : 0;
    }
    close(fd);
    return error;
}

/* The state may have been written although that was said to have failed, if only its directory
 * could not be synchronized. The lines were on the disk before: both states are right then, and the
 * one that is read counts. */
static bool is_state(const struct outfile *file, const struct octets *text)
{
    struct octets there = {0};
    bool same = !read_state(file, &there) && there.len == text->len &&
                memcmp(there.at, text->at, text->len) == 0;
    octets_release(&there);
    return same;
}

static int write_state(const struct outfile *file, bool taken)
{
    struct octets text = {0};
    compose_state(file, taken, &text);
    int error = text.failed
                    ? ENOMEM
                    : atomicfile_write(file->directory, file->state_name, text.at, text.len, false);
    if (error && !text.failed && is_state(file, &text))
        error = 0;
    octets_release(&text);
    return error;
}

static bool take_file_line(struct outfile *file, const char *line, size_t len)
{
    char text[OUTDIR_NAME_SIZE + 64];
    int at = 0;
    text_format(text, sizeof text, "%.*s", (int)len - 1, line);
    if (len >= sizeof text ||
        sscanf(text, "file %" SCNu64 " %" SCNu64 "%n", &file->length, &file->inode, &at) != 2 ||
        text[at] != ' ' || strlen(text + at + 1) >= sizeof file->current)
        return false;
    strcpy(file->current, text + at + 1);
    return file->current[0] == '\0' ||
           outdir_day_of(file->name, file->suffix, file->current, file->day);
}

static int take_state(struct outfile *file, const struct octets *text)
{
    const char *at = text->at, *end = text->at + text->len;
    for (unsigned n = 0; at < end; n++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline)
            return EBADMSG;
        size_t len = (size_t)(newline + 1 - at);
        int error = 0;
        if (n == 0)
            error = len == strlen(STATE_FORMAT) && memcmp(at, STATE_FORMAT, len) == 0 ? 0 : EBADMSG;
        else if (n == 1)
            error = take_file_line(file, at, len) ? 0 : EBADMSG;
        else
            error = positions_read(file->positions, at, len);
        if (error)
            return error;
        at = newline + 1;
    }
    return 0;
}

static int load_state(struct outfile *file, char error[SINK_ERROR_SIZE])
{
    struct octets text = {0};
    int failed = read_state(file, &text);
    if (!failed)
        failed = take_state(file, &text);
    octets_release(&text);
    if (failed == EBADMSG) {
        text_format(error, SINK_ERROR_SIZE,
                    "%s/%s: not what a sink has written: move it away, and all that is there still "
                    "is written once more",
                    file->directory, file->state_name);
        return failed;
    }
    return failed ? say(file, error, file->state_name, failed) : 0;
}

/* -- The current file ------------------------------------------------------------------------ */

static void forget_current(struct outfile *file)
{
    file->current[0] = file->day[0] = '\0';
    file->length = file->inode = 0;
}

/* Somebody has changed the file, such as an editor or an operator: it is not written to any more.
 */
static int leave_current(struct outfile *file, const char *what)
{
    log_warning("publish", "%s/%s %s: a new file is begun", file->directory, file->current, what);
    forget_current(file);
    return 0;
}

/* What is wrong with the file that has its name; NULL: nothing. */
static const char *fault_of(const struct outfile *file, const struct stat *status)
{
    if (!S_ISREG(status->st_mode) || status->st_ino != file->inode)
        return "is another file than that which was written, and stays as it is";
    if ((uint64_t)status->st_size < file->length)
        return "is shorter than what was written, and stays as it is";
    return NULL;
}

/* Opens the current file, and cuts off what was not committed. *fd -1: there is none. */
static int open_current(struct outfile *file, int dir, int *fd)
{
    struct stat status;
    *fd = -1;
    if (!file->current[0])
        return 0;
    if (file->inode == 0) {
        /* The file was still to be made: whatever is there does not count. */
        if (unlinkat(dir, file->current, 0) < 0 && errno != ENOENT)
            return errno;
        forget_current(file);
        return 0;
    }
    if (fstatat(dir, file->current, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? leave_current(file, "is gone") : errno;
    const char *fault = fault_of(file, &status);
    if (fault)
        return leave_current(file, fault);
    *fd = openat(dir, file->current, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (*fd < 0)
        return errno;
    int error = fstat(*fd, &status) < 0 ? errno : fault_of(file, &status) ? EAGAIN : 0;
    if (!error && (uint64_t)status.st_size > file->length &&
        ftruncate(*fd, (off_t)file->length) < 0)
        error = errno;
    if (error) {
        close(*fd);
        *fd = -1;
    }
    return error;
}

/* Plans a new file in the state, and makes it. The state of the streams stays as it was. */
static int make_current(struct outfile *file, int dir, int64_t now_ms, int *fd)
{
    struct stat status;
    char day[OUTDIR_DAY_SIZE], name[OUTDIR_NAME_SIZE];
    outdir_day(day, now_ms);
    int error = outdir_next(dir, file->name, file->suffix, day, name);
    if (error)
        return error;
    forget_current(file);
    strcpy(file->current, name);
    strcpy(file->day, day);
    error = write_state(file, false);
    if (error) {
        forget_current(file);
        return error;
    }
    *fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0640);
    if (*fd < 0) {
        error = errno;
        forget_current(file); /* the file that has that name is not ours */
        return error;
    }
    directory_own(dir, *fd);
    if (fsync(dir) < 0 || fstat(*fd, &status) < 0)
        error = errno;
    file->inode = error ? 0 : status.st_ino;
    if (error) {
        close(*fd);
        *fd = -1;
    }
    return error;
}

static bool is_full(const struct outfile *file, const char *day, size_t more)
{
    return strcmp(day, file->day) != 0 ||
           (file->rotate > 0 && file->length > strlen(file->header) &&
            file->length + more > file->rotate);
}

/* Writes the lines in one write(2), if the system takes them so. Room is allocated before, so that
 * readers find no part of a line if the disk is full. */
static int append(int fd, uint64_t length, const char *at, size_t len)
{
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)length, (off_t)len) < 0 && errno != EOPNOTSUPP &&
        errno != ENOSYS)
        return errno;
    while (len > 0) {
        ssize_t n = pwrite(fd, at, len, (off_t)length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        at += n;
        len -= (size_t)n;
        length += (uint64_t)n;
    }
    return fdatasync(fd) < 0 ? errno : 0;
}

static int append_lines(const struct outfile *file, int fd, const struct octets *lines,
                        uint64_t *length)
{
    struct octets whole = {0};
    const struct octets *all = lines;
    if (file->length == 0) {
        octets_add_text(&whole, file->header);
        octets_add(&whole, lines->at, lines->len);
        all = &whole;
    }
    int error = all->failed ? ENOMEM : append(fd, file->length, all->at, all->len);
    /* Room that was allocated beyond the end is given back, too; if this fails, the next commit
     * does it. */
    if (error && ftruncate(fd, (off_t)file->length) < 0)
        log_warning("publish", "%s/%s: what was not committed stays for now: %s", file->directory,
                    file->current, strerror(errno));
    *length = file->length + all->len;
    octets_release(&whole);
    return error;
}

/* -- Opening, committing --------------------------------------------------------------------- */

/* Opens the file to write to, with enough room below the limit. */
static int ready(struct outfile *file, int dir, size_t more, int64_t now_ms, int *fd)
{
    char day[OUTDIR_DAY_SIZE];
    outdir_day(day, now_ms);
    int error = open_current(file, dir, fd);
    if (!error && (*fd < 0 || is_full(file, day, more))) {
        if (*fd >= 0)
            close(*fd);
        *fd = -1;
        error = make_current(file, dir, now_ms, fd);
        if (!error)
            error = outdir_size(dir, file->name, file->suffix, file->current, &file->others);
    }
    if (!error && file->limit > 0 && file->others + file->length + more > file->limit) {
        uint64_t most = file->length + more < file->limit ? file->limit - file->length - more : 0;
        error = outdir_trim(file->directory, dir, file->name, file->suffix, file->current, most,
                            &file->others);
    }
    return error;
}

static int commit_in(struct outfile *file, int dir, const struct octets *lines, int64_t now_ms)
{
    int fd = -1;
    uint64_t length = 0;
    int error = ready(file, dir, lines->len + strlen(file->header), now_ms, &fd);
    if (!error)
        error = append_lines(file, fd, lines, &length);
    uint64_t before = file->length;
    if (!error) {
        file->length = length;
        error = write_state(file, true);
        if (error)
            file->length = before;
        if (error && ftruncate(fd, (off_t)before) < 0)
            log_warning("publish", "%s/%s: what was not committed stays for now: %s",
                        file->directory, file->current, strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    /* Of a new file, the state says only that it is to be made. */
    if (error && before == 0)
        file->inode = 0;
    return error;
}

int outfile_commit(struct outfile *file, const struct octets *lines, int64_t now_ms,
                   char error[SINK_ERROR_SIZE])
{
    int failed = lines->failed ? ENOMEM : 0;
    const char *place = "";
    if (!failed && lines->len == 0) {
        failed = write_state(file, true);
        place = file->state_name;
    } else if (!failed) {
        int dir = open(file->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        failed = dir < 0 ? errno : commit_in(file, dir, lines, now_ms);
        place = dir < 0 ? "" : file->current;
        if (dir >= 0)
            close(dir);
    }
    if (!failed) {
        positions_commit(file->positions);
        return 0;
    }
    positions_undo(file->positions);
    return say(file, error, place, failed);
}

static int take_directory(struct outfile *file, char error[SINK_ERROR_SIZE])
{
    pid_t holder = 0;
    int failed = mkdir(file->directory, 0750) < 0 && errno != EEXIST ? errno : 0;
    if (!failed)
        failed = directory_lock(file->directory, &file->lock, &holder);
    if (failed == EBUSY)
        text_format(error, SINK_ERROR_SIZE,
                    "%s: process %d writes there already: each sink has a directory of its own",
                    file->directory, (int)holder);
    return failed == EBUSY || !failed ? failed : say(file, error, "", failed);
}

/* What was not committed is cut off at once, so that readers of the file need not wait for that. */
static int look_at_current(struct outfile *file, char error[SINK_ERROR_SIZE])
{
    int fd = -1, dir = open(file->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return say(file, error, "", errno);
    char name[OUTDIR_NAME_SIZE];
    strcpy(name, file->current);
    int failed = open_current(file, dir, &fd);
    if (!failed)
        failed = outdir_size(dir, file->name, file->suffix, file->current, &file->others);
    if (fd >= 0)
        close(fd);
    close(dir);
    return failed ? say(file, error, name, failed) : 0;
}

int outfile_open(const struct outfile_settings *settings, struct outfile **opened,
                 char error[SINK_ERROR_SIZE])
{
    struct outfile *file = calloc(1, sizeof *file);
    if (!file) {
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    uint64_t part = settings->limit / 4;
    file->lock = -1;
    file->limit = settings->limit;
    file->rotate =
        part > 0 && (settings->rotate == 0 || settings->rotate > part) ? part : settings->rotate;
    file->directory = strdup(settings->directory);
    file->name = strdup(settings->name);
    file->suffix = strdup(settings->suffix);
    file->header = strdup(settings->header);
    file->positions = positions_new();
    text_format(file->state_name, sizeof file->state_name, "%s.state", settings->name);
    int failed = ENOMEM;
    if (file->directory && file->name && file->suffix && file->header && file->positions)
        failed = take_directory(file, error);
    else
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
    if (!failed)
        failed = load_state(file, error);
    if (!failed)
        failed = look_at_current(file, error);
    if (failed)
        outfile_close(file);
    else
        *opened = file;
    return failed;
}

void outfile_close(struct outfile *file)
{
    if (!file)
        return;
    if (file->lock >= 0)
        close(file->lock);
    positions_free(file->positions);
    free(file->directory);
    free(file->name);
    free(file->suffix);
    free(file->header);
    free(file);
}

struct positions *outfile_positions(const struct outfile *file)
{
    return file->positions;
}
