/* Sends notifications of an alarm, SNMPv2c, as fast or as paced as it is told:
 *
 *   traps ADDRESS COUNT RATE
 *
 * RATE is in traps a second; 0: as fast as the socket takes them. Each has the next sequence
 * number and a key of its own. Prints how long that took, in seconds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include "base/clock.h"
#include "dcamp_mib.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static size_t widen(oid *wide, const uint32_t *id, size_t len)
{
    for (size_t i = 0; i < len; i++)
        wide[i] = id[i];
    return len;
}

static void add(netsnmp_pdu *pdu, int object, uint32_t index, u_char type, const void *value,
                size_t len)
{
    oid name[MAX_OID_LEN];
    size_t n = widen(name, mib_objects[object].oid, mib_objects[object].oid_len);
    name[n++] = index;
    snmp_pdu_add_variable(pdu, name, n, type, value, len);
}

static void add_text(netsnmp_pdu *pdu, int object, uint32_t index, const char *text)
{
    add(pdu, object, index, ASN_OCTET_STR, text, strlen(text));
}

static void add_head(netsnmp_pdu *pdu)
{
    /* sysUpTime.0: the third object of the system group of SNMPv2-MIB. */
    static const oid uptime[] = {1, 3, 6, 1, 2, 1, 1, 3, 0};
    oid name[MAX_OID_LEN], trap[MAX_OID_LEN];
    u_long ticks = 100;
    const struct mib_info *info = &mib_objects[MIB_dcampAlarmRaised];
    snmp_pdu_add_variable(pdu, uptime, COUNT(uptime), ASN_TIMETICKS, &ticks, sizeof ticks);
    size_t n = widen(name, oid_snmpTrapOID, COUNT(oid_snmpTrapOID));
    size_t len = widen(trap, info->oid, info->oid_len);
    name[n++] = 0;
    snmp_pdu_add_variable(pdu, name, n, ASN_OBJECT_ID, trap, len * sizeof *trap);
}

static netsnmp_pdu *make(uint32_t sequence)
{
    static const u_char since[] = {0x07, 0xea, 11, 21, 21, 4, 1, 0, '+', 0, 0};
    netsnmp_pdu *pdu = snmp_pdu_create(SNMP_MSG_TRAP2);
    char key[65];
    long severity = 4, event = dcampAlarmEvent_raised;
    u_long number = sequence, none = 0;
    snprintf(key, sizeof key, "node1:burner:cpu%u", sequence);
    add_head(pdu);
    add_text(pdu, MIB_dcampAlarmKey, sequence, key);
    add_text(pdu, MIB_dcampAlarmNode, sequence, "node1");
    add_text(pdu, MIB_dcampAlarmSensor, sequence, "niced");
    add_text(pdu, MIB_dcampAlarmValueText, sequence, "55.2");
    add_text(pdu, MIB_dcampAlarmThresholdText, sequence, "> 20");
    add_text(pdu, MIB_dcampAlarmSeverityText, sequence, "critical");
    add(pdu, MIB_dcampAlarmSeverity, sequence, ASN_INTEGER, &severity, sizeof severity);
    add(pdu, MIB_dcampAlarmSequence, sequence, ASN_UNSIGNED, &number, sizeof number);
    add(pdu, MIB_dcampAlarmSince, sequence, ASN_OCTET_STR, since, sizeof since);
    add(pdu, MIB_dcampAlarmSuppressed, sequence, ASN_UNSIGNED, &none, sizeof none);
    add_text(pdu, MIB_dcampAlarmMessage, sequence,
             "niced on the CPU is 55.2 % for two samples of three: somebody burns");
    add_text(pdu, MIB_dcampAlarmThreshold, sequence, "burner");
    add_text(pdu, MIB_dcampAlarmInstance, sequence, strrchr(key, ':') + 1);
    add(pdu, MIB_dcampAlarmEvent, sequence, ASN_INTEGER, &event, sizeof event);
    return pdu;
}

static void wait_until(uint64_t when_ns)
{
    uint64_t now = clock_mono_ns();
    struct timespec pause = {0};
    if (now >= when_ns)
        return;
    pause.tv_sec = (time_t)((when_ns - now) / NS_PER_S);
    pause.tv_nsec = (long)((when_ns - now) % NS_PER_S);
    nanosleep(&pause, NULL);
}

static int send_all(netsnmp_session *session, uint32_t count, double rate)
{
    uint64_t begin = clock_mono_ns();
    for (uint32_t i = 1; i <= count; i++) {
        netsnmp_pdu *pdu = make(i);
        if (!snmp_send(session, pdu)) {
            snmp_perror("traps");
            return 1;
        }
        if (rate > 0)
            wait_until(begin + (uint64_t)(i / rate * 1e9));
    }
    printf("%.3f\n", (double)(clock_mono_ns() - begin) / 1e9);
    return 0;
}

int main(int argc, char **argv)
{
    netsnmp_session options, *session;
    if (argc != 4) {
        fprintf(stderr, "usage: traps ADDRESS COUNT RATE\n");
        return 2;
    }
    init_snmp("traps");
    snmp_sess_init(&options);
    options.version = SNMP_VERSION_2c;
    options.peername = argv[1];
    options.community = (u_char *)"public";
    options.community_len = 6;
    session = snmp_add(&options, netsnmp_transport_open_client("snmptrap", argv[1]), NULL, NULL);
    if (!session) {
        snmp_perror("traps");
        return 1;
    }
    int status = send_all(session, (uint32_t)strtoul(argv[2], NULL, 10), strtod(argv[3], NULL));
    snmp_close(session);
    return status;
}
