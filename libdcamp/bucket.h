/* The bucket of a value in dCAMP's histograms, as a number from 0 on: pure. */
#ifndef DCAMP_BUCKET_H
#define DCAMP_BUCKET_H

#include <stdint.h>

/* Of a magnitude that is at least 1e-9: what histogram_index() of the daemon says, counted from the
 * bucket of 1e-9 on. At most SEGMENT_BUCKETS_OF_SIGN - 1. */
unsigned dcamp_bucket_of(double magnitude);

/* Of a duration in nanoseconds: the bucket of so many seconds; what took none took one. */
unsigned dcamp_bucket_of_nanoseconds(uint64_t ns);

#endif
