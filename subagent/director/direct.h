/* What a director does when something has happened: this has neither the loop nor the core. */
#ifndef DCAMP_DIRECTOR_DIRECT_H
#define DCAMP_DIRECTOR_DIRECT_H

#include "director/state.h"

void direct_open(struct director *director, int fd, int epoll);
void direct_close(struct director *director);

/* Takes a message of the core. False: it is no message that the core sends, or there is no memory
 * for it. */
bool direct_take(struct director *director, const struct message *message, uint64_t now);

/* To be called before anything else that happens at this time is handled: finds out whether this
 * director was frozen, and what it may do. */
void direct_tick(struct director *director, uint64_t now);

/* To be called after everything that has happened was handled. Returns when to call it again at the
 * latest. */
uint64_t direct_step(struct director *director, uint64_t now);

#endif
