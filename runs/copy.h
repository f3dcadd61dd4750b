/* Copies what the history has of the time of a run into the file of the run. */
#ifndef DCAMP_RUNS_COPY_H
#define DCAMP_RUNS_COPY_H

#include "runs/file.h"

struct history;

#define COPY_NODE_SIZE 256

/* How far the nodes have come, by the times of their values. */
struct copy_lag {
    char node[COPY_NODE_SIZE]; /* the node that is furthest behind, cleaned for printing; "":
                                * none */
    int64_t last_ms;
    size_t nodes; /* that have not come to the end of the run */
    /* The same for series of app.records: what was executed is there up to their last value. */
    char records_node[COPY_NODE_SIZE];
    int64_t records_ms;
    size_t records;
};

/* Whether the history has come to the end of the run, that is, whether each node that has reported
 * anything since the start has a value of the end or later. Values come in the order of their
 * times, so that the whole run is there then, except for executions. For these, app.records must
 * have such a value; or the node must have one that is later than the end by as much as the last
 * two values of app.records are apart. Returns 0, ENOMEM, or another errno: history_fault() says of
 * which file. */
int copy_look(struct history *history, int64_t start_ms, int64_t stop_ms, struct copy_lag *lag);

/* Copies all that was measured from start to stop, inclusive, of the nodes that match one of the
 * patterns in nodes, which are separated by commas; NULL: of all nodes. *n_series: how many series
 * have something. On false, error says why, and the file is as before. warning says which file of
 * the history could not be read, or is "". */
bool copy_run(struct history *history, const struct run *run, const char *nodes,
              struct run_file *file, enum run_state state, size_t *n_series,
              char warning[RUN_ERROR_SIZE], char error[RUN_ERROR_SIZE]);

#endif
