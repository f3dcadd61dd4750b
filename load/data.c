#include "load/data.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"

#define DATA_END_MS 1000 /* how long a program may go on after its last line */

/* Of a file, all octets are here; of a program, those that were read and not yet used. The newline
 * of a line is replaced by NUL at the latest when the line is handed out. */
struct data {
    char *octets;
    size_t n, room;
    size_t next;      /* where the next line begins */
    size_t seen;      /* so many octets of that line were searched and contain no newline */
    uint64_t n_lines; /* handed out so far */
    bool is_file, is_at_end, has_no_memory;
    int fd;    /* of a program; otherwise -1 */
    pid_t pid; /* of a program; otherwise -1 */
};

static struct data *new_data(char why[FAILURE_TEXT])
{
    struct data *data = calloc(1, sizeof *data);
    if (data)
        *data = (struct data){.fd = -1, .pid = -1};
    else
        text_format(why, FAILURE_TEXT, "out of memory");
    return data;
}

void data_close(struct data *data)
{
    if (!data)
        return;
    if (data->fd >= 0)
        close(data->fd);
    if (data->pid > 0) {
        kill(-data->pid, SIGKILL);
        while (waitpid(data->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(data->octets);
    free(data);
}

/* There is always room for one more octet, which ends the last line. */
static bool make_room(struct data *data)
{
    if (data->room - data->n > 1)
        return true;
    size_t more = data->room ? data->room * 2 : 65536;
    char *grown = realloc(data->octets, more);
    if (!grown)
        return false;
    data->octets = grown;
    data->room = more;
    return true;
}

/* -- Of a file ------------------------------------------------------------------------------- */

/* On false, errno says why. */
static bool read_file(struct data *data, int fd)
{
    for (ssize_t n = 1; n > 0; data->n += (size_t)n) {
        if (!make_room(data)) {
            errno = ENOMEM;
            return false;
        }
        n = read(fd, data->octets + data->n, data->room - data->n - 1);
        if (n < 0)
            return false;
    }
    return true;
}

/* Checks all lines at the start, so that no fault is discovered in the middle of a test. */
static bool check_file(struct data *data, char why[FAILURE_TEXT])
{
    uint64_t number = 1;
    for (size_t at = 0, len; at < data->n; at += len + 1, number++) {
        const char *end = memchr(data->octets + at, '\n', data->n - at);
        len = end ? (size_t)(end - data->octets) - at : data->n - at;
        if (memchr(data->octets + at, '\0', len)) {
            text_format(why, FAILURE_TEXT, "line %" PRIu64 " has an octet 0", number);
            return false;
        }
        if (len > DATA_LINE_MAX) {
            text_format(why, FAILURE_TEXT, "line %" PRIu64 " is longer than 1 MiB", number);
            return false;
        }
        data->octets[at + len] = '\0';
    }
    if (data->n == 0)
        text_format(why, FAILURE_TEXT, "there is no line in it");
    return data->n > 0;
}

struct data *data_of_file(const char *path, char why[FAILURE_TEXT])
{
    struct data *data = new_data(why);
    int fd = data ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (!data)
        return NULL;
    data->is_file = true;
    bool is_read = fd >= 0 && read_file(data, fd);
    if (!is_read)
        text_format(why, FAILURE_TEXT, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    if (is_read && check_file(data, why))
        return data;
    data_close(data);
    return NULL;
}

static const char *next_of_file(struct data *data)
{
    if (data->next >= data->n)
        data->next = 0;
    const char *line = data->octets + data->next;
    data->next += strlen(line) + 1;
    return line;
}

/* -- Of a program ---------------------------------------------------------------------------- */

/* Returns 0 or an errno. The program is in a process group of its own, and begins with the default
 * disposition of all signals. */
static int spawn_into(int fd, char *const *words, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        posix_spawnattr_setpgroup(&attributes, 0);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                  POSIX_SPAWN_SETPGROUP);
        error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
        if (!error)
            error = posix_spawn_file_actions_adddup2(&files, fd, 1);
        if (!error)
            error = posix_spawnp(pid, words[0], &files, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

struct data *data_of_program(char *const *words, char why[FAILURE_TEXT])
{
    int ends[2];
    struct data *data = new_data(why);
    if (!data)
        return NULL;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        text_format(why, FAILURE_TEXT, "%s", strerror(errno));
        data_close(data);
        return NULL;
    }
    int error = spawn_into(ends[1], words, &data->pid);
    close(ends[1]);
    data->fd = ends[0];
    fcntl(data->fd, F_SETFL, O_NONBLOCK);
    if (error == 0)
        return data;
    text_format(why, FAILURE_TEXT, "%s: %s", words[0], strerror(error));
    data->pid = -1;
    data_close(data);
    return NULL;
}

/* Discards what was used, and reads more. Returns whether there was something, or the end. */
static bool read_more(struct data *data)
{
    if (data->next > 0)
        memmove(data->octets, data->octets + data->next, data->n - data->next);
    data->n -= data->next;
    data->next = 0;
    data->has_no_memory = !make_room(data);
    if (data->has_no_memory)
        return false;
    ssize_t n = read(data->fd, data->octets + data->n, data->room - data->n - 1);
    data->is_at_end = n == 0;
    data->n += n > 0 ? (size_t)n : 0;
    return n >= 0;
}

/* The end of the next line; NULL if it has not been read yet. */
static char *end_of_line(struct data *data)
{
    if (!data->octets)
        return NULL;
    const char *unseen = data->octets + data->next + data->seen;
    char *end = memchr(unseen, '\n', data->n - data->next - data->seen);
    data->seen = end ? data->seen : data->n - data->next;
    return end;
}

bool data_is_ready(struct data *data)
{
    if (data->is_file)
        return true;
    while (!end_of_line(data)) {
        if (data->is_at_end || data->n - data->next > DATA_LINE_MAX)
            return true;
        if (!read_more(data))
            return data->has_no_memory;
    }
    return true;
}

int data_fd(const struct data *data)
{
    return data->fd;
}

/* Returns NULL if the line is good. */
static const char *fault_of(const char *line, size_t len)
{
    if (len > DATA_LINE_MAX)
        return "is longer than 1 MiB";
    return memchr(line, '\0', len) ? "has an octet 0" : NULL;
}

/* A last line without a newline counts, too. */
static enum data_outcome next_of_program(struct data *data, const char **line,
                                         char why[FAILURE_TEXT])
{
    if (data->has_no_memory) {
        text_format(why, FAILURE_TEXT, "out of memory");
        return DATA_BAD;
    }
    char *begin = data->octets + data->next, *end = end_of_line(data);
    if (!end && data->is_at_end && data->n == data->next)
        return DATA_END;
    size_t len = end ? (size_t)(end - begin) : data->n - data->next;
    const char *fault = fault_of(begin, len);
    if (fault) {
        text_format(why, FAILURE_TEXT, "line %" PRIu64 " %s", data->n_lines + 1, fault);
        return DATA_BAD;
    }
    begin[len] = '\0';
    data->n += !end;
    data->next += len + 1;
    data->seen = 0;
    *line = begin;
    return DATA_LINE;
}

enum data_outcome data_next(struct data *data, const char **line, char why[FAILURE_TEXT])
{
    enum data_outcome outcome = DATA_LINE;
    if (data->is_file)
        *line = next_of_file(data);
    else
        outcome = next_of_program(data, line, why);
    data->n_lines += outcome == DATA_LINE;
    return outcome;
}

/* -- How a program has ended ------------------------------------------------------------------- */

bool data_has_failed(struct data *data, char why[FAILURE_TEXT])
{
    struct pollfd ends = {.fd = data->is_file ? -1 : pidfd_open(data->pid, 0), .events = POLLIN};
    siginfo_t how = {.si_pid = 0};
    if (ends.fd < 0)
        return false;
    if (poll(&ends, 1, DATA_END_MS) > 0)
        waitid(P_PID, (id_t)data->pid, &how, WEXITED | WNOHANG | WNOWAIT);
    close(ends.fd);
    bool has_failed = how.si_pid != 0 && (how.si_code != CLD_EXITED || how.si_status != 0);
    if (has_failed)
        text_format(why, FAILURE_TEXT, "%s %d",
                    how.si_code == CLD_EXITED ? "exit status" : "ended by signal", how.si_status);
    return has_failed;
}
