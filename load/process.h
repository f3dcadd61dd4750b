/* Processes that do operations. Each is in a process group of its own, with no signal blocked or
 * ignored, without input; its output is thrown away, and its errors are shown. */
#ifndef DCAMP_LOAD_PROCESS_H
#define DCAMP_LOAD_PROCESS_H

#include <spawn.h>
#include <sys/queue.h>

#include "load/reactor.h"

#define PROCESS_SOCKET 3 /* the descriptor of the process's own socket, if it has one */

/* All processes that one action has started. */
struct processes {
    struct reactor *reactor;
    posix_spawnattr_t attributes;
    LIST_HEAD(process_list, process) running;
};

struct process;

/* Reports that a process has ended, with the status of wait(2). The struct process is gone then. */
typedef void process_ended(void *context, int status);

/* Returns false if memory runs out. */
bool processes_open(struct processes *processes, struct reactor *reactor);

/* Waits for those that are still running: all have been given up, and so they end soon. */
void processes_close(struct processes *processes);

/* What to start: words and environment as for execve(2); a program without a slash is searched for
 * as by execvp(3). */
struct process_start {
    char *const *words, *const *environment;
    int socket; /* becomes PROCESS_SOCKET of the process; -1: none. The caller closes it */
    process_ended *ended;
    void *context;
};

/* On NULL, *error says why. The process belongs to processes. */
struct process *process_start(struct processes *processes, const struct process_start *start,
                              int *error);

/* Kills the process and what it has started itself. Its end is not reported. */
void process_give_up(struct process *process);

#endif
