/* The director: the process of a node that has the tree document. At the root it gives all nodes
 * their shares; at a standby it watches the root, and becomes root in its place when that is lost.
 * It speaks tree/message.h with the core and SNMPv3 with the nodes, and does nothing else. */
#ifndef DCAMP_DIRECTOR_DIRECTOR_H
#define DCAMP_DIRECTOR_DIRECTOR_H

/* Runs until the core closes its end of fd, a socket of type SOCK_SEQPACKET; then fd is closed,
 * too. It needs a process of its own, which has not used Net-SNMP before. Returns the exit status:
 * 0, or 1 if memory or descriptors are lacking, or if the core sends what is no message. */
int director_run(int fd);

#endif
