/* Fuzz target: any octets as a chunk of points. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "main.h"
#include "publish/points.h"

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static bool are_equal(const struct point *a, const struct point *b)
{
    return a->wall_ms == b->wall_ms && a->result.state == b->result.state &&
           memcmp(&a->result.value, &b->result.value, sizeof a->result.value) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct point points[POINTS_MAX], again[POINTS_MAX];
    static uint8_t octets[POINTS_OCTETS_MAX];
    size_t n, n_again;
    if (points_unpack(data, size, points, &n))
        return 0;
    /* What was accepted can be packed, and is the same then. */
    size_t len = points_pack(points, n, octets);
    expect(len <= POINTS_OCTETS_MAX && !points_unpack(octets, len, again, &n_again) &&
           n == n_again);
    for (size_t i = 0; i < n; i++)
        expect(isfinite(points[i].result.value) && are_equal(&points[i], &again[i]));
    return 0;
}
