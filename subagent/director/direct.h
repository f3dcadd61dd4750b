/* What a director does when something has happened: without the loop, and without the core. */
#ifndef DCAMP_DIRECTOR_DIRECT_H
#define DCAMP_DIRECTOR_DIRECT_H

#include "director/state.h"

void direct_open(struct director *director, int fd, int epoll);
void direct_close(struct director *director);

/* A message of the core. False: it is none that it sends, or there is no memory for it. */
bool direct_take(struct director *director, const struct message *message, uint64_t now);

/* Before anything else that happens at this time: whether this director was frozen, and what it may
 * do. */
void direct_tick(struct director *director, uint64_t now);

/* After all that has happened. Returns when to call it again at the latest. */
uint64_t direct_step(struct director *director, uint64_t now);

#endif
