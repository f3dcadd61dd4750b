/* What the report blocks of one node say, sorted: its samples and windows by series and time. Pure
 * but for its memory. */
#ifndef DCAMP_PUBLISH_DIGEST_H
#define DCAMP_PUBLISH_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#include "publish/cells.h"
#include "publish/points.h"

/* Which series has that number in that boot of the node; 0: nobody knows. */
typedef int64_t digest_name_fn(const void *context, uint32_t boot, uint32_t number);

struct digest_point {
    int64_t series;
    struct point point;
};

/* A window, whole or, where its other parts never came, without a histogram of all its values. */
struct digest_window {
    int64_t series, wall_ms; /* at which it ended */
    uint32_t window_ms;
    struct statistics_window window;
};

struct digest {
    struct digest_point *samples;
    struct digest_window *windows;
    size_t n_samples, n_windows, room_samples, room_windows;
    int64_t from_ms, to_ms;    /* what is not in between is left out */
    int64_t only;              /* nothing of other series is taken; 0: all are */
    uint64_t nameless, beyond; /* entries that were left out: of no series, of another time */
};

void digest_release(struct digest *digest);

/* Adds what a block says, which was accepted before. 0; EBADMSG: it is no block; ENOMEM: a part of
 * it may have been added. */
int digest_block(struct digest *digest, const uint8_t *octets, size_t len, digest_name_fn *name,
                 const void *context);

/* Adds a sample, as if a block had it. 0 or ENOMEM. */
int digest_sample(struct digest *digest, int64_t series, const struct point *point);

/* To be called behind the last block: sorts. Of two samples of one series and time the later one
 * comes later. */
void digest_end(struct digest *digest);

#endif
