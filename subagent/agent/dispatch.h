/* From AgentX requests to the table engine and back. */
#ifndef DCAMP_AGENT_DISPATCH_H
#define DCAMP_AGENT_DISPATCH_H

#include "agent/agentx.h"
#include "agent/engine.h"
#include "agent/set.h"

struct dispatch {
    struct dcampd *core;
    struct engine engine;
    struct set_transaction *transaction; /* the one SET that the master has open, or NULL */
    long transaction_id;
    long test_id;        /* the packet of its TestSet */
    netsnmp_pdu *commit; /* a CommitSet that is answered when the SET is on disk, or NULL */
    uint64_t commit_ns;  /* when it was committed */
};

/* Answers one request, under the lock of the core. */
void dispatch_request(struct dispatch *dispatch, struct agentx *agentx, netsnmp_pdu *pdu);

/* Answers a CommitSet that waits, as soon as the SET is saved; if that fails, the SET is undone.
 * Returns when to look again at the latest; UINT64_MAX: nothing waits. */
uint64_t dispatch_tick(struct dispatch *dispatch, struct agentx *agentx);

/* To be called when the session is gone: ends what it left open. */
void dispatch_reset(struct dispatch *dispatch);

#endif
