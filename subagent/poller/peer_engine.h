/* Who answers at a child's address: whether its engine is another one, cloned, restored, or
 * gone. */
#ifndef DCAMP_POLLER_PEER_ENGINE_H
#define DCAMP_POLLER_PEER_ENGINE_H

#include "poller/peer.h"

bool engine_is_same(const struct snmp_engine *a, const struct snmp_engine *b);

/* Whether the message that was just found authentic states an earlier time than another peer with
 * this engine ID has stated: one of them is a clone. If memory runs out, no peer is behind. */
bool peer_is_behind(struct peer *peer);

/* The time that this peer said does not count any more. */
void peer_fall_back(struct peer *peer);

/* Its boots went back: they are taken as they are from now on. text says what is wrong, if that is
 * known. */
void peer_heal_time(struct peer *peer, char *text, size_t size);

/* Another engine answers: it is found out anew, and text says which engine it was. */
void peer_leave_engine(struct peer *peer, char *text, size_t size);

void peer_forget_engine(struct peer *peer);

#endif
