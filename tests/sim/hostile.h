/* Report blocks that are well-formed and mean harm: random ones, and those whose few octets become
 * as much memory as they can. */
#ifndef DCAMP_SIM_HOSTILE_H
#define DCAMP_SIM_HOSTILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hostile {
    uint64_t random;     /* not 0 */
    uint32_t series_max; /* numbers of series are 1 to this */
    int64_t wall_ms;
    bool wide; /* nothing but windows of all buckets, of one series after the other */
    uint32_t next;
};

/* A block of at most room octets, 256 or more; its length. */
size_t hostile_block(struct hostile *hostile, uint32_t boot, uint32_t sequence, uint8_t *room_at,
                     size_t room);

#endif
