/* For tests: an AgentX master at a socket of its own, which does what the test says, and nothing of
 * itself. It speaks by Net-SNMP's codec, or octet by octet. */
#ifndef DCAMP_TESTS_MASTERS_H
#define DCAMP_TESTS_MASTERS_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>

struct master {
    char dir[32], path[48];
    char address[64]; /* for agentXSocket */
    int listener;
    int fd; /* of the one connection; -1: there is none */
    netsnmp_session session;
};

void master_begin(struct master *master);
void master_end(struct master *master);

/* Nobody listens any more, and again. */
void master_close_door(struct master *master);
void master_open_door(struct master *master);

/* Takes the connection that waits; false: none came within a time that is long. */
bool master_accept(struct master *master);
void master_hang_up(struct master *master);

/* The next packet, to be freed. NULL: there is none. */
netsnmp_pdu *master_hear(struct master *master);
/* The same, but one may still be on its way. */
netsnmp_pdu *master_await(struct master *master);

netsnmp_pdu *master_pdu(int type, long session, long transaction, long packet);
/* The octets of a packet, malloced; frees it. */
u_char *master_octets(netsnmp_pdu *pdu, size_t *len);
/* Sends a packet, and frees it. */
void master_say(struct master *master, netsnmp_pdu *pdu);
void master_say_octets(struct master *master, const void *octets, size_t len);

/* NETWORK_BYTE_ORDER of RFC 2741, section 6.1. */
#define MASTER_NETWORK_ORDER 0x10

#endif
