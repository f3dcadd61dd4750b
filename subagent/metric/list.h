/* The registry for people. */
#ifndef DCAMP_METRIC_LIST_H
#define DCAMP_METRIC_LIST_H

#include <stdio.h>

/* Writes all metrics, and what else can be looked up, as a document in Markdown: doc/metrics.md. */
void metric_list(FILE *to);

/* Writes all metrics for a terminal: name, unit, kind and meaning, in lines of at most 100 columns.
 */
void metric_table(FILE *to);

#endif
