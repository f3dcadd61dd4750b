/* How far a sink has the blocks of each stream, as it says when it begins: most of these streams
 * begin later, when their nodes answer, or never. They are looked up by a 64-bit hash of what
 * identifies the stream: a collision harms only the node that provokes it. Pure. */
#ifndef DCAMP_OUTLET_CURSORS_H
#define DCAMP_OUTLET_CURSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Far more than the boots of all children that a sink may remember. */
#define CURSORS_MAX 262144

struct cursor_entry;

struct cursors {
    struct cursor_entry *entries; /* a hash table; NULL: there are none */
};

/* An all-zero struct is empty. */
void cursors_release(struct cursors *cursors);

/* A stream is the blocks of one boot of the node at a path, which has that engine ID. If a stream
 * is added more than once, the last time counts. False: there are cursors of CURSORS_MAX other
 * streams, or no memory. */
bool cursors_add(struct cursors *cursors, const char *path, const uint8_t *engine_id,
                 uint32_t engine_id_len, uint32_t boot, uint32_t next);

/* The number of the block that is wanted next, from 1 on; 0: nothing was said about the stream. */
uint32_t cursors_find(const struct cursors *cursors, const char *path, const uint8_t *engine_id,
                      uint32_t engine_id_len, uint32_t boot);

#endif
