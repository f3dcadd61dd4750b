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

/* Which child an answer is of, and who is told. */
struct device_report {
    struct outbox *outbox;
    uint32_t id; /* of the child */
    const struct snmp_engine *engine;
    uint32_t round_trip_us;
    uint64_t now;
};

/* What device->ask says, which is not DEVICE_NOTHING. NULL: no memory. */
netsnmp_pdu *device_pdu(const struct device *device);

/* Takes the answer. With a failure, it counts as none. */
struct query_error device_take_pdu(struct device *device, const netsnmp_pdu *pdu,
                                   const struct device_report *report);

/* Another device is at its address. False: no memory to tell it. */
bool device_tell_renewal(struct device *device, const struct device_report *report);

#endif
