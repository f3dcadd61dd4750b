/* The agent thread: the only user of Net-SNMP's library in this process. It answers what the
 * master asks from what the core published, hands SETs to the core and notifications to the
 * master. It never waits for the core but for the lock, and the core never waits for it. */
#ifndef DCAMP_AGENT_AGENT_H
#define DCAMP_AGENT_AGENT_H

struct dcampd;
struct agent;

/* Starts the thread. NULL, with one line in error, if the tables do not fit the MIB or there is
 * no memory; a master that is away is no error. */
struct agent *agent_start(struct dcampd *core, char error[1024]);

/* There is a notification in the queue. Any thread. */
void agent_wake(struct agent *agent);

/* Closes the session with the master and ends the thread. NULL is allowed. */
void agent_stop(struct agent *agent);

#endif
