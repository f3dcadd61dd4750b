#include "publish/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/restart.h"
#include "publish/settings.h"

extern char **environ;

struct process {
    struct outlet_sink sink;
    pid_t pid; /* 0: it does not run */
    struct restart restart;
    bool is_wanted;
    bool is_told; /* dcampd has told of it in the list that is coming */
    bool is_stopping, is_killed;
    uint64_t kill_ns; /* when it is killed, while it is stopping */
};

struct processes {
    const struct options *options;
    int input[2]; /* the standard input of all of them, and its other end, which nobody else has */
    bool is_full; /* a sink has no process: there are too many, or no memory */
    size_t n;
    struct process *process[MANAGER_SINKS_MAX];
};

struct processes *processes_open(const struct options *options)
{
    struct processes *processes = calloc(1, sizeof *processes);
    if (processes && pipe2(processes->input, O_CLOEXEC) == 0) {
        processes->options = options;
        return processes;
    }
    log_error("publish", "no processes: %s", strerror(processes ? errno : ENOMEM));
    free(processes);
    return NULL;
}

void processes_close(struct processes *processes)
{
    if (!processes)
        return;
    for (size_t i = 0; i < processes->n; i++)
        free(processes->process[i]);
    close(processes->input[0]);
    close(processes->input[1]);
    free(processes);
}

/* -- One of them ----------------------------------------------------------------------------- */

/* posix_spawn(3) does not change its arguments. */
static char *argument(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* The new process has no signals blocked: only this one waits for them in its own way. */
static int spawn(const struct processes *processes, struct process *process)
{
    const struct options *options = processes->options;
    char *arguments[] = {argument("dcamp-publish"),
                         argument("--sink"),
                         process->sink.name,
                         argument("--socket"),
                         argument(options->socket),
                         argument("--state-dir"),
                         argument(options->state_dir),
                         argument("--modules"),
                         argument(options->modules),
                         argument("--until-eof"),
                         argument(options->to_syslog ? "--syslog" : NULL),
                         NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, processes->input[0], STDIN_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int error =
        posix_spawn(&process->pid, "/proc/self/exe", &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static void start(const struct processes *processes, struct process *process, uint64_t now_ns)
{
    restart_started(&process->restart, now_ns);
    process->is_stopping = process->is_killed = false;
    int error = spawn(processes, process);
    if (!error)
        return;
    process->pid = 0;
    if (restart_ended(&process->restart, now_ns))
        log_error("publish", "%s: no process for it: %s", process->sink.name, strerror(error));
}

static void stop(struct process *process, uint64_t now_ns)
{
    if (process->pid == 0 || process->is_stopping)
        return;
    kill(process->pid, SIGTERM);
    process->is_stopping = true;
    process->kill_ns = now_ns + MANAGER_KILL_S * NS_PER_S;
}

/* A process that was ended on purpose is started again at once, if it is wanted. */
static void end(struct process *process, int status, uint64_t now_ns)
{
    process->pid = 0;
    if (process->is_stopping) {
        process->restart = (struct restart){0};
        return;
    }
    if (!restart_ended(&process->restart, now_ns))
        return;
    if (WIFSIGNALED(status))
        log_warning("publish", "%s: its process was ended by signal %d", process->sink.name,
                    WTERMSIG(status));
    else if (WEXITSTATUS(status) != PUBLISH_OK)
        log_warning("publish", "%s: its process has ended with status %d", process->sink.name,
                    WEXITSTATUS(status));
}

static void look_after(struct process *process, uint64_t now_ns)
{
    int status;
    if (process->pid == 0)
        return;
    if (waitpid(process->pid, &status, WNOHANG) == process->pid) {
        end(process, status, now_ns);
    } else if (process->is_stopping && !process->is_killed && now_ns >= process->kill_ns) {
        log_warning("publish", "%s: its process did not end, and is killed", process->sink.name);
        kill(process->pid, SIGKILL);
        process->is_killed = true;
    }
}

static uint64_t due_of(const struct process *process)
{
    if (process->pid == 0)
        return process->restart.started_ns + process->restart.pause_ns;
    return process->is_stopping && !process->is_killed ? process->kill_ns : UINT64_MAX;
}

/* -- All of them ----------------------------------------------------------------------------- */

static struct process *find(const struct processes *processes, const char *name)
{
    for (size_t i = 0; i < processes->n; i++)
        if (strcmp(processes->process[i]->sink.name, name) == 0)
            return processes->process[i];
    return NULL;
}

static struct process *add(struct processes *processes)
{
    bool is_full = processes->n == MANAGER_SINKS_MAX;
    struct process *process = is_full ? NULL : calloc(1, sizeof *process);
    if (process)
        processes->process[processes->n++] = process;
    else if (!processes->is_full)
        log_error("publish",
                  is_full ? "there are more than %d sinks: the others have no process"
                          : "out of memory: not all of at most %d sinks have a process",
                  MANAGER_SINKS_MAX);
    processes->is_full = !process;
    return process;
}

void processes_take(struct processes *processes, const struct outlet_sink *sink)
{
    struct process *process = find(processes, sink->name);
    if (!process)
        process = add(processes);
    if (!process)
        return;
    if (process->pid != 0 && !settings_same(&process->sink, sink))
        stop(process, clock_mono_ns());
    process->sink = *sink;
    process->is_told = process->is_wanted = true;
}

void processes_taken(struct processes *processes)
{
    for (size_t i = 0; i < processes->n; i++) {
        struct process *process = processes->process[i];
        process->is_wanted = process->is_told;
        process->is_told = false;
        if (!process->is_wanted)
            stop(process, clock_mono_ns());
    }
}

uint64_t processes_step(struct processes *processes, uint64_t now_ns)
{
    uint64_t due_ns = UINT64_MAX;
    size_t n = 0;
    for (size_t i = 0; i < processes->n; i++) {
        struct process *process = processes->process[i];
        look_after(process, now_ns);
        if (process->pid == 0 && !process->is_wanted) {
            free(process);
            continue;
        }
        if (process->pid == 0 && restart_is_due(&process->restart, now_ns))
            start(processes, process, now_ns);
        uint64_t due = due_of(process);
        due_ns = due < due_ns ? due : due_ns;
        processes->process[n++] = process;
    }
    processes->n = n;
    return due_ns;
}

void processes_stop(struct processes *processes, uint64_t now_ns)
{
    for (size_t i = 0; i < processes->n; i++) {
        processes->process[i]->is_wanted = false;
        stop(processes->process[i], now_ns);
    }
}

size_t processes_running(const struct processes *processes)
{
    size_t n = 0;
    for (size_t i = 0; i < processes->n; i++)
        n += processes->process[i]->pid != 0;
    return n;
}
