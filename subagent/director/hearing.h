/* Where nodes announce themselves to a candidate: the socket, and which of its packets are
 * believed.
 *
 * A packet gets only as far as its checks allow: it must come from a network that may announce
 * nodes, be one of not too many from its source, and be encrypted by the user that polls. Then keys
 * are made for the engine that it names, and with these Net-SNMP has to find it authentic. The only
 * consequence is a question to the address that it came from. */
#ifndef DCAMP_DIRECTOR_HEARING_H
#define DCAMP_DIRECTOR_HEARING_H

#include "director/state.h"

/* Listens where the tree document says, or stops listening. Returns when to call it again. */
uint64_t hearing_step(struct director *director, uint64_t now);

/* Packets have come. */
void hearing_read(struct director *director, uint64_t now);

void hearing_stop(struct director *director);

#endif
