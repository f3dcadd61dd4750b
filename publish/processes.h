/* The processes of the sinks. */
#ifndef DCAMP_PUBLISH_PROCESSES_H
#define DCAMP_PUBLISH_PROCESSES_H

#include <sys/types.h>

#include "publish/manager.h"
#include "outlet/message.h"

struct processes;

/* NULL: the reason was logged. */
struct processes *processes_open(const struct options *options);

/* Processes that still run end because their standard input does. */
void processes_close(struct processes *processes);

/* processes_take() says that there is this sink; processes_taken(), after the last one, ends the
 * processes of those that were not named since. */
void processes_take(struct processes *processes, const struct outlet_sink *sink);
void processes_taken(struct processes *processes);

/* Sees which have ended, starts those whose time has come, kills those that do not end. Returns
 * when there is something to do again; UINT64_MAX: when a process ends. */
uint64_t processes_step(struct processes *processes, uint64_t now_ns);

/* Tells all of them to end. */
void processes_stop(struct processes *processes, uint64_t now_ns);

size_t processes_running(const struct processes *processes);

#endif
