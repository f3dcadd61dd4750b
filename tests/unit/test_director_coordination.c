/* Who may order, where a lease decides it: all of what is seen of candidates, nodes and etcd. */
#include <stdio.h>
#include <string.h>

#include "director/coordination.h"
#include "unit.h"

#define SECOND UINT64_C(1000000000)
#define TTL (9 * SECOND)
#define START (1000 * SECOND)
#define BOOT (5000 * SECOND) /* the other clock */

static const char candidates[][NAME_SIZE] = {"r1", "r2"};

/* r1 obeys this order. */
static struct coordination node(uint32_t term, const char *root)
{
    struct coordination coordination = {.by_lease = true};
    struct lead_setup setup = {.self = "r1",
                               .candidates = candidates,
                               .n = 2,
                               .rules = {.heartbeat_ns = SECOND, .missed = 3},
                               .term = term};
    struct claim_setup claim = {.self = "r1", .ttl_ns = TTL};
    snprintf(setup.root, sizeof setup.root, "%s", root);
    lead_begin(&coordination.lead, &setup, START);
    claim_begin(&coordination.claim, &claim);
    return coordination;
}

static void hold(struct coordination *coordination, uint32_t term)
{
    assert_true(lease_take(&coordination->claim.lease, term, TTL, BOOT));
    coordination->claim.lease_id = 77;
    coordination->claim.keys = (struct claim_keys){.holder = "r1", .lease_id = 77, .term = term};
    coordination->claim.read_ns = BOOT;
}

static void other_holds(struct coordination *coordination, uint32_t term)
{
    coordination->claim.keys = (struct claim_keys){.holder = "r2", .lease_id = 78, .term = term};
    coordination->claim.read_ns = BOOT;
}

static struct lead_verdict decide(struct coordination *coordination, uint64_t after_ns)
{
    struct lead_verdict verdict;
    coordination_decide(coordination, START + after_ns, BOOT + after_ns, &verdict);
    return verdict;
}

static void what_is_kept_is_read_first(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r2");
    hold(&coordination, 6);
    coordination.is_reading = true;
    struct lead_verdict verdict = decide(&coordination, 0);
    assert_false(verdict.is_root || verdict.may_order || verdict.promote);
    assert_non_null(strstr(verdict.reason, "reads what that keeps"));
    coordination.is_reading = false;
    assert_int_equal(decide(&coordination, 0).promote, 6);
}

static void a_root_without_a_lease_orders_nothing(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    snprintf(coordination.claim.fault, MESSAGE_SIZE, "e1: refused");
    struct lead_verdict verdict = decide(&coordination, 0);
    assert_true(verdict.is_root && verdict.is_halted && !verdict.may_order);
    assert_int_equal(verdict.promote, 0);
    assert_string_equal(verdict.reason, "it does not have the lease in etcd: e1: refused");
    assert_int_equal(coordination.claim.above, 5);
}

static void with_a_lease_it_orders_in_its_term_up_to_two_thirds(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    hold(&coordination, 5);
    struct lead_verdict verdict = decide(&coordination, SECOND);
    assert_true(verdict.is_root && verdict.may_order && !verdict.is_halted);
    assert_int_equal(verdict.promote, 0);
    assert_string_equal(verdict.root, "r1");
    assert_true(verdict.again_ns == START + 6 * SECOND);
    assert_false(decide(&coordination, 6 * SECOND).may_order);
    assert_true(decide(&coordination, 6 * SECOND).is_halted);
}

static void a_new_lease_is_a_new_term(void **state)
{
    (void)state;
    struct coordination own = node(5, "r1"), standby = node(5, "r2");
    hold(&own, 6);
    hold(&standby, 6);
    struct lead_verdict verdict = decide(&own, 0);
    assert_true(verdict.is_root && verdict.is_halted && !verdict.may_order);
    assert_int_equal(verdict.promote, 6);
    verdict = decide(&standby, 0);
    assert_false(verdict.is_root || verdict.may_order || verdict.is_halted);
    assert_int_equal(verdict.promote, 6);
}

/* The order of another one, in the same term or a higher one: the lease's is to be higher. */
static void no_term_is_used_twice(void **state)
{
    (void)state;
    for (uint32_t term = 6; term < 9; term++) {
        struct coordination coordination = node(term, "r2");
        hold(&coordination, 6);
        struct lead_verdict verdict = decide(&coordination, 0);
        assert_false(verdict.may_order);
        assert_int_equal(verdict.promote, 0);
        assert_int_equal(coordination.claim.above, term);
    }
}

static void nodes_that_obey_a_higher_term_are_outdone(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    hold(&coordination, 5);
    assert_true(lead_fence(&coordination.lead, 40, "r2", true, START));
    struct lead_verdict verdict = decide(&coordination, 0);
    assert_true(verdict.is_root && verdict.is_halted && !verdict.may_order);
    assert_int_equal(verdict.promote, 0);
    assert_string_equal(verdict.reason, "the term of the lease in etcd is to be higher than 40");
    coordination.claim.lease.term = 41;
    assert_int_equal(decide(&coordination, 0).promote, 41);
}

static void the_holder_is_root(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    other_holds(&coordination, 6);
    struct lead_verdict verdict = decide(&coordination, SECOND);
    assert_false(verdict.is_root || verdict.may_order || verdict.is_halted);
    assert_int_equal(verdict.promote, 0);
    assert_int_equal(verdict.term, 6);
    assert_string_equal(verdict.root, "r2");
    assert_true(verdict.again_ns == START + TTL);
}

static void who_is_promoted_by_hand_gets_it(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    hold(&coordination, 5);
    lead_hear(&coordination.lead, "r2", true, 6, "r2", START, START);
    assert_false(decide(&coordination, 0).may_order);
    assert_int_equal(claim_next(&coordination.claim, BOOT).ask, CLAIM_GIVE_BACK);
}

/* It obeys this one, or is not root in a term that is higher. */
static void who_is_only_standby_does_not(void **state)
{
    (void)state;
    static const char *const roots[] = {"r1", "r2"};
    for (uint32_t term = 1; term <= 5; term++)
        for (size_t i = 0; i < 2; i++) {
            struct coordination coordination = node(5, "r1");
            hold(&coordination, 5);
            lead_hear(&coordination.lead, "r2", true, term, roots[i], START, START);
            bool clashes = term == 5 && i == 1;
            assert_true(decide(&coordination, 0).may_order == !clashes);
            assert_int_equal(coordination.claim.yields_ns, 0);
        }
}

static void who_is_no_candidate_has_no_part_in_it(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    struct lead_setup setup = {.self = "x", .candidates = candidates, .n = 2, .term = 5};
    lead_begin(&coordination.lead, &setup, START);
    struct lead_verdict verdict = decide(&coordination, 0);
    assert_false(verdict.is_root || verdict.may_order);
    assert_string_equal(verdict.reason, "\"x\" is no candidate of its tree document");
}

static void without_a_lease_the_list_decides(void **state)
{
    (void)state;
    struct coordination coordination = node(5, "r1");
    coordination.by_lease = false;
    struct lead_verdict verdict = decide(&coordination, 0);
    assert_true(verdict.is_root && !verdict.is_halted);
    lead_miss(&coordination.lead, "r2", START);
    assert_true(decide(&coordination, 0).may_order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_read_first),
        cmocka_unit_test(a_root_without_a_lease_orders_nothing),
        cmocka_unit_test(with_a_lease_it_orders_in_its_term_up_to_two_thirds),
        cmocka_unit_test(a_new_lease_is_a_new_term),
        cmocka_unit_test(no_term_is_used_twice),
        cmocka_unit_test(nodes_that_obey_a_higher_term_are_outdone),
        cmocka_unit_test(the_holder_is_root),
        cmocka_unit_test(who_is_promoted_by_hand_gets_it),
        cmocka_unit_test(who_is_only_standby_does_not),
        cmocka_unit_test(who_is_no_candidate_has_no_part_in_it),
        cmocka_unit_test(without_a_lease_the_list_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
