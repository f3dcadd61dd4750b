/* What was measured between the start and the stop of a run, in memory. It comes from the file of
 * the run (runs/file.h) and is complete in itself: nothing else has to be read. */
#ifndef DCAMP_RUNS_RUN_H
#define DCAMP_RUNS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/statistics.h"

#define RUN_NAME_MAX 64
#define RUN_TAGS_MAX 64
#define RUN_TEXT_MAX 256 /* of the value of a tag */

enum run_state {
    RUN_STARTED = 1, /* it is going on */
    RUN_STOPPING,    /* it was stopped, but what was measured is not copied yet */
    RUN_STOPPED,
    RUN_INTERRUPTED /* stopped before its end: less was done than was intended */
};

struct run_tag {
    char *key, *value;
};

struct run_node {
    char *path, *name; /* as in struct catalog_node: "" is the node that publishes */
    int64_t last_ms;   /* of the latest value that had arrived when the run was copied */
};

struct run_point {
    int64_t ms; /* since 1970 UTC */
    double value;
};

/* Statistics of all samples, or events, of a minute that lies in the run. */
struct run_minute {
    int64_t start_ms;
    struct statistics_window window;
};

/* One execution of a step. */
struct run_record {
    int64_t start_ns; /* since 1970 UTC */
    double seconds;
    int32_t result;            /* 0: it succeeded */
    int64_t cpu_ns, allocated; /* CPU time in ns, and octets of memory; less than 0 if not known */
};

/* A series, or a step whose executions are known one by one, or both. */
struct run_series {
    char *node; /* path */
    char *sensor, *instance, *metric, *unit;
    struct run_point *points; /* ascending; finite */
    size_t n_points, room_points;
    size_t n_gaps;              /* times without a value */
    struct run_minute *minutes; /* ascending */
    size_t n_minutes, room_minutes;
    struct run_record *records; /* ascending by their starts */
    size_t n_records, room_records;
};

/* All zero octets: it is empty. */
struct run {
    char name[RUN_NAME_MAX + 1];
    enum run_state state;
    int64_t start_ms, stop_ms;
    struct run_tag tags[RUN_TAGS_MAX];
    size_t n_tags;
    struct run_node *nodes;
    size_t n_nodes, room_nodes;
    struct run_series *series;
    size_t n_series, room_series;
};

void run_release(struct run *run);

/* Makes room for one more element of a list. Returns list itself, or its new place; NULL if memory
 * runs out, and the list is as it was. */
void *run_grow(void *list, size_t n, size_t *room, size_t size);

/* 1 to RUN_NAME_MAX of [A-Za-z0-9._-], not beginning with '.' or '-', because the name is also that
 * of a file. */
bool run_is_name(const char *text);

/* "started", "stopping", "stopped", "interrupted". */
const char *run_state_name(enum run_state state);

/* Whether its end is known and all of it was copied. */
bool run_is_whole(const struct run *run);

#endif
