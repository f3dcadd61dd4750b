/* The agent thread: the only user of Net-SNMP's library in this process. It answers what the
 * master asks from what the core published, hands SETs to the core and notifications to the
 * master. It never waits for the core but for the lock, and the core never waits for it. */
#ifndef DCAMP_AGENT_AGENT_H
#define DCAMP_AGENT_AGENT_H

#include "daemon/dcampd.h"

/* It does not start if the tables do not fit the MIB or there is no memory; a master that is away
 * is no error. To be woken when there is a notification in the queue. Stopping it closes the
 * session with the master and ends the thread. */
extern const struct dcampd_server agent_server;

#endif
