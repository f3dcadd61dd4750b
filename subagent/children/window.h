/* The windows of a series of a child, and the keys of a top, which come with them. A window comes
 * in parts, in one block or in several; the latest one that is whole is kept beside the parts of
 * the next. */
#ifndef DCAMP_CHILDREN_WINDOW_H
#define DCAMP_CHILDREN_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/statistics.h"
#include "children/tops.h"
#include "report/report.h"

struct window_parts {
    struct statistics_window window;
    struct report_totals totals;
    bool has_totals; /* it is of an aggregate */
};

struct child_window {
    int64_t wall_ms; /* of the parts */
    struct window_parts parts, whole;
    uint64_t finished;     /* how many were whole */
    uint64_t heard_ns;     /* monotonic: when the latest one was whole */
    uint32_t window_ms;    /* how long that is */
    struct child_top *top; /* what came with them, of a top; NULL: nothing */
};

/* Takes an entry of kind REPORT_WINDOW; *window is allocated where it is NULL. *is_whole: whether
 * the window is whole with it. What cannot be added up is left out. ENOMEM: the parts that had come
 * are still there, and the same entry can be taken again; if it is the first one, they are gone. */
int child_window_take(struct child_window **window, const struct report_entry *entry,
                      bool *is_whole);

/* Takes an entry of kind REPORT_KEYS likewise. ENOMEM: nothing has changed. */
int child_window_take_keys(struct child_window **window, const struct report_entry *entry);

/* What it takes of memory, in octets; 0 for NULL. */
size_t child_window_cost(const struct child_window *window);
void child_window_free(struct child_window *window);

#endif
