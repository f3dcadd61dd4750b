/* The file of a run, in SQLite (sqlite.org): all that was measured, so that it outlives what the
 * history keeps, and can be mailed and compared elsewhere.
 *
 * It is made at the start, with name, tags and time, and gets what was measured in one transaction
 * at the stop: however the process ends, the run is stopped either completely or not yet. The
 * tables:
 *
 *   run(name, state, start, stop, directory)      one row; times in ms since 1970 UTC, states are
 *                                                 enum run_state; the history it is copied from
 *   tag(key, value)
 *   node(id, path, name, last)
 *   series(id, node, sensor, instance, metric, unit)
 *   points(series, start, octets)                 values with their times: publish/points.h
 *   minute(series, start, count, min, max, mean, m2, histogram)
 *                                                 statistics of the minutes that lie in the run
 *                                                 (calculate/histogram_packed.h), where these know
 *                                                 more than the values do
 *   record(series, start, duration, sequence, result, cpu, allocated)
 *                                                 executions of steps; ns since 1970, and ns */
#ifndef DCAMP_RUNS_FILE_H
#define DCAMP_RUNS_FILE_H

#include "publish/points.h"
#include "runs/run.h"

#define RUN_FILE_END ".run"
#define RUN_ERROR_SIZE 512

struct run_file;

/* Makes the file of a run that starts. Returns NULL, and error says why, for example because the
 * file exists. directory: that of the history, an absolute path. */
struct run_file *run_file_create(const char *path, const struct run *run, const char *directory,
                                 char error[RUN_ERROR_SIZE]);

/* On NULL, error says why. A file of something else, or of another version, is refused. */
struct run_file *run_file_open(const char *path, bool may_write, char error[RUN_ERROR_SIZE]);

/* What was not committed is lost. */
void run_file_close(struct run_file *file);

/* Reads name, state, times and tags, and, if all is true, what was measured. The file may contain
 * any octets: what makes no sense is an error. The run has to be released in either case.
 * *directory, if directory is not NULL, has to be freed. */
bool run_file_read(struct run_file *file, bool all, struct run *run, char **directory,
                   char error[RUN_ERROR_SIZE]);

/* Notes that the run has been stopped and is still to be copied. */
bool run_file_stop(struct run_file *file, int64_t stop_ms, char error[RUN_ERROR_SIZE]);

/* All calls between these two are one transaction, which run_file_commit() commits. It also reports
 * any failure in between. A copy that was begun before is begun anew. */
void run_file_begin(struct run_file *file);
bool run_file_commit(struct run_file *file, enum run_state state, char error[RUN_ERROR_SIZE]);

void run_file_add_node(struct run_file *file, const struct run_node *node);
/* Returns the number of the series of that node, sensor and instance, which is added if new. */
int64_t run_file_add_series(struct run_file *file, const struct run_series *series);
/* At most POINTS_MAX points. */
void run_file_add_points(struct run_file *file, int64_t series, const struct point *points,
                         size_t n);
void run_file_add_minute(struct run_file *file, int64_t series, int64_t start_ms,
                         const struct statistics_window *window);

/* As in the table; cpu and allocated are less than 0 if they are not known. */
struct run_file_record {
    int64_t start_ns, duration_ns, sequence, result, cpu_ns, allocated;
};
void run_file_add_record(struct run_file *file, int64_t series,
                         const struct run_file_record *record);

/* Forgets the records that were added since run_file_begin(), because they are wrong; all of them
 * will be added again. */
void run_file_forget_records(struct run_file *file);

#endif
