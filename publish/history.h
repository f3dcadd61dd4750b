/* What the history says of one series: read from the files of a directory (publish/chronicle.h),
 * which another process may be writing meanwhile; with what is in its inbox still. */
#ifndef DCAMP_PUBLISH_HISTORY_H
#define DCAMP_PUBLISH_HISTORY_H

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
};

typedef void history_point_fn(void *context, const struct point *point);
typedef void history_cell_fn(void *context, int64_t start_ms,
                             const struct statistics_window *statistics);

/* In the order of their times: all points; or all cells of a tier that have values. 0; ENOMEM; or
 * another errno, where one of the files could not be read: what could was told all the same. */
int history_points(struct history *history, const struct history_question *question,
                   history_point_fn *each, void *context);
int history_cells(struct history *history, const struct history_question *question,
                  const struct tier *tier, history_cell_fn *each, void *context);

#endif
