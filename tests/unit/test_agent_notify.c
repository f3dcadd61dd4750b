/* Notifications: which one tells of what, and that all of them have the objects of the MIB in its
 * order. */
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>

#include "agent/notify.h"
#include "dcamp_mib.h"

#include "polled.h"

static const struct {
    enum alarm_kind kind;
    enum alarm_event event;
    enum mib_object trap;
} cases[] = {
    {ALARM_OF_THRESHOLD, ALARM_RAISED, MIB_dcampAlarmRaised},
    {ALARM_OF_THRESHOLD, ALARM_CLEARED, MIB_dcampAlarmCleared},
    {ALARM_OF_THRESHOLD, ALARM_SUPPRESSED, MIB_dcampAlarmsSuppressed},
    {ALARM_OF_NODE, ALARM_RAISED, MIB_dcampNodeLost},
    {ALARM_OF_NODE, ALARM_CLEARED, MIB_dcampNodeJoined},
    {ALARM_OF_ROLE, ALARM_CLEARED, MIB_dcampRoleChanged},
};

static void assert_oid(const oid *id, size_t len, const struct mib_info *info)
{
    assert_true(len >= info->oid_len);
    for (size_t i = 0; i < info->oid_len; i++)
        assert_int_equal(id[i], info->oid[i]);
}

static void assert_trap(const struct notification *notification, enum mib_object trap)
{
    const struct mib_info *info = &mib_objects[trap];
    netsnmp_variable_list *list = notify_varbinds(notification, 0), *each = list;
    assert_non_null(list);
    assert_int_equal(list->val_len, info->oid_len * sizeof(oid));
    assert_oid(list->val.objid, list->val_len / sizeof(oid), info);
    for (size_t i = 0; i < info->n_objects; i++) {
        const struct mib_info *object = &mib_objects[info->objects[i]];
        each = each->next_variable;
        assert_non_null(each);
        assert_int_equal(each->name_length, object->oid_len + 1);
        assert_oid(each->name, each->name_length, object);
        bool scalar = info->objects[i] == MIB_dcampNodeRole;
        assert_int_equal(each->name[object->oid_len], scalar ? 0 : notification->index);
    }
    assert_non_null(each->next_variable); /* snmpTrapAddress */
    assert_null(each->next_variable->next_variable);
    snmp_free_varbind(list);
}

static void kinds_and_events(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct notification notification = {
            .index = 17, .facts = {.kind = cases[i].kind, .event = cases[i].event}};
        assert_trap(&notification, cases[i].trap);
    }
}

/* A receiver that knows one of them can read the others. */
static void all_have_the_same_objects(void **state)
{
    (void)state;
    const struct mib_info *raised = &mib_objects[MIB_dcampAlarmRaised];
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct mib_info *info = &mib_objects[cases[i].trap];
        if (cases[i].event == ALARM_SUPPRESSED)
            continue;
        assert_int_equal(info->n_objects, raised->n_objects + (cases[i].kind == ALARM_OF_ROLE));
        assert_memory_equal(info->objects, raised->objects,
                            raised->n_objects * sizeof *raised->objects);
    }
    assert_int_equal(mib_objects[MIB_dcampNodeJoined].oid[raised->oid_len - 1], 4);
    assert_int_equal(mib_objects[MIB_dcampNodeLost].oid[raised->oid_len - 1], 5);
}

/* The role that it tells of, which the node may not have any more. */
static void a_role(void **state)
{
    (void)state;
    const struct notification notification = {
        .index = 17,
        .facts = {.kind = ALARM_OF_ROLE, .event = ALARM_CLEARED, .instance = "collector"}};
    netsnmp_variable_list *list = notify_varbinds(&notification, 0), *last = list;
    assert_non_null(list);
    for (size_t i = 0; i < mib_objects[MIB_dcampRoleChanged].n_objects; i++)
        last = last->next_variable;
    assert_oid(last->name, last->name_length, &mib_objects[MIB_dcampNodeRole]);
    assert_int_equal(last->type, ASN_INTEGER);
    assert_int_equal(*last->val.integer, dcampNodeRole_collector);
    snmp_free_varbind(list);
}

static void assert_number(const netsnmp_variable_list *var, enum mib_object scalar, long number)
{
    const struct mib_info *info = &mib_objects[scalar];
    assert_int_equal(var->name_length, info->oid_len + 1);
    assert_oid(var->name, var->name_length, info);
    assert_int_equal(var->name[info->oid_len], 0);
    assert_int_equal(var->type, ASN_UNSIGNED);
    assert_int_equal(*var->val.integer, number);
}

/* What a parent reads of it is tests/unit/test_poller_query.c's. */
static void a_pushed_block(void **state)
{
    (void)state;
    const struct report_ring ring = {.first = 3, .last = UINT32_MAX};
    const struct report_block block = {
        .sequence = UINT32_MAX - 1, .len = 5, .bytes = (const uint8_t *)"block"};
    const struct mib_info *column = &mib_objects[MIB_dcampReportBlock];
    netsnmp_variable_list *list = notify_push(9, &ring, &block), *var = list;
    assert_oid(list->val.objid, list->val_len / sizeof(oid), &mib_objects[MIB_dcampReportPushed]);
    assert_number(var = var->next_variable, MIB_dcampReportBoot, 9);
    assert_number(var = var->next_variable, MIB_dcampReportFirst, 3);
    assert_number(var = var->next_variable, MIB_dcampReportLast, UINT32_MAX);
    var = var->next_variable;
    assert_int_equal(var->name_length, column->oid_len + 1);
    assert_oid(var->name, var->name_length, column);
    assert_int_equal(var->name[column->oid_len], UINT32_MAX - 1);
    assert_int_equal(var->val_len, 5);
    assert_memory_equal(var->val.string, "block", 5);
    assert_null(var->next_variable);
    snmp_free_varbind(list);
}

/* What a root reads of it is tests/unit/test_director_look.c's. */
static void an_announcement(void **state)
{
    (void)state;
    netsnmp_variable_list *list = notify_announcement("web1", "", 1161), *var = list;
    assert_oid(list->val.objid, list->val_len / sizeof(oid), &mib_objects[MIB_dcampNodeAnnounced]);
    var = var->next_variable;
    assert_oid(var->name, var->name_length, &mib_objects[MIB_dcampNodeName]);
    assert_int_equal(var->type, ASN_OCTET_STR);
    assert_int_equal(var->val_len, 4);
    assert_memory_equal(var->val.string, "web1", 4);
    var = var->next_variable;
    assert_oid(var->name, var->name_length, &mib_objects[MIB_dcampNodeGroup]);
    assert_int_equal(var->type, ASN_OCTET_STR);
    assert_int_equal(var->val_len, 0);
    assert_number(var = var->next_variable, MIB_dcampNodeAnnouncePort, 1161);
    assert_null(var->next_variable);
    snmp_free_varbind(list);
}

static void what_children_cause(void **state)
{
    struct polled *polled = *state;
    static const enum mib_object traps[] = {MIB_dcampNodeJoined, MIB_dcampNodeLost,
                                            MIB_dcampNodeJoined};
    struct child *child = polled_child(polled, "leaf");
    polled_answer(polled, child, 7, NULL, 0);
    for (int i = 0; i < 5; i++)
        polled_silent(polled, child, POLL_TIMEOUT, "no answer");
    polled_answer(polled, child, 7, NULL, 0);
    alarms_tick(polled->alarms, polled->now);
    const struct notification *notification = alarms_peek(polled->alarms);
    for (size_t i = 0; i < N_OF(traps); i++, notification = notification->next) {
        assert_non_null(notification);
        assert_trap(notification, traps[i]);
    }
    assert_null(notification);
}

/* Without one in the configuration it is that of an interface, if there is any but loopback. */
static void the_address_of_the_node(void **state)
{
    (void)state;
    static const char *const none[] = {"", "nonsense", "192.0.2", "::1"};
    struct ifaddrs *all;
    assert_int_equal(notify_address("192.0.2.7"), htonl(0xc0000207));
    assert_int_equal(notify_address("0.0.0.0"), 0);
    assert_int_equal(getifaddrs(&all), 0);
    for (size_t i = 0; i < N_OF(none); i++) {
        uint32_t address = notify_address(none[i]);
        bool has = false;
        size_t others = 0;
        for (const struct ifaddrs *each = all; each; each = each->ifa_next) {
            if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET ||
                each->ifa_flags & IFF_LOOPBACK || !(each->ifa_flags & IFF_UP))
                continue;
            const struct sockaddr_in *own = (const void *)each->ifa_addr;
            has |= own->sin_addr.s_addr == address;
            others++;
        }
        assert_true(others > 0 ? has : address == htonl(INADDR_LOOPBACK));
    }
    freeifaddrs(all);
}

/* It is the last binding, whatever the notification. */
static void the_address_in_a_notification(void **state)
{
    (void)state;
    static const oid name[] = {1, 3, 6, 1, 6, 3, 18, 1, 3, 0}; /* snmpTrapAddress */
    const struct notification notification = {
        .index = 17, .facts = {.kind = ALARM_OF_THRESHOLD, .event = ALARM_RAISED}};
    netsnmp_variable_list *list = notify_varbinds(&notification, htonl(0xc0000207)), *last = list;
    while (last->next_variable)
        last = last->next_variable;
    assert_int_equal(snmp_oid_compare(last->name, last->name_length, name, N_OF(name)), 0);
    assert_int_equal(last->type, ASN_IPADDRESS);
    assert_int_equal(last->val_len, 4);
    assert_memory_equal(last->val.string, "\300\0\2\7", 4);
    snmp_free_varbind(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_events),
        cmocka_unit_test(all_have_the_same_objects),
        cmocka_unit_test(a_role),
        cmocka_unit_test(a_pushed_block),
        cmocka_unit_test(an_announcement),
        cmocka_unit_test(the_address_of_the_node),
        cmocka_unit_test(the_address_in_a_notification),
        polled_test(what_children_cause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
