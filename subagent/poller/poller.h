/* A poller process: polls the children that the core tells it of, and tells the core what they say.
 * It talks message.h with the core and SNMPv3 with the children, and does nothing else. */
#ifndef DCAMP_POLLER_POLLER_H
#define DCAMP_POLLER_POLLER_H

/* Runs until the core closes its end of fd, a socket of type SOCK_SEQPACKET, which is closed, too.
 * For a process of its own, which has not used Net-SNMP before: the exit status, 0, or 1 for want
 * of memory or descriptors at the start, or for what is no message. */
int poller_run(int fd);

#endif
