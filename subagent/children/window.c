#include "children/window.h"

#include <stdlib.h>

static size_t counters_cost(const struct statistics_window *window)
{
    return sizeof(uint32_t) *
           (size_t)(window->histogram.positive.size + window->histogram.negative.size);
}

size_t child_window_cost(const struct child_window *window)
{
    return window ? sizeof *window + counters_cost(&window->parts.window) +
                        counters_cost(&window->whole.window)
                  : 0;
}

void child_window_free(struct child_window *window)
{
    if (!window)
        return;
    statistics_window_release(&window->parts.window);
    statistics_window_release(&window->whole.window);
    free(window);
}

/* The parts are whole now, and the window before them gives its memory to the next parts. */
static void finish_window(struct child_window *window)
{
    struct window_parts whole = window->parts;
    window->parts = window->whole;
    window->whole = whole;
    window->finished++;
    statistics_window_reset(&window->parts.window);
}

/* Whether the parts that have come can be continued with this one. The first part of a window
 * begins anew. */
static bool belongs(struct child_window *window, const struct report_entry *entry)
{
    const struct report_window *part = &entry->window;
    struct window_parts *parts = &window->parts;
    if (!part->has_moments)
        return window->wall_ms == entry->wall_ms && parts->window.count > 0;
    statistics_window_reset(&parts->window);
    window->wall_ms = entry->wall_ms;
    parts->has_totals = part->has_totals;
    parts->totals = part->totals;
    return true;
}

bool child_window_take(struct child_window **at, const struct report_entry *entry)
{
    if (!*at)
        *at = calloc(1, sizeof **at);
    struct child_window *window = *at;
    if (!window || !belongs(window, entry))
        return false;
    struct statistics_window *parts = &window->parts.window;
    if (report_window_merge(parts, &entry->window) != 0)
        statistics_window_reset(parts); /* this window will not be whole */
    else if (parts->count == parts->histogram.count) {
        finish_window(window);
        return true;
    }
    return false;
}
