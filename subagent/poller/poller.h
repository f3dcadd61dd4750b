/* A poller process: polls the children that the core tells it of, and tells the core what they say.
 * It speaks message.h with the core and SNMPv3 with the children, and does nothing else. */
#ifndef DCAMP_POLLER_POLLER_H
#define DCAMP_POLLER_POLLER_H

/* Runs until the core closes its end of fd, a socket of type SOCK_SEQPACKET; then fd is closed,
 * too. It needs a process of its own, which has not used Net-SNMP before. Returns the exit status:
 * 0, or 1 if memory or descriptors are lacking at the start, or if the core sends what is no
 * message. */
int poller_run(int fd);

#endif
