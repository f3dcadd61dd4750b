/* How far the report blocks of a child have been read. */
#ifndef DCAMP_CHILDREN_CURSOR_H
#define DCAMP_CHILDREN_CURSOR_H

#include <stdbool.h>
#include <stdint.h>

struct child;
struct children;

struct child_cursor {
    uint32_t boot, next_block; /* 0: nothing has been read yet */
    uint64_t blocks;           /* that were valid */
    uint64_t lost;             /* that the child no longer kept when they were asked for */
    uint64_t pushed;           /* that it pushed */
    bool replays;              /* what comes now is what it has kept from before it was polled, and
                                * what was added before all of that was read */
    uint32_t kept;             /* its newest block when it was first asked; 0 in another boot */
    bool bad_block;            /* the last block could not be decoded */
    uint32_t starved;     /* the block for which memory was lacking: it equals next_block while it
                           * is asked for again. 0: none */
    uint32_t taken;       /* how many entries of series of that block were nevertheless taken */
    uint32_t again_until; /* blocks before this one are being read again for children->blocks; 0:
                           * none */
};

/* How a pushed block relates to a child whose boot and next block (0: not known) are these. */
enum child_push { CHILD_PUSH_NEXT, CHILD_PUSH_OLD, CHILD_PUSH_AHEAD };
enum child_push child_judge_push(uint32_t known_boot, uint32_t next_block, uint32_t boot,
                                 uint32_t sequence);

/* Tells the poller of the child how far the blocks were read. soon: there are more, so the next
 * poll must not wait. */
void child_tell_cursor(const struct children *children, const struct child *child, bool soon);

/* Has the blocks asked for again from the oldest on. */
void child_read_again(const struct children *children, const struct child *child);

/* Has the blocks asked for again from this one on, soon. */
void child_read_from(const struct children *children, const struct child *child, uint32_t block);

#endif
