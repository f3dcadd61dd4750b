#include "sample/process/read.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sample/scan.h"

#define PF_EXITING 4                       /* include/linux/sched.h */
#define CGROUP_TEXT_SIZE (PATH_MAX + 1024) /* lines of version 1 come first */

bool process_own_error(int error)
{
    return error == EMFILE || error == ENFILE || error == ENOMEM;
}

void process_label(char *label, size_t size, const char *text, size_t len, const char *more)
{
    size_t n = len < size - 1 ? len : size - 1;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        bool ok = c && c < 0x80 && (isalnum(c) || strchr(more, c));
        label[i] = ok ? text[i] : '_';
    }
    if (n == 0)
        label[n++] = '_';
    label[n] = '\0';
}

static void set_name(char name[NAME_SIZE], const char *text, size_t len)
{
    process_label(name, NAME_SIZE, text, len, "._-");
}

/* Behind the name of a kernel worker, the kernel shows what it does at the moment,
 * "kworker/0:1-events" (kernel/workqueue.c wq_worker_comm); that must not make it another process.
 * For rescuers, "kworker/R-writeback", the work is part of the name itself. */
static size_t worker_length(const char *comm, size_t len)
{
    static const char worker[] = "kworker/";
    size_t start = sizeof worker - 1;
    if (len <= start || strncmp(comm, worker, start) != 0 || comm[start] == 'R')
        return len;
    size_t name = strcspn(comm, "+-");
    return name < len ? name : len;
}

void process_comm_name(char name[NAME_SIZE], const char *comm, size_t len)
{
    set_name(name, comm, worker_length(comm, len));
}

static void scan_numbers(const char *p, struct process_stat *stat)
{
    stat->valid = 0;
    for (unsigned field = 4; field < STAT_FIELDS; field++) {
        p = scan_blanks(p);
        const char *end = p;
        bool ok = scan_digits(&end, &stat->number[field]);
        p = scan_word(end);
        if (ok && p == end)
            stat->valid |= 1u << field;
    }
}

/* Its memory is gone, and with it the name of its executable: its last record has already been
 * written (kernel/exit.c do_exit). */
static bool leaves(const struct process_stat *stat)
{
    return stat->valid >> STAT_FLAGS & 1 && stat->number[STAT_FLAGS] & PF_EXITING &&
           stat->valid >> STAT_VSIZE & 1 && stat->number[STAT_VSIZE] == 0;
}

/* The line is "pid (comm) state ppid ...": comm may contain blanks, brackets and newlines, what
 * follows it cannot. A leader that has exited is a zombie, too, while other threads of the process
 * go on. */
bool process_stat_scan(const char *text, struct process_stat *stat)
{
    const char *open = strchr(text, '(');
    const char *close = strrchr(text, ')');
    if (!open || !close || close < open || !strchr(close, '\n'))
        return false;
    stat->comm = open + 1;
    stat->comm_len = worker_length(open + 1, (size_t)(close - open - 1));
    const char *state = scan_blanks(close + 1);
    scan_numbers(scan_word(state), stat);
    bool dead = *state == 'Z' || *state == 'X' || *state == 'x' || leaves(stat);
    stat->ended = dead && stat->valid >> STAT_THREADS & 1 && stat->number[STAT_THREADS] <= 1;
    return stat->valid >> STAT_STARTED & 1;
}

static int read_stat(int folder, struct process *process)
{
    char path[32];
    char text[PROCESS_STAT_SIZE];
    struct process_stat stat;
    snprintf(path, sizeof path, "%d/stat", (int)process->pid);
    int error = procfile_read_once(folder, path, text, sizeof text);
    if (error)
        return error;
    if (!process_stat_scan(text, &stat))
        return EBADMSG;
    process->started = stat.number[STAT_STARTED] * PROCESS_MS_PER_TICK;
    process->ended = stat.ended;
    set_name(process->name, stat.comm, stat.comm_len);
    return 0;
}

/* The length without " (deleted)", which the kernel appends to the name of a file that was removed.
 */
static size_t without_deleted(const char *path, size_t len)
{
    static const char deleted[] = " (deleted)";
    size_t suffix = sizeof deleted - 1;
    bool has = len >= suffix && strncmp(path + len - suffix, deleted, suffix) == 0;
    return has ? len - suffix : len;
}

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool process_path_name(char name[NAME_SIZE], const char *path)
{
    const char *base = last_component(path);
    size_t len = without_deleted(base, strlen(base));
    if (len > 0)
        set_name(name, base, len);
    return len > 0;
}

/* Kernel threads have no executable, and reading that of other users' processes needs
 * CAP_SYS_PTRACE. */
static void take_executable(int folder, struct process *process)
{
    char path[32];
    char target[PATH_MAX];
    snprintf(path, sizeof path, "%d/exe", (int)process->pid);
    ssize_t got = readlinkat(folder, path, target, sizeof target - 1);
    if (got <= 0)
        return;
    target[got] = '\0';
    process_path_name(process->name, target);
}

/* The directory itself belongs to the effective user of the process, whether or not the process may
 * be dumped (fs/proc/base.c task_dump_owner). */
static int take_owner(int folder, struct process *process, ino_t *inode)
{
    char path[32];
    struct stat status;
    snprintf(path, sizeof path, "%d", (int)process->pid);
    if (fstatat(folder, path, &status, 0) != 0)
        return errno;
    process->owner = status.st_uid;
    *inode = status.st_ino;
    return 0;
}

/* The line of version 2 is "0::/system.slice/ssh.service". */
static void take_unit(int folder, struct process *process)
{
    char path[32];
    char text[CGROUP_TEXT_SIZE];
    snprintf(path, sizeof path, "%d/cgroup", (int)process->pid);
    if (procfile_read_once(folder, path, text, sizeof text) != 0)
        return;
    char *line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
    if (!line)
        return;
    line += *line == '\n';
    line[strcspn(line, "\n")] = '\0';
    const char *base = last_component(line);
    process_label(process->unit, sizeof process->unit, base, without_deleted(base, strlen(base)),
                  PROCESS_LABEL_MORE);
}

int process_read(int folder, pid_t pid, bool units, struct process *process, ino_t *inode)
{
    *process = (struct process){.pid = pid};
    int error = read_stat(folder, process);
    if (!error)
        error = take_owner(folder, process, inode);
    if (error)
        return error;
    take_executable(folder, process);
    if (units)
        take_unit(folder, process);
    snprintf(process->identifier, sizeof process->identifier, "%s/%d", process->name, (int)pid);
    return 0;
}
