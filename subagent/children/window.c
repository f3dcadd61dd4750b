#include "children/window.h"

#include <errno.h>
#include <stdlib.h>

static size_t counters_cost(const struct statistics_window *window)
{
    return sizeof(uint32_t) *
           (size_t)(window->histogram.positive.size + window->histogram.negative.size);
}

size_t child_window_cost(const struct child_window *window)
{
    return window ? sizeof *window + counters_cost(&window->parts.window) +
                        counters_cost(&window->whole.window) + child_top_cost(window->top)
                  : 0;
}

void child_window_free(struct child_window *window)
{
    if (!window)
        return;
    statistics_window_release(&window->parts.window);
    statistics_window_release(&window->whole.window);
    child_top_free(window->top);
    free(window);
}

/* The parts are complete now, and the window before them gives its memory to the next parts. */
static void finish_window(struct child_window *window)
{
    struct window_parts whole = window->parts;
    window->parts = window->whole;
    window->whole = whole;
    window->finished++;
    statistics_window_reset(&window->parts.window);
}

/* Whether this part continues the parts that have come. The first part of a window begins anew. */
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

int child_window_take(struct child_window **at, const struct report_entry *entry, bool *is_whole)
{
    *is_whole = false;
    if (!*at)
        *at = calloc(1, sizeof **at);
    struct child_window *window = *at;
    if (!window)
        return ENOMEM;
    if (!belongs(window, entry))
        return 0;
    struct statistics_window *parts = &window->parts.window;
    int error = report_window_merge(parts, &entry->window);
    if (error == ENOMEM)
        return error;
    if (error)
        statistics_window_reset(parts); /* this window will never be complete */
    *is_whole = !error && (!entry->window.histogram || parts->count == parts->histogram.count);
    if (*is_whole)
        finish_window(window);
    return 0;
}

int child_window_take_keys(struct child_window **at, const struct report_entry *entry)
{
    if (!*at)
        *at = calloc(1, sizeof **at);
    return *at ? child_top_take(&(*at)->top, entry) : ENOMEM;
}
