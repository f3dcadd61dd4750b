/* Pictures of what two runs have of one figure, for the page: how it went over the time of the
 * runs, and how its values are distributed. */
#ifndef DCAMP_RUNS_PICTURE_H
#define DCAMP_RUNS_PICTURE_H

#include "publish/octets.h"
#include "runs/print.h"

/* Each appends a picture as an element <img> that has all of it in itself, or nothing where there
 * is nothing to be drawn. False: no memory. */
bool picture_of_time(const struct print_subject *subject, const struct compare_row *row,
                     struct octets *to);
bool picture_of_quantiles(const struct print_subject *subject, const struct compare_row *row,
                          struct octets *to);

#endif
