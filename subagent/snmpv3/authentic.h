/* Checks SNMPv3 messages that nobody asked for against the keys of a user at an engine. Net-SNMP
 * knows one user and one engine while it looks at a message, and no user at other times. */
#ifndef DCAMP_SNMPV3_AUTHENTIC_H
#define DCAMP_SNMPV3_AUTHENTIC_H

#include "snmpv3/envelope.h"
#include "snmpv3/keys.h"

/* Longer messages are not read whole. */
#define AUTHENTIC_MAX 8192

/* A session that the library wants to be given; it is never opened. Call this after
 * session_start_library. */
void authentic_begin(netsnmp_session *session);

/* Whether the message says that it is encrypted and that it is of the user of this credential. */
bool authentic_is_of(const struct envelope *envelope, const struct credential *credential);

/* Returns the PDU of a message of that engine, which the caller must free. NULL: it is not
 * authentic, or not encrypted, or memory ran out. Opening a packet overwrites it. The keys are
 * overwritten, and the library remembers nothing of any engine. */
netsnmp_pdu *authentic_open(netsnmp_session *session, struct keys *keys, const uint8_t *engine_id,
                            size_t engine_id_len, u_char *packet, size_t len);

#endif
