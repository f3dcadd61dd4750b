/* How many records of steps may go into the report blocks: programs may run any number of steps,
 * but everything else that a parent is to know must not fall out of the ring of blocks because of
 * them. There may be so many on average, and more at once after a time with fewer; if that is not
 * enough for all users, no user gets more than an equal part of it. Pure. */
#ifndef DCAMP_REPORT_PACE_H
#define DCAMP_REPORT_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* It has not begun yet if all octets but those of the first two members are zero. */
struct pace {
    double per_second;            /* records on average */
    double most;                  /* records at once; a pass after a long time may have as many */
    double room;                  /* how many more records there is room for */
    double begun_with;            /* the room when the pass began */
    uint64_t since_ns;            /* of the last pass, monotonic; 0: there was none */
    unsigned users, users_before; /* who want records, in this pass and in the one before */
};

/* What a user has in a pass; all zero octets when the pass begins. */
struct pace_user {
    bool has_asked;
    uint32_t admitted; /* records of the usual length */
};

/* Begins a pass. */
void pace_begin(struct pace *pace, uint64_t now_ns);

/* Whether there is room for one more record of a user; if so, it is counted. size: how many records
 * of the usual length it takes the place of. */
bool pace_admit(struct pace *pace, struct pace_user *user, unsigned size);

#endif
