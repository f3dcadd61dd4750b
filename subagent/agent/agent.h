/* The agent thread: the only user of Net-SNMP's library in this process. It answers the master's
 * requests from what the core has published, hands SETs to the core and notifications to the
 * master. It waits for nothing of the core but its lock, and the core never waits for it. */
#ifndef DCAMP_AGENT_AGENT_H
#define DCAMP_AGENT_AGENT_H

#include "daemon/dcampd.h"

/* It does not start if the tables do not fit the MIB or there is no memory; a master that is away
 * is no error. It must be woken when there is a notification in the queue. Stopping it closes the
 * session with the master and ends the thread. */
extern const struct dcampd_server agent_server;

#endif
