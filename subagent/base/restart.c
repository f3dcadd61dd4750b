#include "base/restart.h"

void restart_started(struct restart *restart, uint64_t now)
{
    restart->started_ns = now;
}

bool restart_ended(struct restart *restart, uint64_t now)
{
    bool is_first = restart->pause_ns == 0 || now - restart->started_ns >= RESTART_STEADY_NS;
    if (is_first)
        restart->pause_ns = RESTART_NS;
    else if (restart->pause_ns < RESTART_STEADY_NS)
        restart->pause_ns *= 2;
    return is_first;
}

bool restart_is_due(const struct restart *restart, uint64_t now)
{
    return now - restart->started_ns >= restart->pause_ns;
}
