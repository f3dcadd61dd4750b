/* The registry for people. */
#ifndef DCAMP_METRIC_LIST_H
#define DCAMP_METRIC_LIST_H

#include <stdio.h>

/* Writes all metrics, and what can be looked up besides, as a document in Markdown:
 * doc/metrics.md. */
void metric_list(FILE *to);

#endif
