/* What the numbers in the blocks of streams mean, as a reader of the history takes it from a file:
 * of many streams at a time. Pure but for its memory. */
#ifndef DCAMP_PUBLISH_MEANINGS_H
#define DCAMP_PUBLISH_MEANINGS_H

#include "publish/retold.h"

struct meaning {
    int64_t stream, number, series;
    struct retold_until until; /* what was told of the series before */
};

/* Ascending by stream and number; all zero octets are none. */
struct meanings {
    struct meaning *at;
    size_t n, room;
};

void meanings_release(struct meanings *meanings);

/* Behind all others, as which it is not less. False: no memory. */
bool meanings_add(struct meanings *meanings, const struct meaning *meaning);

/* NULL: nobody has said what the number means. */
const struct meaning *meanings_find(const struct meanings *meanings, int64_t stream,
                                    uint32_t number);

#endif
