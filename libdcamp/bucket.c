#include "libdcamp/bucket.h"

#include <string.h>

#include "dcamp_buckets.h"
#include "libdcamp/segment.h"

_Static_assert(BUCKETS == SEGMENT_BUCKETS_OF_SIGN, "the buckets of the daemon");

unsigned dcamp_bucket_of(double magnitude)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    uint64_t cell = (bits >> BUCKET_CELL_SHIFT) - BUCKET_CELL_FIRST;
    if (cell >= BUCKET_CELLS)
        return BUCKETS - 1;
    unsigned bucket = bucket_cell[cell];
    return bucket + (bucket < BUCKETS - 1 && magnitude > bucket_border[bucket]);
}

/* A division, because a product with 1e-9 would sometimes be another double than the daemon's. */
unsigned dcamp_bucket_of_nanoseconds(uint64_t ns)
{
    return dcamp_bucket_of((double)(int64_t)((ns ? ns : 1) & INT64_MAX) / 1e9);
}
