/* The windows of a series of a child, and the keys of a top, which come with them. A window comes
 * in parts, in one block or in several; the latest complete one is kept beside the parts of the
 * next. */
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
    bool has_totals; /* it is the window of an aggregate */
};

struct child_window {
    int64_t wall_ms; /* of the parts */
    struct window_parts parts, whole;
    uint64_t finished;     /* how many were completed */
    uint64_t heard_ns;     /* monotonic: when the latest one was completed */
    uint32_t window_ms;    /* how long a window is */
    struct child_top *top; /* the keys of a top that came with them; NULL: none */
};

/* Takes an entry of kind REPORT_WINDOW; *window is allocated if it is NULL. *is_whole: whether this
 * entry completes the window. Parts that cannot be added up are left out. ENOMEM: the parts that
 * had come are still there, and the same entry can be taken again; if it is the first part, the
 * earlier ones are gone. */
int child_window_take(struct child_window **window, const struct report_entry *entry,
                      bool *is_whole);

/* Takes an entry of kind REPORT_KEYS in the same way. ENOMEM: nothing has changed. */
int child_window_take_keys(struct child_window **window, const struct report_entry *entry);

/* How much memory it takes, in octets; 0 for NULL. */
size_t child_window_cost(const struct child_window *window);
void child_window_free(struct child_window *window);

#endif
