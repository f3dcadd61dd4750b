/* Pictures of one figure in both runs, for the page: its course over the time of the runs, and the
 * distribution of its values. */
#ifndef DCAMP_RUNS_PICTURE_H
#define DCAMP_RUNS_PICTURE_H

#include "publish/octets.h"
#include "runs/print.h"

/* Each appends a picture as a self-contained element <img>, or nothing if there is nothing to draw.
 * Returns false if memory runs out. */
bool picture_of_time(const struct print_subject *subject, const struct compare_row *row,
                     struct octets *to);
bool picture_of_quantiles(const struct print_subject *subject, const struct compare_row *row,
                          struct octets *to);

#endif
