/* The socket to the AgentX master: opened without waiting for one that hangs, and if it cannot be
 * opened, why, and what helps. */
#ifndef DCAMP_AGENT_MASTER_H
#define DCAMP_AGENT_MASTER_H

#include <stddef.h>

/* address: as agentXSocket of snmpd.conf(5) has it, "unix:PATH", "/PATH" or "tcp:HOST:PORT".
 * A file descriptor of a connected stream; -1, with an errno in error: EINVAL, the address is none;
 * EAGAIN, the master does not accept connections, so many wait for it already. Waits for a second
 * at most, and that only for TCP; but a host by its name is looked up, which may take longer. */
int master_connect(const char *address, int *error);

/* That error in words, in one line without the address. */
#define MASTER_FAULT_SIZE 512
void master_explain(char fault[MASTER_FAULT_SIZE], int error);

#endif
