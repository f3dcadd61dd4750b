#include "libdcamp/bucket.h"

#include <string.h>

#include "dcamp_buckets.h"
#include "libdcamp/segment.h"

_Static_assert(BUCKETS == SEGMENT_BUCKETS_OF_SIGN, "the buckets of the daemon");

unsigned bucket_of(double magnitude)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    uint64_t cell = (bits >> BUCKET_CELL_SHIFT) - BUCKET_CELL_FIRST;
    if (cell >= BUCKET_CELLS)
        return BUCKETS - 1;
    unsigned bucket = bucket_cell[cell];
    return bucket + (bucket < BUCKETS - 1 && magnitude > bucket_border[bucket]);
}

/* A product instead of a quotient takes a third of the time, and gives another double at times, but
 * never another bucket: test_libdcamp_bucket looks at each border. */
unsigned bucket_of_nanoseconds(uint64_t ns)
{
    if (ns == 0)
        ns = 1;
    return bucket_of((double)(int64_t)(ns & INT64_MAX) * 1e-9);
}
