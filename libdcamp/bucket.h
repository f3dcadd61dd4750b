/* The bucket of a value in dCAMP's histograms, as a number from 0 on: pure. */
#ifndef DCAMP_BUCKET_H
#define DCAMP_BUCKET_H

#include <stdint.h>

/* Takes a magnitude of at least 1e-9. The result is that of histogram_index() of the daemon,
 * counted from the bucket of 1e-9 on, and at most SEGMENT_BUCKETS_OF_SIGN - 1. */
unsigned dcamp_bucket_of(double magnitude);

/* Takes a duration in nanoseconds; the bucket is that of the duration in seconds. 0 counts as 1. */
unsigned dcamp_bucket_of_nanoseconds(uint64_t ns);

#endif
