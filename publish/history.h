/* What the history says about one series: read from the files of a directory (publish/chronicle.h),
 * which another process may be writing meanwhile, including what is still in its inbox. */
#ifndef DCAMP_PUBLISH_HISTORY_H
#define DCAMP_PUBLISH_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "publish/database.h"
#include "publish/points.h"
#include "calculate/statistics.h"

/* Files stay open from question to question: opening them takes most of the time of a short one. */
struct history;

/* Lists the files that there are now; they are opened when a question needs them. NULL, with
 * *error: the directory cannot be read, or ENOMEM. */
struct history *history_open(const char *directory, int *error);
void history_close(struct history *history);

struct history_question {
    const char *path; /* the node */
    const char *sensor, *instance;
    int64_t from_ms, to_ms; /* both are in it */
    bool only_moments;      /* of cells: their histograms are not needed, and may be missing or
                               incomplete */
};

typedef void history_point_fn(void *context, const struct point *point);
typedef void history_cell_fn(void *context, int64_t start_ms,
                             const struct statistics_window *statistics);

/* Which file could not be read, and why, for the last question that returned an error; "" if that
 * was not because of a file. */
#define HISTORY_FAULT_SIZE 256
const char *history_fault(const struct history *history);

/* Whether the last question could read any of the files. */
bool history_has_read(const struct history *history);

/* Tell, in the order of their times, all points; or all cells of a tier that have values. 0;
 * ENOMEM; or another errno if one of the files could not be read: what could be read was told all
 * the same. */
int history_points(struct history *history, const struct history_question *question,
                   history_point_fn *each, void *context);
int history_cells(struct history *history, const struct history_question *question,
                  const struct tier *tier, history_cell_fn *each, void *context);

/* Tells each file that has something from from_ms on, open, as it was at one moment. What each()
 * returns other than SQLITE_OK is the error of SQLite for that file; the other files are told all
 * the same. Only the inbox of the newest file is of use: it has what those of the others have, too.
 * again(): what was told of all files is wrong and must be forgotten; all files come once more. 0
 * or an errno. */
typedef int history_file_fn(void *context, sqlite3 *db, bool is_newest);
typedef void history_again_fn(void *context);
int history_each_file(struct history *history, int64_t from_ms, history_file_fn *each,
                      history_again_fn *again, void *context);

#endif
