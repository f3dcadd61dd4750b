/* Takes what a dCAMP node answers, from the PDU to what the core is told. peer->error says what is
 * wrong with the answer. */
#ifndef DCAMP_POLLER_PEER_ANSWER_H
#define DCAMP_POLLER_PEER_ANSWER_H

#include "poller/peer.h"

/* Takes an answer to a poll. The cursor moves only when the message to the core is safe. */
void peer_take_poll(struct peer *peer, const netsnmp_pdu *pdu);

/* Takes entries of its dictionary. Series whose entries are garbage are not asked for again, unless
 * the core asks. */
void peer_take_series(struct peer *peer, const netsnmp_pdu *pdu);

#endif
