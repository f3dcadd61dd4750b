/* The receiver process: takes the blocks that children push, at a port of its own, and hands the
 * core what is authentic. It talks message.h with the core; it never sends to anybody else.
 *
 * A packet comes as far as what it has shown to be: it must name the engine ID of exactly one
 * child, be encrypted and authenticated, and not be too old, before any key is made for it; then
 * Net-SNMP, which knows of one user and one engine while it looks at a packet, and of none in
 * between, has to find it authentic. What falls through is counted and forgotten. */
#ifndef DCAMP_POLLER_RECEIVER_H
#define DCAMP_POLLER_RECEIVER_H

/* Runs until the core closes its end of fd, as poller_run does. address: "udp:0.0.0.0:1620". The
 * exit status: 0, or 1 also where nothing can be received there. */
int receiver_run(int fd, const char *address);

#endif
