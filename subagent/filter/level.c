#include "filter/level.h"

bool level_step(struct level_state *state, bool breaches)
{
    state->breaches = breaches;
    return breaches || state->told;
}

void level_told(struct level_state *state)
{
    state->told = state->breaches;
}

void level_count(struct level_state *state)
{
    state->window |= state->breaches;
}

enum level_report level_end_window(enum information_level level, struct level_state *state,
                                   bool breaches)
{
    bool breached = state->window || breaches;
    state->window = false;
    if (level == LEVEL_THRESHOLD)
        return breached ? LEVEL_MOMENTS : LEVEL_NOTHING;
    return level == LEVEL_BASIC ? LEVEL_MOMENTS : LEVEL_WHOLE;
}
