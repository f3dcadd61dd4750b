/* Where nodes announce themselves to a candidate: the socket, and what of its packets is believed.
 *
 * A packet comes as far as what it has shown to be: from a network that may announce nodes, not too
 * many of its source, encrypted by the user that polls. Then keys are made for the engine that it
 * names, by which Net-SNMP has to find it authentic. All that follows from it is a question to
 * where it came from. */
#ifndef DCAMP_DIRECTOR_HEARING_H
#define DCAMP_DIRECTOR_HEARING_H

#include "director/state.h"

/* Listens where the tree document says, or not. Returns when to call it again. */
uint64_t hearing_step(struct director *director, uint64_t now);

/* Packets have come. */
void hearing_read(struct director *director, uint64_t now);

void hearing_stop(struct director *director);

#endif
