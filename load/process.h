/* Processes that do operations: each in a process group of its own, with no signal blocked or
 * ignored, without input, its output thrown away, its errors seen. */
#ifndef DCAMP_LOAD_PROCESS_H
#define DCAMP_LOAD_PROCESS_H

#include <spawn.h>
#include <sys/queue.h>

#include "load/reactor.h"

#define PROCESS_SOCKET 3 /* the descriptor that a process has of its own, where it has one */

/* All that one action has started. */
struct processes {
    struct reactor *reactor;
    posix_spawnattr_t attributes;
    LIST_HEAD(process_list, process) running;
};

struct process;

/* Tells that it has ended, with the status of wait(2). The process is gone then. */
typedef void process_ended(void *context, int status);

/* False: no memory. */
bool processes_open(struct processes *processes, struct reactor *reactor);

/* Waits for those that still run: all have been given up, and so end soon. */
void processes_close(struct processes *processes);

/* What is to be started: words and environment as of execve(2), a word without a slash is looked
 * for as by execvp(3). */
struct process_start {
    char *const *words, *const *environment;
    int socket; /* becomes PROCESS_SOCKET of the process; -1: none. It stays the caller's */
    process_ended *ended;
    void *context;
};

/* NULL: *error says why. It is the processes' own. */
struct process *process_start(struct processes *processes, const struct process_start *start,
                              int *error);

/* Kills it and what it has started itself. Nothing is told of it any more. */
void process_give_up(struct process *process);

#endif
