/* Several values at once that are equal. Not exported: dcamp-statsd is linked with it, to which a
 * sample of one in n stands for n. What is said of the functions for one value in dcamp.h holds. */
#ifndef DCAMP_MANY_H
#define DCAMP_MANY_H

#include <stdint.h>

#include "libdcamp/dcamp.h"

void dcamp_timer_record_many(struct dcamp_timer *timer, uint64_t nanoseconds, uint32_t n);
void dcamp_histogram_record_many(struct dcamp_histogram *histogram, double value, uint32_t n);

#endif
