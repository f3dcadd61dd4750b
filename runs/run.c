#include "runs/run.h"

#include <stdlib.h>
#include <string.h>

static void release_series(struct run_series *series)
{
    for (size_t i = 0; i < series->n_minutes; i++)
        statistics_window_release(&series->minutes[i].window);
    free(series->node);
    free(series->sensor);
    free(series->instance);
    free(series->metric);
    free(series->unit);
    free(series->points);
    free(series->minutes);
    free(series->records);
}

void run_release(struct run *run)
{
    for (size_t i = 0; i < run->n_tags; i++) {
        free(run->tags[i].key);
        free(run->tags[i].value);
    }
    for (size_t i = 0; i < run->n_nodes; i++) {
        free(run->nodes[i].path);
        free(run->nodes[i].name);
    }
    for (size_t i = 0; i < run->n_series; i++)
        release_series(&run->series[i]);
    free(run->nodes);
    free(run->series);
    *run = (struct run){0};
}

void *run_grow(void *list, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return list;
    size_t larger = *room ? 2 * *room : 16;
    void *at = reallocarray(list, larger, size);
    if (at)
        *room = larger;
    return at;
}

bool run_is_name(const char *text)
{
    size_t len = strlen(text);
    return len > 0 && len <= RUN_NAME_MAX && text[0] != '.' && text[0] != '-' &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") == len;
}

const char *run_state_name(enum run_state state)
{
    static const char *const names[] = {[RUN_STARTED] = "started",
                                        [RUN_STOPPING] = "stopping",
                                        [RUN_STOPPED] = "stopped",
                                        [RUN_INTERRUPTED] = "interrupted"};
    return names[state];
}

bool run_is_whole(const struct run *run)
{
    return run->state == RUN_STOPPED || run->state == RUN_INTERRUPTED;
}
