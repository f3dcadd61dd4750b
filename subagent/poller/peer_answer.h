/* What a dCAMP node answers, from the PDU to what the core is told. peer->error says what is wrong
 * with it. */
#ifndef DCAMP_POLLER_PEER_ANSWER_H
#define DCAMP_POLLER_PEER_ANSWER_H

#include "poller/peer.h"

/* Takes an answer to a poll. The cursor moves only when the core's copy is safe. */
void peer_take_poll(struct peer *peer, const netsnmp_pdu *pdu);

/* Takes entries of its dictionary. Series that bring garbage are not asked for again, unless the
 * core does so. */
void peer_take_series(struct peer *peer, const netsnmp_pdu *pdu);

#endif
