/* What the numbers in the blocks of streams mean, as a reader of the history takes it from a file,
 * for many streams at a time. Pure but for its memory. */
#ifndef DCAMP_PUBLISH_MEANINGS_H
#define DCAMP_PUBLISH_MEANINGS_H

#include "publish/retold.h"

struct meaning {
    int64_t stream, number, series;
    struct retold_until until; /* up to when the series was told before */
};

/* Ascending by stream and number; if all octets are zero, there are none. */
struct meanings {
    struct meaning *at;
    size_t n, room;
};

void meanings_release(struct meanings *meanings);

/* Adds one behind all others; it must not be less than these. False: no memory. */
bool meanings_add(struct meanings *meanings, const struct meaning *meaning);

/* NULL: it is not known what the number means. */
const struct meaning *meanings_find(const struct meanings *meanings, int64_t stream,
                                    uint32_t number);

#endif
