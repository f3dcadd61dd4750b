#include "publish/elapsed.h"

int64_t elapsed_now(struct elapsed *elapsed, int64_t wall_ms)
{
    int64_t step_ms = elapsed->wall_ms ? wall_ms - elapsed->wall_ms : 0;
    if (elapsed->at_ms == 0)
        elapsed->at_ms = wall_ms;
    if (step_ms > 0)
        elapsed->at_ms += step_ms < ELAPSED_STEP_MS ? step_ms : ELAPSED_STEP_MS;
    elapsed->wall_ms = wall_ms;
    return elapsed->at_ms;
}

void elapsed_read(struct elapsed *elapsed, int64_t at_ms)
{
    elapsed->at_ms = elapsed->at_ms < at_ms ? at_ms : elapsed->at_ms;
}
