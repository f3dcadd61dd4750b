/* What the kernel tells of processes as it happens: the proc connector (linux/cn_proc.h). */
#ifndef DCAMP_SAMPLE_PROCESS_EVENTS_H
#define DCAMP_SAMPLE_PROCESS_EVENTS_H

#include <sys/types.h>

/* A process was forked by parent; or, if parent is 0, it executed a program, came to belong to
 * another user, changed its name or exited. This is only a hint: /proc tells what is true. */
typedef void process_event(void *context, pid_t pid, pid_t parent);

/* Returns a descriptor, or a negative errno if it is not permitted: it needs CAP_NET_ADMIN before
 * Linux 6.6, and always the initial namespaces of pids, users and networks. */
int process_events_open(void);
void process_events_close(int fd);

/* Tells of all that happened since the last call, without waiting. ENOBUFS: some of it was lost.
 * After another error the descriptor is useless. */
int process_events_drain(int fd, process_event *event, void *context);

#endif
