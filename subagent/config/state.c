#include "config/state.h"

#include <errno.h>
#include <stdlib.h>

#include "base/atomicfile.h"
#include "config/state_fields.h"

void state_release(struct state *state)
{
    free(state->series);
    free(state->children);
    *state = (struct state){.boot = state->boot};
}

int state_add_series(struct state *state, const struct saved_series *series)
{
    if (state->n_series == state->series_room) {
        size_t room = state->series_room ? state->series_room * 2 : 16;
        struct saved_series *more = reallocarray(state->series, room, sizeof *more);
        if (!more)
            return ENOMEM;
        state->series = more;
        state->series_room = room;
    }
    state->series[state->n_series++] = *series;
    return 0;
}

int state_add_child(struct state *state, const struct saved_child *child)
{
    if (state->n_children == state->children_room) {
        size_t room = state->children_room ? state->children_room * 2 : 16;
        struct saved_child *more = reallocarray(state->children, room, sizeof *more);
        if (!more)
            return ENOMEM;
        state->children = more;
        state->children_room = room;
    }
    state->children[state->n_children++] = *child;
    return 0;
}

int state_write(const char *dir, const char *text, size_t len)
{
    if (len > STATE_SIZE_MAX)
        return EFBIG;
    return atomicfile_write(dir, STATE_FILE, text, len, true);
}
