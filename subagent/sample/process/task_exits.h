/* What exiting tasks have used in all: the records of taskstats (linux/taskstats.h). They come
 * before a process disappears from /proc, and before the event of its exit. */
#ifndef DCAMP_SAMPLE_PROCESS_TASK_EXITS_H
#define DCAMP_SAMPLE_PROCESS_TASK_EXITS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define TASK_COMM_SIZE 33

/* What tasks have used. Times are in microseconds. user and system are counted by ticks, so that
 * only their proportion is meaningful; running is exact. */
struct task_usage {
    uint64_t running;
    uint64_t user;
    uint64_t system;
    uint64_t minor_faults;
    uint64_t major_faults;
    uint64_t read_bytes;
    uint64_t write_bytes;
};

/* The file that a program was executed from; both 0: none. */
struct executable_id {
    uint64_t device; /* as the kernel encodes it, not as stat(2) does */
    uint64_t inode;
};

struct task_exit {
    pid_t tid;
    pid_t pid; /* of its process */
    uid_t owner;
    bool last;       /* no other task of the process is left */
    uint64_t age_us; /* of the process, when the task exited */
    char comm[TASK_COMM_SIZE];
    struct executable_id executable;
    struct task_usage usage; /* of this task only */
};

typedef void task_exited(void *context, const struct task_exit *exit);

/* Returns a descriptor, or a negative errno if it is not permitted: it needs CAP_NET_ADMIN and the
 * initial namespaces of pids and users. In a namespace of networks that is not the initial one, the
 * kernel agrees, but the records never arrive; they do where process_events_open succeeds. */
int task_exits_open(void);

/* Tells of all that exited since the last call, without waiting. ENOBUFS: some of it was lost.
 * After another error the descriptor is useless. */
int task_exits_drain(int fd, task_exited *exited, void *context);

void task_usage_add(struct task_usage *sum, const struct task_usage *usage);

#endif
