/* The connection to the master: AgentX packets over a stream, by Net-SNMP's codec.
 *
 * Net-SNMP's own session on top of them is left out: it is made for managers, and asks for the
 * socket's name, allocates 64 KiB and looks for a waiting request at every packet. */
#ifndef DCAMP_AGENT_WIRE_H
#define DCAMP_AGENT_WIRE_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>

/* The version of RFC 2741 in Net-SNMP's space of session versions. */
#define AGENTX_SESSION_VERSION (192 | 1)

struct wire;

/* address: see master_connect(). NULL: error has the errno. */
struct wire *wire_open(const char *address, int *error);
void wire_close(struct wire *wire);

int wire_fd(const struct wire *wire);

/* Takes one packet, which stays the caller's. False: no further packets. */
typedef bool wire_take(void *context, netsnmp_pdu *pdu);

/* Takes the packets that are there, without waiting for more, and sends the answers to them
 * together when all are taken. Returns NULL, or why the connection is no longer of use. */
const char *wire_read(struct wire *wire, wire_take *take, void *context);

/* Sends a packet and frees it; within take, the packet may wait until wire_read() ends. False: it
 * did not go out, and no other packet will. */
bool wire_send(struct wire *wire, netsnmp_pdu *pdu);

#endif
