/* When a process that has ended is started again: at once where it has lived for a while, and ever
 * later where it has not, so that one that cannot live costs little and says little. Pure. */
#ifndef DCAMP_BASE_RESTART_H
#define DCAMP_BASE_RESTART_H

#include <stdbool.h>
#include <stdint.h>

/* After its start the next one comes no earlier than that; it is doubled with each one that has
 * ended within RESTART_STEADY_NS, up to the latter. */
#define RESTART_NS UINT64_C(1000000000)
#define RESTART_STEADY_NS UINT64_C(64000000000)

/* All zero octets: it was never started. Moments are of a clock that never goes backwards, in
 * nanoseconds. */
struct restart {
    uint64_t started_ns, pause_ns;
};

void restart_started(struct restart *restart, uint64_t now);

/* It was seen at that moment that it has ended, or could not be started. Whether somebody should be
 * told: not of each in a row that did not live. */
bool restart_ended(struct restart *restart, uint64_t now);

bool restart_is_due(const struct restart *restart, uint64_t now);

#endif
