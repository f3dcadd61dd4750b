/* From an alarm's notification, or a report block, to the varbinds of an SNMPv2 notification. */
#ifndef DCAMP_AGENT_NOTIFY_H
#define DCAMP_AGENT_NOTIFY_H

#include "agent/agentx.h"
#include "alarm/alarm.h"
#include "report/report.h"

/* snmpTrapOID.0, the objects of the notification in the order of the MIB, snmpTrapAddress.0.
 * address: IPv4 in network order. NULL: no memory. */
netsnmp_variable_list *notify_varbinds(const struct notification *notification, uint32_t address);

/* The same of dcampReportPushed, without an address: for a block of a ring. */
netsnmp_variable_list *notify_push(uint32_t boot, const struct report_ring *ring,
                                   const struct report_block *block);

/* The same of dcampNodeAnnounced: a node of that name, which wants to be in that group, and whose
 * snmpd answers at that port. */
netsnmp_variable_list *notify_announcement(const char *name, const char *group, uint32_t port);

/* The address that stands for this node: the configured one, else the first one of an interface
 * that is up and not the loopback, else 127.0.0.1. */
uint32_t notify_address(const char *configured);

#endif
