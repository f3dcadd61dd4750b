/* Sequences of all applications together: totals that only grow, what came in a pass, and bounds.
 */
#include "application/flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

#include "tests/unit/heap.h"
#include "tests/unit/unit.h"

#define S NS_PER_S

static void tell_at(struct flows *flows, uint32_t child, uint32_t node, const char *path,
                    uint64_t sequence, uint64_t start_ms, uint64_t ms, uint64_t now_s)
{
    const struct report_record record = {
        .start_ns = start_ms * NS_PER_MS, .duration_ns = ms * NS_PER_MS, .sequence = sequence};
    flows_add(flows, child, node, path, &record, now_s * S);
}

static void add_at(struct flows *flows, uint32_t node, const char *path, uint64_t sequence,
                   uint64_t start_ms, uint64_t ms, uint64_t now_s)
{
    tell_at(flows, 0, node, path, sequence, start_ms, ms, now_s);
}

static void pass(struct flows *flows, uint64_t now_s)
{
    flows_begin(flows, now_s * S);
    flows_end(flows, now_s * S);
}

static const struct flow_latency *latency_of(const struct flow *flow, const char *name)
{
    const struct flow_latency *latency = flow->latencies;
    while (latency && strcmp(latency->name, name) != 0)
        latency = latency->hh.next;
    return latency;
}

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* From one node to another, whose clock is 50 ms behind in the second sequence. */
static void a_sequence_over_two_nodes(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = 3 * S};
    add_at(&flows, 2, "anna/shop:pay:card", 1, 1040, 10, 10);
    add_at(&flows, 1, "anna/shop:receive", 1, 1000, 20, 11);
    pass(&flows, 13);
    const struct flow *flow = flows_find(&flows, "anna/shop");
    assert_non_null(flow);
    assert_int_equal(flow->complete, 0);
    pass(&flows, 14);
    assert_int_equal(flow->complete, 1);
    assert_true(near(flow->sum, 0.05));
    assert_int_equal(flow->grown->count, 1);
    const struct flow_latency *latency = latency_of(flow, "anna/shop:receive>pay:card");
    assert_non_null(latency);
    assert_int_equal(latency->count, 1);
    assert_true(near(latency->sum, 0.02));
    assert_int_equal(latency->grown->count, 1);
    add_at(&flows, 1, "anna/shop:receive", 2, 2000, 20, 15);
    add_at(&flows, 2, "anna/shop:pay:card", 2, 2005, 10, 15);
    pass(&flows, 16);
    assert_null(flow->grown);
    assert_null(latency->grown);
    assert_int_equal(latency->count, 1);
    pass(&flows, 20);
    assert_int_equal(latency->count, 2);
    assert_int_equal(latency->negative, 1);
    assert_true(near(latency->sum, 0.02 - 0.015));
    assert_int_equal(flow->complete, 2);
    assert_int_equal(flow->lost + flow->left_out, 0);
    flows_release(&flows);
}

/* The same number in another application is another sequence. */
static void applications_are_apart(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    add_at(&flows, 0, "anna/shop:a", 1, 1000, 1, 10);
    add_at(&flows, 0, "bert/shop:b", 1, 1000, 1, 10);
    pass(&flows, 20);
    assert_int_equal(flows_find(&flows, "anna/shop")->complete, 1);
    assert_int_equal(flows_find(&flows, "bert/shop")->complete, 1);
    assert_null(flows_find(&flows, "anna/shop")->latencies);
    assert_null(flows_find(&flows, "carl/shop"));
    flows_release(&flows);
}

static void what_settles_may_change(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = 100 * S};
    add_at(&flows, 0, "anna/shop:a", 1, 1000, 1, 10);
    pass(&flows, 20);
    assert_int_equal(flows_find(&flows, "anna/shop")->complete, 0);
    flows.settle_ns = 5 * S;
    pass(&flows, 21);
    assert_int_equal(flows_find(&flows, "anna/shop")->complete, 1);
    flows_release(&flows);
}

/* What is lost between two passes is counted once. */
static void losses_are_counted(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    for (unsigned i = 0; i <= SEQUENCE_RECORDS_MAX; i++)
        add_at(&flows, 0, "anna/shop:a", 1, i, 1, 10);
    pass(&flows, 10);
    const struct flow *flow = flows_find(&flows, "anna/shop");
    assert_int_equal(flow->lost, 1);
    for (unsigned i = 0; i <= SEQUENCE_RECORDS_MAX; i++)
        add_at(&flows, 0, "anna/shop:a", 2, i, 1, 10);
    pass(&flows, 11);
    pass(&flows, 12);
    assert_int_equal(flow->lost, 2);
    assert_int_equal(flow->complete, 0);
    flows_release(&flows);
}

static void steps_beyond_the_bound_are_left_out(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    char path[64];
    for (unsigned i = 0; i < SEQUENCE_STEPS_MAX + 3; i++) {
        snprintf(path, sizeof path, "anna/shop:step%u", i);
        add_at(&flows, 0, path, 0, i, 1, 10);
    }
    pass(&flows, 11);
    assert_int_equal(flows_find(&flows, "anna/shop")->left_out, 3);
    flows_release(&flows);
}

/* No user takes all the room, and all users together take no more than that. */
static void few_are_followed(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    char path[64];
    for (unsigned user = 0; user < 6; user++)
        for (unsigned i = 0; i < FLOWS_FOLLOWED_OF_USER + 1; i++) {
            snprintf(path, sizeof path, "user%u/shop%u:a", user, i);
            add_at(&flows, 0, path, 1, 1000, 1, 10);
        }
    assert_int_equal(flows.followed, FLOWS_FOLLOWED_MAX);
    pass(&flows, 20);
    assert_int_equal(flows_find(&flows, "user0/shop7")->complete, 1);
    assert_int_equal(flows_find(&flows, "user0/shop8")->complete, 0);
    assert_int_equal(flows_find(&flows, "user0/shop8")->left_out, 1);
    assert_int_equal(flows_find(&flows, "user3/shop7")->complete, 1);
    assert_int_equal(flows_find(&flows, "user4/shop0")->left_out, 1);
    assert_int_equal(flows.left_out, 0);
    pass(&flows, 10 + FLOW_IDLE_NS / S);
    assert_null(flows.by_application);
    assert_int_equal(flows.followed, 0);
    add_at(&flows, 0, "user4/shop0:a", 1, 1000, 1, 700);
    assert_int_equal(flows.followed, 1);
    flows_release(&flows);
}

/* One sequence of two steps, of which no other one has this pair. */
static void add_pair(struct flows *flows, unsigned pair, uint64_t now_s)
{
    char path[64];
    snprintf(path, sizeof path, "anna/shop:s%u", pair / SEQUENCE_STEPS_MAX);
    add_at(flows, 0, path, pair + 1, 1000, 1, now_s);
    snprintf(path, sizeof path, "anna/shop:s%u", pair % SEQUENCE_STEPS_MAX);
    add_at(flows, 0, path, pair + 1, 1001, 1, now_s);
}

/* However many passes it takes to bring them; and those that are kept go on. */
static void an_application_keeps_so_many_latencies(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    unsigned pair = 0;
    for (unsigned part = 1; part <= 4; part++) {
        for (; pair < part * 200; pair++)
            add_pair(&flows, pair, 10 * part);
        pass(&flows, 10 * part + 2);
    }
    const struct flow *flow = flows_find(&flows, "anna/shop");
    assert_int_equal(HASH_COUNT(flow->latencies), FLOW_LATENCIES_MAX);
    assert_int_equal(flow->complete, 800);
    assert_int_equal(flow->left_out, 800 - FLOW_LATENCIES_MAX);
    add_at(&flows, 0, "anna/shop:s0", 900, 1000, 1, 50);
    add_at(&flows, 0, "anna/shop:s7", 900, 1001, 1, 50);
    pass(&flows, 52);
    assert_int_equal(latency_of(flow, "anna/shop:s0>s7")->count, 2);
    assert_int_equal(flow->left_out, 800 - FLOW_LATENCIES_MAX);
    flows_release(&flows);
}

/* Every flow of a child has another user. */
static void tell_of_many(struct flows *flows, uint32_t child, unsigned n)
{
    char path[64];
    for (unsigned i = 0; i < n; i++) {
        snprintf(path, sizeof path, "u%u-%u/p:a", child, i);
        tell_at(flows, child, child, path, 1, 1000, 1, 10);
    }
}

static unsigned known_of(const struct flows *flows, uint32_t child, unsigned *followed)
{
    unsigned n = 0;
    *followed = 0;
    for (const struct flow *flow = flows->by_application; flow; flow = flow->hh.next) {
        n += flow->child == child;
        *followed += flow->child == child && flow->sequences;
    }
    return n;
}

static void children_have_their_shares(void **state)
{
    (void)state;
    static const struct {
        uint32_t child;
        unsigned known, followed;
    } rows[] = {{1, 256, 8}, {2, 256, 8}, {3, 256, 8}, {4, 0, 0}, {0, 256, 8}};
    struct flows flows = {.settle_ns = S};
    unsigned followed;
    for (size_t i = 0; i < N_OF(rows); i++)
        tell_of_many(&flows, rows[i].child, 300);
    for (size_t i = 0; i < N_OF(rows); i++) {
        assert_int_equal(known_of(&flows, rows[i].child, &followed), rows[i].known);
        assert_int_equal(followed, rows[i].followed);
    }
    assert_int_equal(flows.left_out, 3 * 44 + 300 + 44);
    assert_int_equal(flows_find(&flows, "u1-7/p")->left_out, 0);
    assert_int_equal(flows_find(&flows, "u1-8/p")->left_out, 1);
    /* What a child tells of a flow that is known goes there, whoever told of it first. */
    tell_at(&flows, 4, 4, "u1-0/p:b", 1, 1002, 1, 10);
    pass(&flows, 12);
    assert_int_equal(flows_find(&flows, "u1-0/p")->complete, 1);
    assert_non_null(flows_find(&flows, "u1-0/p")->latencies);
    /* When nothing comes of them any more, there is room for others. */
    pass(&flows, 10 + FLOW_IDLE_NS / S);
    tell_of_many(&flows, 4, 1);
    assert_int_equal(known_of(&flows, 4, &followed), 1);
    assert_int_equal(followed, 1);
    flows_release(&flows);
}

static void what_is_no_path_is_left_out(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    char path[INSTANCE_SIZE + 8];
    add_at(&flows, 1, "total", 1, 1000, 1, 10);
    memset(path, 'a', sizeof path);
    path[INSTANCE_SIZE] = ':';
    path[sizeof path - 1] = 0;
    add_at(&flows, 1, path, 1, 1000, 1, 10);
    assert_int_equal(flows.left_out, 2);
    assert_null(flows.by_application);
    for (unsigned i = 0; i < FLOWS_MAX + 5; i++) {
        snprintf(path, sizeof path, "u/p%u:a", i);
        add_at(&flows, 1, path, 0, 1000, 1, 10);
    }
    assert_int_equal(flows.left_out, 2 + 5);
    flows_release(&flows);
}

/* A latency whose name is too long for an instance counts, and has none. */
static void long_names(void **state)
{
    (void)state;
    struct flows flows = {.settle_ns = S};
    add_at(&flows, 0, "anna/shop:a-step-with-a-name-of-31-octets", 1, 1000, 1, 10);
    add_at(&flows, 0, "anna/shop:b-step-with-a-name-of-31-octets", 1, 1001, 1, 10);
    pass(&flows, 20);
    const struct flow *flow = flows_find(&flows, "anna/shop");
    assert_string_equal(flow->latencies->name, "");
    assert_int_equal(flow->latencies->count, 1);
    flows_release(&flows);
}

static void play(void)
{
    struct flows flows = {.settle_ns = S};
    add_at(&flows, 0, "anna/shop:a", 1, 1000, 1, 10);
    add_at(&flows, 0, "anna/shop:b", 1, 1001, 1, 10);
    pass(&flows, 20);
    add_at(&flows, 0, "anna/shop:b", 2, 1001, 1, 20);
    flows_release(&flows);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sequence_over_two_nodes),
        cmocka_unit_test(applications_are_apart),
        cmocka_unit_test(what_settles_may_change),
        cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(steps_beyond_the_bound_are_left_out),
        cmocka_unit_test(few_are_followed),
        cmocka_unit_test(an_application_keeps_so_many_latencies),
        cmocka_unit_test(children_have_their_shares),
        cmocka_unit_test(what_is_no_path_is_left_out),
        cmocka_unit_test(long_names),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
