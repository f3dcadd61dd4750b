/* What was measured between the start and the stop of a run, in memory. It comes from the file of
 * the run (runs/file.h), and belongs together with it: nobody else needs to be asked. */
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
    RUN_STARTED = 1, /* it goes on */
    RUN_STOPPING,    /* it was stopped; what was measured is not copied yet */
    RUN_STOPPED,
    RUN_INTERRUPTED /* stopped, but not at its end: less was done than was meant to be */
};

struct run_tag {
    char *key, *value;
};

struct run_node {
    char *path, *name; /* as of struct catalog_node: "" is the node that publishes */
    int64_t last_ms;   /* of the latest value that had come when the run was copied */
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
    int32_t result;            /* 0: as it should */
    int64_t cpu_ns, allocated; /* CPU time, and octets of memory; less than 0: not known */
};

/* A series, or a step, of which each execution is known, or both. */
struct run_series {
    char *node; /* path */
    char *sensor, *instance, *metric, *unit;
    struct run_point *points; /* ascending; finite */
    size_t n_points, room_points;
    size_t n_gaps;              /* times without a value */
    struct run_minute *minutes; /* ascending */
    size_t n_minutes, room_minutes;
    struct run_record *records; /* by their starts */
    size_t n_records, room_records;
};

/* All zero octets are none. */
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

/* Room for one more element of a list: list itself, or where it is now. NULL: no memory, and the
 * list is as it was. */
void *run_grow(void *list, size_t n, size_t *room, size_t size);

/* 1 to RUN_NAME_MAX of [A-Za-z0-9._-], not beginning with '.' or '-': a name is that of a file,
 * too. */
bool run_is_name(const char *text);

/* "started", "stopping", "stopped", "interrupted". */
const char *run_state_name(enum run_state state);

/* Whether its end is known, and all of it was copied. */
bool run_is_whole(const struct run *run);

#endif
