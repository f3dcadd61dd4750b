/* From an alarm's notification to the varbinds of an SNMPv2 notification. */
#ifndef DCAMP_AGENT_NOTIFY_H
#define DCAMP_AGENT_NOTIFY_H

#include "agent/agentx.h"
#include "alarm/alarm.h"

/* snmpTrapOID.0, the objects of the notification in the order of the MIB, snmpTrapAddress.0.
 * address: IPv4 in network order. NULL: no memory. */
netsnmp_variable_list *notify_varbinds(const struct notification *notification, uint32_t address);

/* The address that stands for this node: the configured one, else the first one of an interface
 * that is up and not the loopback, else 127.0.0.1. */
uint32_t notify_address(const char *configured);

#endif
