#include "agent/notify.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>

#include "agent/table_alarm.h"
#include "dcamp_mib.h"

uint32_t notify_address(const char *configured)
{
    struct in_addr address;
    struct ifaddrs *all;
    if (configured[0] && inet_pton(AF_INET, configured, &address) == 1)
        return address.s_addr;
    uint32_t found = htonl(INADDR_LOOPBACK);
    if (getifaddrs(&all) != 0)
        return found;
    for (const struct ifaddrs *i = all; i; i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP) ||
            i->ifa_flags & IFF_LOOPBACK)
            continue;
        found = ((const struct sockaddr_in *)(const void *)i->ifa_addr)->sin_addr.s_addr;
        break;
    }
    freeifaddrs(all);
    return found;
}

static size_t widen_oid(oid *wide, const uint32_t *id, size_t len)
{
    for (size_t i = 0; i < len; i++)
        wide[i] = id[i];
    return len;
}

static const struct mib_info *notification_info(const struct notification *notification)
{
    bool of_node = notification->facts.kind == ALARM_OF_NODE;
    if (notification->facts.kind == ALARM_OF_ROLE)
        return &mib_objects[MIB_dcampRoleChanged];
    switch (notification->facts.event) {
    case ALARM_CLEARED:
        return &mib_objects[of_node ? MIB_dcampNodeJoined : MIB_dcampAlarmCleared];
    case ALARM_SUPPRESSED:
        return &mib_objects[MIB_dcampAlarmsSuppressed];
    default:
        return &mib_objects[of_node ? MIB_dcampNodeLost : MIB_dcampAlarmRaised];
    }
}

/* A list of varbinds. If one is missing because there was no memory, the list is of no use. */
struct varbinds {
    netsnmp_variable_list *list;
    bool failed;
};

static void add_varbind(struct varbinds *varbinds, const oid *name, size_t len, u_char type,
                        const void *value, size_t size)
{
    if (!snmp_varlist_add_variable(&varbinds->list, name, len, type, value, size))
        varbinds->failed = true;
}

/* NULL: no memory. */
static netsnmp_variable_list *whole_list(const struct varbinds *varbinds)
{
    if (!varbinds->failed)
        return varbinds->list;
    snmp_free_varbind(varbinds->list);
    return NULL;
}

static void add_value(struct varbinds *varbinds, const oid *name, size_t len,
                      const struct mib_value *value)
{
    if (value->syntax == MIB_SYNTAX_OCTETS) {
        add_varbind(varbinds, name, len, ASN_OCTET_STR, value->octets.at, value->octets.len);
    } else {
        long number = value->syntax == MIB_SYNTAX_INTEGER ? (long)value->integer
                                                          : (long)(uint32_t)value->number;
        add_varbind(varbinds, name, len, (u_char)value->syntax, &number, sizeof number);
    }
}

static void add_scalar(struct varbinds *varbinds, enum mib_object scalar,
                       const struct mib_value *value)
{
    oid name[MAX_OID_LEN];
    size_t len = widen_oid(name, mib_objects[scalar].oid, mib_objects[scalar].oid_len);
    name[len++] = 0;
    add_value(varbinds, name, len, value);
}

/* Adds the role that the notification tells of: the node may have another one by now. */
static void add_role(struct varbinds *varbinds, const char *word)
{
    const struct mib_info *info = &mib_objects[MIB_dcampNodeRole];
    struct mib_value value = {.syntax = info->syntax};
    for (size_t i = 0; i < info->n_labels; i++)
        if (strcmp(info->labels[i].name, word) == 0)
            value.integer = info->labels[i].value;
    add_scalar(varbinds, MIB_dcampNodeRole, &value);
}

/* An alarm's columns, as its row gives or would give them. */
static void add_objects(struct varbinds *varbinds, const struct mib_info *info,
                        const struct alarm *alarm)
{
    for (size_t i = 0; i < info->n_objects; i++) {
        const struct mib_info *object = &mib_objects[info->objects[i]];
        struct mib_value value = {.syntax = object->syntax};
        oid name[MAX_OID_LEN];
        size_t len = widen_oid(name, object->oid, object->oid_len);
        name[len++] = alarm->index;
        if (alarm_column(info->objects[i], alarm, &value))
            add_value(varbinds, name, len, &value);
        else if (info->objects[i] == MIB_dcampNodeRole)
            add_role(varbinds, alarm->facts.instance);
    }
}

static struct varbinds begin_list(const struct mib_info *notification)
{
    struct varbinds varbinds = {.list = NULL};
    oid name[MAX_OID_LEN], trap[MAX_OID_LEN];
    size_t len = widen_oid(name, oid_snmpTrapOID, sizeof oid_snmpTrapOID / sizeof *oid_snmpTrapOID);
    size_t trap_len = widen_oid(trap, notification->oid, notification->oid_len);
    name[len++] = 0;
    add_varbind(&varbinds, name, len, ASN_OBJECT_ID, trap, trap_len * sizeof *trap);
    return varbinds;
}

netsnmp_variable_list *notify_varbinds(const struct notification *notification, uint32_t address)
{
    const struct mib_info *info = notification_info(notification);
    const struct alarm alarm = {.index = notification->index, .facts = notification->facts};
    struct varbinds varbinds = begin_list(info);
    oid name[MAX_OID_LEN];
    add_objects(&varbinds, info, &alarm);
    size_t len = widen_oid(name, oid_snmpTrapAddress,
                           sizeof oid_snmpTrapAddress / sizeof *oid_snmpTrapAddress);
    name[len++] = 0;
    add_varbind(&varbinds, name, len, ASN_IPADDRESS, &address, sizeof address);
    return whole_list(&varbinds);
}

static void add_number(struct varbinds *varbinds, enum mib_object scalar, uint32_t number)
{
    const struct mib_value value = {.syntax = mib_objects[scalar].syntax, .number = number};
    add_scalar(varbinds, scalar, &value);
}

static void add_text(struct varbinds *varbinds, enum mib_object scalar, const char *text)
{
    struct mib_value value = {.syntax = mib_objects[scalar].syntax};
    give_text(&value, text);
    add_scalar(varbinds, scalar, &value);
}

netsnmp_variable_list *notify_push(uint32_t boot, const struct report_ring *ring,
                                   const struct report_block *block)
{
    const struct mib_info *column = &mib_objects[MIB_dcampReportBlock];
    struct varbinds varbinds = begin_list(&mib_objects[MIB_dcampReportPushed]);
    oid name[MAX_OID_LEN];
    size_t len = widen_oid(name, column->oid, column->oid_len);
    name[len++] = block->sequence;
    add_number(&varbinds, MIB_dcampReportBoot, boot);
    add_number(&varbinds, MIB_dcampReportFirst, ring->first);
    add_number(&varbinds, MIB_dcampReportLast, ring->last);
    add_varbind(&varbinds, name, len, ASN_OCTET_STR, block->bytes, block->len);
    return whole_list(&varbinds);
}

netsnmp_variable_list *notify_announcement(const char *name, const char *group, uint32_t port)
{
    struct varbinds varbinds = begin_list(&mib_objects[MIB_dcampNodeAnnounced]);
    add_text(&varbinds, MIB_dcampNodeName, name);
    add_text(&varbinds, MIB_dcampNodeGroup, group);
    add_number(&varbinds, MIB_dcampNodeAnnouncePort, port);
    return whole_list(&varbinds);
}
