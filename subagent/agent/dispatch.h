/* From AgentX requests to the table engine and back. */
#ifndef DCAMP_AGENT_DISPATCH_H
#define DCAMP_AGENT_DISPATCH_H

#include "agent/agentx.h"
#include "agent/engine.h"
#include "agent/set.h"

struct dispatch {
    struct engine engine;
    struct set_transaction *transaction; /* the one SET that the master has open, or NULL */
    long transaction_id;
    long test_id; /* the packet of its TestSet */
};

/* Answers one request, under the lock of the core. */
void dispatch_request(struct dispatch *dispatch, struct agentx *agentx, netsnmp_pdu *pdu);

/* The session is gone: ends what it left open. */
void dispatch_reset(struct dispatch *dispatch);

#endif
