#include "application/gaps.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

void gaps_release(struct gaps *gaps)
{
    free(gaps->gap);
    *gaps = (struct gaps){0};
}

static bool make_room(struct gaps *gaps)
{
    if (gaps->n < gaps->room)
        return true;
    size_t room = gaps->room ? 2 * gaps->room : 4;
    struct gap *more = realloc(gaps->gap, room * sizeof *more);
    if (!more)
        return false;
    gaps->gap = more;
    gaps->room = room;
    return true;
}

/* Extends the last gap, or begins one; a gap that is too short gives up its place for the new
 * one. */
static bool leave_out(struct gaps *gaps, uint32_t index)
{
    struct gap *last = gaps->n > 0 ? &gaps->gap[gaps->n - 1] : NULL;
    if (last && last->first + last->panels == index) {
        last->panels++;
        return true;
    }
    if (last && last->panels < GAPS_LEAST)
        gaps->n--;
    if (!make_room(gaps))
        return false;
    gaps->gap[gaps->n++] = (struct gap){index, 1};
    return true;
}

int gaps_learn(struct gaps *gaps, const struct segment *segment)
{
    uint32_t end = segment_panels(segment);
    while (end > gaps->panels && segment_panel_kind(segment, end - 1) == SEGMENT_UNUSED)
        end--;
    for (; gaps->panels < end; gaps->panels++) {
        unsigned kind = segment_panel_kind(segment, gaps->panels);
        if ((kind == SEGMENT_ENTRIES || kind == SEGMENT_RECORDS) && !leave_out(gaps, gaps->panels))
            return ENOMEM;
    }
    return 0;
}
