/* What the history says of one series: read from the files of a directory (publish/chronicle.h),
 * which another process may be writing meanwhile; with what is in its inbox still. */
#ifndef DCAMP_PUBLISH_HISTORY_H
#define DCAMP_PUBLISH_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "publish/database.h"
#include "publish/points.h"
#include "calculate/statistics.h"

/* Files stay open from question to question: most of a short one is to open them. */
struct history;

/* The files that there are now, read when a question needs them. NULL, and *error: the directory
 * cannot be read, or ENOMEM. */
struct history *history_open(const char *directory, int *error);
void history_close(struct history *history);

struct history_question {
    const char *path; /* the node */
    const char *sensor, *instance;
    int64_t from_ms, to_ms; /* both are in it */
    bool only_moments;      /* of cells: their histograms are not needed, or not all there */
};

typedef void history_point_fn(void *context, const struct point *point);
typedef void history_cell_fn(void *context, int64_t start_ms,
                             const struct statistics_window *statistics);

/* Which file could not be read, and why, of the last question that returned an error; "" if that
 * was not for a file. */
#define HISTORY_FAULT_SIZE 256
const char *history_fault(const struct history *history);

/* Whether the last question could read any of the files. */
bool history_has_read(const struct history *history);

/* In the order of their times: all points; or all cells of a tier that have values. 0; ENOMEM; or
 * another errno, where one of the files could not be read: what could was told all the same. */
int history_points(struct history *history, const struct history_question *question,
                   history_point_fn *each, void *context);
int history_cells(struct history *history, const struct history_question *question,
                  const struct tier *tier, history_cell_fn *each, void *context);

/* Each file that has something of a time from from_ms on, open, as it was at one moment. What each
 * returns other than SQLITE_OK is what SQLite said of that file; the inboxes of all but the newest
 * one are of no use, for what they have is in that of the newest one, too; the others are read all
 * the same. again: what was told of all files is wrong, forget it, all come once more. 0 or an
 * errno. */
typedef int history_file_fn(void *context, sqlite3 *db, bool is_newest);
typedef void history_again_fn(void *context);
int history_each_file(struct history *history, int64_t from_ms, history_file_fn *each,
                      history_again_fn *again, void *context);

#endif
