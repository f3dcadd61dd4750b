/* What an SNMPv3 message says of itself before any of it can be believed: RFC 3412, section 6, and
 * RFC 3414, section 2.4. It is read without the library's tables, because each message would make
 * them grow. */
#ifndef DCAMP_SNMPV3_ENVELOPE_H
#define DCAMP_SNMPV3_ENVELOPE_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>

struct envelope {
    long id; /* msgID */
    u_char flags;
    long model;
    const u_char *engine_id; /* in the packet, of any length */
    size_t engine_id_len;
    long engine_boots, engine_time; /* any number */
    const u_char *user;             /* in the packet, of any length */
    size_t user_len;
};

/* False: it is no SNMPv3 message of the user-based security model. packet is not changed. */
bool envelope_read(u_char *packet, size_t len, struct envelope *envelope);

#endif
