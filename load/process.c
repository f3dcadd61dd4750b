#include "load/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

/* A status of wait(2) with exit status 127: an unknown status counts as a failure. */
#define STATUS_UNKNOWN (127 << 8)

struct process {
    LIST_ENTRY(process) link;
    struct processes *all;
    struct reactor_watch watch; /* of a pidfd */
    process_ended *ended;       /* NULL if it was given up and only has to be waited for */
    void *context;
    pid_t pid;
};

/* It begins with no signal blocked or ignored, though this program blocks or ignores some. */
static bool set_attributes(posix_spawnattr_t *attributes)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    return posix_spawnattr_setsigmask(attributes, &none) == 0 &&
           posix_spawnattr_setsigdefault(attributes, &all) == 0 &&
           posix_spawnattr_setpgroup(attributes, 0) == 0 &&
           posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                    POSIX_SPAWN_SETPGROUP) == 0;
}

bool processes_open(struct processes *processes, struct reactor *reactor)
{
    *processes = (struct processes){.reactor = reactor};
    if (posix_spawnattr_init(&processes->attributes) != 0)
        return false;
    if (set_attributes(&processes->attributes))
        return true;
    posix_spawnattr_destroy(&processes->attributes);
    return false;
}

static void forget(struct process *process)
{
    reactor_remove(process->all->reactor, &process->watch);
    close(process->watch.fd);
    LIST_REMOVE(process, link);
    free(process);
}

void processes_close(struct processes *processes)
{
    for (struct process *process; (process = LIST_FIRST(&processes->running));) {
        while (waitpid(process->pid, NULL, 0) < 0 && errno == EINTR)
            ;
        forget(process);
    }
    posix_spawnattr_destroy(&processes->attributes);
}

static void process_ready(void *context, uint32_t events)
{
    const struct process ended = *(const struct process *)context;
    int status;
    (void)events;
    pid_t pid = waitpid(ended.pid, &status, WNOHANG);
    if (pid == 0)
        return;
    if (pid < 0)
        status = STATUS_UNKNOWN;
    forget(context);
    if (ended.ended)
        ended.ended(ended.context, status);
}

/* Returns 0 or an errno. No other descriptor of this program is inherited: all have FD_CLOEXEC. */
static int spawn(const struct processes *processes, const struct process_start *start, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    if (!error && start->socket >= 0)
        error = posix_spawn_file_actions_adddup2(&files, start->socket, PROCESS_SOCKET);
    if (!error)
        error = posix_spawnp(pid, start->words[0], &files, &processes->attributes, start->words,
                             start->environment);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* The reactor waits for a pidfd. If there is none, this is an error, because the end of the process
 * would not be noticed. On NULL, *error says why. */
static struct process *watch_process(struct processes *processes, pid_t pid, int *error)
{
    struct process *process = malloc(sizeof *process);
    int fd = process ? pidfd_open(pid, 0) : -1;
    *error = process ? errno : ENOMEM;
    if (fd >= 0) {
        *process =
            (struct process){.all = processes, .watch = {process_ready, process, fd}, .pid = pid};
        *error = reactor_add(processes->reactor, &process->watch, EPOLLIN);
        if (*error == 0) {
            LIST_INSERT_HEAD(&processes->running, process, link);
            return process;
        }
        close(fd);
    }
    free(process);
    return NULL;
}

struct process *process_start(struct processes *processes, const struct process_start *start,
                              int *error)
{
    pid_t pid;
    *error = spawn(processes, start, &pid);
    if (*error)
        return NULL;
    struct process *process = watch_process(processes, pid, error);
    if (process) {
        process->ended = start->ended;
        process->context = start->context;
        return process;
    }
    kill(-pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return NULL;
}

void process_give_up(struct process *process)
{
    kill(-process->pid, SIGKILL);
    process->ended = NULL;
}
