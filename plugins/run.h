/* A check in progress: the modes ask the node for what they need and have it judged. */
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

/* Each fills in the result, even if the node does not answer. */
void mode_values(struct run *run); /* of a sensor or an aggregate */
void mode_alarms(struct run *run);
void mode_tree(struct run *run);
void mode_freshness(struct run *run);

/* -- For the modes -- */

/* Sets the result for a failed request. Returns false. */
bool run_failed(struct run *run);
bool run_no_memory(struct run *run);

/* Gets the first cells that a mode needs; the first one becomes dcampNodeName.0, because without
 * that, the node does not run dCAMP at present. */
bool run_get_node(struct run *run, struct cell *cells, size_t n);

/* The text of a cell; the label of a number whose object is an enumeration; otherwise "". */
void run_text(char *to, size_t size, const struct cell *cell);

/* DateAndTime as "2026-11-20 19:05:08+00:00"; "" if it is none. */
void run_date(char to[32], const struct cell *cell);

/* Makes room for one more element, by malloc. Returns NULL, and changes nothing, without memory. */
void *run_grow(void *array, size_t n, size_t size);

#endif
