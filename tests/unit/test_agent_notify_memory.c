/* Notifications when some allocation fails: one is whole, or there is none and it waits. */
#include "agent/notify.h"
#include "dcamp_mib.h"

#include "rings.h"
#include "scarce.h"
#include "unit.h"

static size_t varbinds_of(const netsnmp_variable_list *list)
{
    size_t n = 0;
    for (; list; list = list->next_variable)
        n++;
    return n;
}

static void a_notification_is_whole(void **state)
{
    (void)state;
    static const struct notification notification = {
        .index = 17, .facts = {.kind = ALARM_OF_THRESHOLD, .event = ALARM_RAISED, .key = "k"}};
    netsnmp_variable_list *list = notify_varbinds(&notification, 0);
    size_t whole = varbinds_of(list);
    assert_int_equal(whole, mib_objects[MIB_dcampAlarmRaised].n_objects + 2);
    snmp_free_varbind(list);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        scarce_fail(nth);
        list = notify_varbinds(&notification, 0);
        failed = scarce_stop();
        if (varbinds_of(list) != (failed ? 0 : whole))
            fail_msg("allocation %zu: %zu of %zu varbinds", nth, varbinds_of(list), whole);
        snmp_free_varbind(list);
    }
}

static void a_pushed_block_is_whole(void **state)
{
    (void)state;
    struct report_ring *ring = ring_new(7);
    ring_value(ring, 1, 1.5);
    const struct report_block *block = (struct report_block *)index_first(&ring->index);
    for (size_t nth = 1, failed = 1; failed; nth++) {
        scarce_fail(nth);
        netsnmp_variable_list *list = notify_push(7, ring, block);
        failed = scarce_stop();
        if (varbinds_of(list) != (failed ? 0 : 5))
            fail_msg("allocation %zu: %zu of 5 varbinds", nth, varbinds_of(list));
        snmp_free_varbind(list);
    }
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_notification_is_whole),
        cmocka_unit_test(a_pushed_block_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
