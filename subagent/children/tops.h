/* The keys of a top that a child tells. They come in parts, in one block or in several; the latest
 * complete ones are kept beside the parts of the next. */
#ifndef DCAMP_CHILDREN_TOPS_H
#define DCAMP_CHILDREN_TOPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/keys.h"
#include "report/report.h"

struct child_top {
    int64_t wall_ms, whole_ms;    /* of the parts; of those that were last complete */
    size_t size;                  /* how many keys there are when the parts are complete */
    struct top_keys parts, whole; /* parts: those that have come so far */
    uint64_t finished;            /* how many times keys were complete */
};

/* Takes an entry of kind REPORT_KEYS; *top is allocated if it is NULL. Keys whose first part was
 * lost are left out. ENOMEM: nothing has changed, and the same entry can be taken again. */
int child_top_take(struct child_top **top, const struct report_entry *entry);

/* How much memory it takes, in octets, including the rows elsewhere that it may become
 * (CHILD_TOP_ROW); 0 for NULL. */
size_t child_top_cost(const struct child_top *top);
void child_top_free(struct child_top *top);

#endif
