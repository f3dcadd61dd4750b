/* SNMPv3 messages that nobody asked for: whether they are what the keys of a user at an engine say.
 * Net-SNMP knows of one user and one engine while it looks at a message, and of no user in between.
 */
#ifndef DCAMP_SNMPV3_AUTHENTIC_H
#define DCAMP_SNMPV3_AUTHENTIC_H

#include "snmpv3/envelope.h"
#include "snmpv3/keys.h"

/* A message that is longer is not read whole. */
#define AUTHENTIC_MAX 8192

/* What the library wants to be given; it is never opened. After session_start_library. */
void authentic_begin(netsnmp_session *session);

/* Whether the message says that it is encrypted, by the user of this credential. */
bool authentic_is_of(const struct envelope *envelope, const struct credential *credential);

/* The PDU of a message of that engine, which is to be freed; NULL: it is not authentic, or not
 * encrypted, or there was no memory for it. To open a packet spoils it. The keys are overwritten,
 * and the library remembers nothing of any engine. */
netsnmp_pdu *authentic_open(netsnmp_session *session, struct keys *keys, const uint8_t *engine_id,
                            size_t engine_id_len, u_char *packet, size_t len);

#endif
