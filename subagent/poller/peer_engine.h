/* Who answers at a child's address: engines that are another, cloned, restored, or gone. */
#ifndef DCAMP_POLLER_PEER_ENGINE_H
#define DCAMP_POLLER_PEER_ENGINE_H

#include "poller/peer.h"

bool engine_is_same(const struct snmp_engine *a, const struct snmp_engine *b);

/* Its boots went back: they are taken as they are from now on. Where that is known, text says what
 * is wrong. */
void peer_heal_time(struct peer *peer, char *text, size_t size);

/* Another engine answers: it is found out anew, and text says which it was. */
void peer_leave_engine(struct peer *peer, char *text, size_t size);

void peer_forget_engine(struct peer *peer);

/* Gives memory back that is not used any more. The library's list of engines is made anew if it has
 * grown: its entries came to lie in between much else, and each would keep a page. */
void peers_tidy(struct peers *peers);

#endif
