/* Between a device and Net-SNMP: what it is asked as a PDU; its answer, read without trust, and
 * told to the core. */
#ifndef DCAMP_POLLER_DEVICE_PDU_H
#define DCAMP_POLLER_DEVICE_PDU_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include "poller/device.h"
#include "poller/outbox.h"
#include "poller/query.h"
#include "snmpv3/session.h"

/* Which child an answer is from, and who is told of it. */
struct device_report {
    struct outbox *outbox;
    uint32_t id; /* of the child */
    const struct snmp_engine *engine;
    uint32_t round_trip_us;
    uint64_t now;
};

/* The question that device->ask stands for, which must not be DEVICE_NOTHING. NULL: no memory. */
netsnmp_pdu *device_pdu(const struct device *device);

/* Takes the answer. If a failure is returned, it counts as no answer. */
struct query_error device_take_pdu(struct device *device, const netsnmp_pdu *pdu,
                                   const struct device_report *report);

/* Tells the core that another device is at its address. False: no memory for that. */
bool device_tell_renewal(struct device *device, const struct device_report *report);

#endif
