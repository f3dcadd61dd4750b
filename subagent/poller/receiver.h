/* The receiver process: takes the blocks that children push, at a port of its own, and hands
 * authentic ones to the core. It speaks message.h with the core; it never sends to anybody else.
 *
 * A packet gets only as far as its checks allow: before any key is made for it, it must name the
 * engine ID of exactly one child, say that it is encrypted and authenticated, and not be too old.
 * Then Net-SNMP, which knows one user and one engine while it looks at a packet, and none at other
 * times, has to find it authentic. A packet that fails is counted and forgotten. */
#ifndef DCAMP_POLLER_RECEIVER_H
#define DCAMP_POLLER_RECEIVER_H

/* Runs until the core closes its end of fd, as poller_run does. address: "udp:0.0.0.0:1620".
 * Returns the exit status: 0 or 1, also 1 if nothing can be received at the address. */
int receiver_run(int fd, const char *address);

#endif
