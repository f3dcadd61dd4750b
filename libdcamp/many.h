/* Records several equal values at once. These functions are not exported; dcamp-statsd is linked
 * with them, because a sample of one in n stands for n values. Otherwise they are like the
 * functions for one value in dcamp.h. */
#ifndef DCAMP_MANY_H
#define DCAMP_MANY_H

#include <stdint.h>

#include "libdcamp/dcamp.h"

void dcamp_timer_record_many(struct dcamp_timer *timer, uint64_t nanoseconds, uint32_t n);
void dcamp_histogram_record_many(struct dcamp_histogram *histogram, double value, uint32_t n);

#endif
