/* One child's socket, as a Net-SNMP transport.
 *
 * The socket is connected, so that the kernel drops packets from elsewhere and reports closed
 * ports. The link lets only the answer to the request under way through to the library: the library
 * keeps an entry for each engine ID that it ever read, before any authentication, and anybody who
 * can send packets with a child's address could fill it up. An answer is known by its msgID.
 * Whoever does not see the requests has to guess it, and it makes a recorded answer worthless. */
#ifndef DCAMP_SNMPV3_LINK_H
#define DCAMP_SNMPV3_LINK_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#define LINK_NO_REQUEST (-1)

struct link {
    netsnmp_transport transport; /* the first member: the library frees the link through it */
    long request;                /* the msgID of the request under way, or LINK_NO_REQUEST */
    long engine_boots;           /* of the last message let through; not authenticated by itself, */
    long engine_time;            /* and like the boots it may be any number */
    uint64_t waited;             /* how long that message was in the socket, in nanoseconds */
    int error;                   /* of the system, since link_open: 0 or an errno */
};

/* A socket needs a local port. A machine has some 28,000 for all of its programs, which find none
 * if one program takes them all; and a collector may have more children than that. So all sockets
 * of a process use at most LINK_PORTS ports: the first sockets have one each, and all others share
 * those, in turn. */
#define LINK_PORTS 512

/* All zero at first. */
struct link_ports {
    in_port_t at[LINK_PORTS]; /* in network byte order */
    uint32_t n, next;
    bool full; /* no further ports are taken */
};

/* Opens a socket to "udp:192.0.2.7:161", "udp6:[2001:db8::7]:161" or either without its first word
 * or its port (161). Names are not looked up. NULL: then why says what is wrong.
 *
 * ports: those of all links of the process, or NULL if it has few. Of two sockets that are
 * connected to the same address from the same port, one receives everything. That happens to one
 * pair in LINK_PORTS, and not again once they are closed and opened anew. */
struct link *link_open(const char *address, struct link_ports *ports, const char **why);

/* Takes the socket out of a link that is about to be closed, and makes a link of it again. NULL: no
 * memory; the socket stays the caller's. What comes to the socket meanwhile is read and forgotten
 * by link_drop. */
int link_keep_socket(struct link *link);
struct link *link_resume(int socket);
void link_drop(int socket);

/* A non-blocking socket that receives at such an address; -1: then why says what is wrong. */
int link_listen(const char *address, const char **why);

/* What an errno of a socket to or from the network means, for people. If a unit of systemd forbids
 * the network, the text says what allows it. */
const char *link_why(int code);

/* For a link that no session has taken over. */
void link_close(struct link *link);

#endif
