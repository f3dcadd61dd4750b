/* The socket to the AgentX master: opened without waiting for one that hangs, and if it cannot be
 * opened, why, and what helps. */
#ifndef DCAMP_AGENT_MASTER_H
#define DCAMP_AGENT_MASTER_H

#include <stddef.h>

/* address: as agentXSocket of snmpd.conf(5) has it, "unix:PATH", "/PATH" or "tcp:HOST:PORT".
 * Returns the file descriptor of a connected stream, or -1 with an errno in error: EINVAL, it is no
 * address; EAGAIN, the master accepts no connections, and as many as may wait are waiting already.
 * Waits for a second at most, and only for TCP; but looking up a host by its name may take
 * longer. */
int master_connect(const char *address, int *error);

/* That error in words, in one line without the address. */
#define MASTER_FAULT_SIZE 512
void master_explain(char fault[MASTER_FAULT_SIZE], int error);

#endif
