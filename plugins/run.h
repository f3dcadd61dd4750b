/* One check under way: the modes ask the node for what they need and have it judged. */
#ifndef DCAMP_PLUGINS_RUN_H
#define DCAMP_PLUGINS_RUN_H

#include "cli/client.h"
#include "plugins/options.h"
#include "plugins/result.h"

struct run {
    const struct options *options;
    struct client *client;
    struct result *result;
};

/* Each fills in the result, also when the node does not answer. */
void mode_values(struct run *run); /* of a sensor or an aggregate */
void mode_alarms(struct run *run);
void mode_tree(struct run *run);
void mode_freshness(struct run *run);

/* -- For the modes -- */

/* The result becomes what it is when a request fails. Returns false. */
bool run_failed(struct run *run);
bool run_no_memory(struct run *run);

/* GET of a mode's first cells, of which the first is dcampNodeName.0: what has none is no dCAMP
 * node now. */
bool run_get_node(struct run *run, struct cell *cells, size_t n);

/* The text of a cell; the label of its number, where the object is an enumeration; "" of none. */
void run_text(char *to, size_t size, const struct cell *cell);

/* DateAndTime as "2026-11-20 19:05:08+00:00", "" of none. */
void run_date(char to[32], const struct cell *cell);

/* Room for one more element, from malloc. NULL: no memory, and the array is as it was. */
void *run_grow(void *array, size_t n, size_t size);

#endif
