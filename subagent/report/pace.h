/* How many records of steps may go into the report blocks: what programs do has no bound, and what
 * else a parent is to know must not fall out of the ring of blocks for it. So many on the average,
 * more at once after a time with less; and where that is not enough for all, no user has more than
 * an equal part of it. Pure. */
#ifndef DCAMP_REPORT_PACE_H
#define DCAMP_REPORT_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero octets but for the first two have not begun. */
struct pace {
    double per_second;            /* records */
    double most;                  /* at once; a pass after a long time may have as many */
    double room;                  /* how many more there is room for, */
    double begun_with;            /* and was when the pass began */
    uint64_t since_ns;            /* of the last pass, monotonic; 0: there was none */
    unsigned users, users_before; /* who want records, in this pass and in the one before */
};

/* What a user has in a pass; all zero octets when that begins. */
struct pace_user {
    bool has_asked;
    uint32_t admitted; /* records of the usual length */
};

/* Begins a pass. */
void pace_begin(struct pace *pace, uint64_t now_ns);

/* Whether there is room for one more record of a user, which is then counted there. size: of how
 * many of the usual length it takes the place. */
bool pace_admit(struct pace *pace, struct pace_user *user, unsigned size);

#endif
