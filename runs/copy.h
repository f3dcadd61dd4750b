/* What the history has of the time of a run, copied into its file. */
#ifndef DCAMP_RUNS_COPY_H
#define DCAMP_RUNS_COPY_H

#include "runs/file.h"

struct history;

#define COPY_NODE_SIZE 256

/* So far a node has come, by the times of its values. */
struct copy_lag {
    char node[COPY_NODE_SIZE]; /* of the one that is furthest behind, harmless; "": all have come */
    int64_t last_ms;
    size_t nodes; /* that have not come so far */
    /* Likewise, of series of app.records, which have what was executed until their last value. */
    char records_node[COPY_NODE_SIZE];
    int64_t records_ms;
    size_t records;
};

/* Whether the history has come to the end of the run: each node that has told anything since its
 * start has a value of that time, or of a later one. Values come in the order of their times, so
 * that all of the run is there then, but for executions: for these app.records is to have such a
 * value, or the node one that is later by as much as the last two of app.records are from each
 * other. 0, ENOMEM, or another errno: history_fault() says of which
 * file. */
int copy_look(struct history *history, int64_t start_ms, int64_t stop_ms, struct copy_lag *lag);

/* Copies all that was measured from start to stop, both in it, of the nodes that are meant by
 * patterns with commas between; NULL: of all. *n_series: how many have something. False: error says
 * why, and the file is as before; warning says which file of the history could not be read, or is
 * "". */
bool copy_run(struct history *history, const struct run *run, const char *nodes,
              struct run_file *file, enum run_state state, size_t *n_series,
              char warning[RUN_ERROR_SIZE], char error[RUN_ERROR_SIZE]);

#endif
