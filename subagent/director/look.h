/* The questions of a director as PDUs, and their answers, which are read without trust: any type,
 * length, order or number of varbinds. */
#ifndef DCAMP_DIRECTOR_LOOK_H
#define DCAMP_DIRECTOR_LOOK_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include "director/target.h"

/* NULL: no memory. root: the name of the node that orders. */
netsnmp_pdu *look_pdu(void);
netsnmp_pdu *look_order_pdu(const struct target_order *order, const char *root);
netsnmp_pdu *look_explain_pdu(void);

/* What is wrong with an answer; if failure is 0, nothing is. The text is a constant. */
struct look_error {
    enum poll_failure failure;
    const char *text;
};

/* unreached: what dcampTreeUnreached says; "" if the node does not have it. */
struct look_error look_read(const netsnmp_pdu *pdu, struct target_look *look,
                            char unreached[MESSAGE_SIZE]);

/* POLL_REFUSED: the node refuses the order; the text is the name of the error status. */
struct look_error look_read_order(const netsnmp_pdu *pdu);

/* The reason why the node refused the last SET. "": it gives none. */
void look_read_explanation(const netsnmp_pdu *pdu, char text[MESSAGE_SIZE]);

/* A notification, dcampNodeAnnounced: what a node says about itself. */
struct look_announcement {
    char name[NAME_SIZE];
    char group[NAME_SIZE]; /* "": none */
    uint32_t port;         /* at which its snmpd answers, 1 to 65535 */
};
struct look_error look_read_announcement(const netsnmp_pdu *pdu,
                                         struct look_announcement *announcement);

#endif
