/* When a process that has ended is started again: at once if it has run for a while; otherwise
 * after a pause that grows, so that a process that cannot run costs little and logs little. Pure.
 */
#ifndef DCAMP_BASE_RESTART_H
#define DCAMP_BASE_RESTART_H

#include <stdbool.h>
#include <stdint.h>

/* The shortest pause between two starts. It is doubled with each process that ends within
 * RESTART_STEADY_NS, up to the latter. */
#define RESTART_NS UINT64_C(1000000000)
#define RESTART_STEADY_NS UINT64_C(64000000000)

/* All zero octets: it was never started. Times are from a clock that never goes backwards, in
 * nanoseconds. */
struct restart {
    uint64_t started_ns, pause_ns;
};

void restart_started(struct restart *restart, uint64_t now);

/* The process was seen to have ended, or could not be started, at that time. Returns whether this
 * should be reported: of several in a row that ended early, only the first is. */
bool restart_ended(struct restart *restart, uint64_t now);

bool restart_is_due(const struct restart *restart, uint64_t now);

#endif
