/* What the kernel tells of processes as it happens: the proc connector (linux/cn_proc.h). */
#ifndef DCAMP_SAMPLE_PROCESS_EVENTS_H
#define DCAMP_SAMPLE_PROCESS_EVENTS_H

#include <sys/types.h>

/* A process was forked by parent, or (parent is 0) executed a program, became another user's,
 * changed its name or exited. Only a hint: what is true stands in /proc. */
typedef void process_event(void *context, pid_t pid, pid_t parent);

/* A descriptor, or a negative errno where it is not permitted: it needs CAP_NET_ADMIN before
 * Linux 6.6, and always the initial namespaces of pids, users and networks. */
int process_events_open(void);
void process_events_close(int fd);

/* All that happened since the last call, without waiting. ENOBUFS: some of it was lost. After
 * another error the descriptor is of no use. */
int process_events_drain(int fd, process_event *event, void *context);

#endif
