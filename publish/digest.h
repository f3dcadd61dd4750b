/* What the report blocks of one stream say, sorted: its samples and windows by series and time.
 * Pure but for its memory. */
#ifndef DCAMP_PUBLISH_DIGEST_H
#define DCAMP_PUBLISH_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "publish/cells.h"
#include "publish/points.h"

struct report_entry;

/* The series that the number of the entry means in the stream; 0: it is not known; DIGEST_TOLD: the
 * entry was told before. */
typedef int64_t digest_name_fn(const void *context, const struct report_entry *entry);
#define DIGEST_TOLD (-1)

struct digest_point {
    int64_t series;
    struct point point;
};

/* A window; if some of its parts never came, its histogram lacks some of its values. */
struct digest_window {
    int64_t series, wall_ms; /* at which it ended */
    uint32_t window_ms;
    struct statistics_window window;
};

struct digest {
    struct digest_point *samples, *spare; /* spare: an array of the same size, or NULL */
    struct digest_window *windows;
    size_t n_samples, n_windows, room_samples, room_windows;
    int64_t from_ms, to_ms;    /* what is outside of these is left out */
    int64_t only;              /* if not 0, only this series is taken */
    uint64_t nameless, beyond; /* entries that were left out: of no known series; of another time */
};

void digest_release(struct digest *digest);

/* Forgets all samples and windows; the memory is kept for the next ones. */
void digest_clear(struct digest *digest);

/* Adds what a block says; it was accepted before. 0; EBADMSG: it is no block; ENOMEM: a part of it
 * may have been added. */
int digest_block(struct digest *digest, const uint8_t *octets, size_t len, digest_name_fn *name,
                 const void *context);

/* Adds a sample, as if a block had it. 0 or ENOMEM. */
int digest_sample(struct digest *digest, int64_t series, const struct point *point);

/* Adds a copy of a window under another series, with or without its histogram. 0, ENOMEM. */
int digest_window(struct digest *digest, int64_t series, const struct digest_window *from,
                  bool has_histogram);

/* To be called after the last block: sorts. Of two samples of one series and time, the later one
 * comes later. */
void digest_end(struct digest *digest);

/* Gives back memory that is not in use; for a digest that is kept. */
void digest_fit(struct digest *digest);

#endif
