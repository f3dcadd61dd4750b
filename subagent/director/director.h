/* The director: the process of a node that has the tree document. Of the root it gives all nodes
 * their shares; of a standby it watches the root, and becomes root in its place when that is lost.
 * It talks tree/message.h with the core and SNMPv3 with the nodes, and does nothing else. */
#ifndef DCAMP_DIRECTOR_DIRECTOR_H
#define DCAMP_DIRECTOR_DIRECTOR_H

/* Runs until the core closes its end of fd, a socket of type SOCK_SEQPACKET, which is closed, too.
 * For a process of its own, which has not used Net-SNMP before: the exit status, 0, or 1 for want
 * of memory or descriptors, or for what is no message. */
int director_run(int fd);

#endif
