/* Which nodes there are: addresses of ranges, clones, names. */

#include <string.h>

#include "director/members.h"
#include "director/range.h"

#include "unit.h"

static struct tree_range ipv4(uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint32_t bits)
{
    return (struct tree_range){.network = {a, b, c, d}, .bits = bits, .port = 161, .group = "db"};
}

static void hosts(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits, hosts;
        const char *first, *last;
    } cases[] = {
        {32, 1, "udp:192.0.2.4:161", "udp:192.0.2.4:161"},
        {31, 2, "udp:192.0.2.4:161", "udp:192.0.2.5:161"},
        {30, 2, "udp:192.0.2.5:161", "udp:192.0.2.6:161"},
        {29, 6, "udp:192.0.2.5:161", "udp:192.0.2.10:161"}, /* the network is not cut off here */
    };
    char address[PEER_ADDRESS_SIZE];
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct tree_range range = ipv4(192, 0, 2, 4, cases[i].bits);
        assert_int_equal(range_hosts(&range), cases[i].hosts);
        range_address(&range, 0, address);
        assert_string_equal(address, cases[i].first);
        range_address(&range, cases[i].hosts - 1, address);
        assert_string_equal(address, cases[i].last);
    }
    struct tree_range range = ipv4(10, 1, 0, 0, 16);
    assert_int_equal(range_hosts(&range), 65534);
    range_address(&range, 65533, address);
    assert_string_equal(address, "udp:10.1.255.254:161");
    range = ipv4(0, 0, 0, 0, 0);
    assert_int_equal(range_hosts(&range), TREE_RANGE_HOSTS_MAX);
    range = (struct tree_range){
        .network = {0x20, 1, 0xd, 0xb8}, .is_ipv6 = true, .bits = 64, .port = 1161};
    assert_int_equal(range_hosts(&range), TREE_RANGE_HOSTS_MAX);
    range_address(&range, 0x1ff, address);
    assert_string_equal(address, "udp6:[2001:db8::1ff]:1161");
    range.bits = 128;
    assert_int_equal(range_hosts(&range), 1);
}

static void networks(void **state)
{
    (void)state;
    struct tree_range range = ipv4(192, 0, 2, 64, 26);
    assert_true(range_has(&range, "udp:192.0.2.64:161"));
    assert_true(range_has(&range, "192.0.2.127:99"));
    assert_true(range_has(&range, "192.0.2.70"));
    assert_false(range_has(&range, "udp:192.0.2.63:161"));
    assert_false(range_has(&range, "udp:192.0.2.128:161"));
    assert_false(range_has(&range, "udp6:[2001:db8::1]:161"));
    assert_false(range_has(&range, ""));
    assert_false(range_has(&range, "udp:[192.0.2.70"));
    assert_false(range_has(&range, "udp:192.0.2.70.192.0.2.70.192.0.2.70.192.0.2.70.192:161"));
    range = ipv4(0, 0, 0, 0, 0);
    assert_true(range_has(&range, "udp:203.0.113.9:161"));
    range = ipv4(192, 0, 2, 7, 32);
    assert_true(range_has(&range, "udp:192.0.2.7:161"));
    assert_false(range_has(&range, "udp:192.0.2.6:161"));
    range.bits = 33;
    assert_false(range_has(&range, "udp:192.0.2.7:161"));
    range = (struct tree_range){.network = {0x20, 1, 0xd, 0xb8}, .is_ipv6 = true, .bits = 32};
    assert_true(range_has(&range, "udp6:[2001:db8::1]:161"));
    assert_false(range_has(&range, "udp6:[2001:db9::1]:161"));
    assert_false(range_has(&range, "udp:192.0.2.7:161"));
}

static void every_address_in_its_turn(void **state)
{
    (void)state;
    const struct tree_range ranges[] = {ipv4(192, 0, 2, 8, 30), ipv4(192, 0, 2, 20, 32),
                                        ipv4(192, 0, 2, 30, 31)};
    static const char *const all[] = {"udp:192.0.2.9:161", "udp:192.0.2.10:161",
                                      "udp:192.0.2.20:161", "udp:192.0.2.30:161",
                                      "udp:192.0.2.31:161"};
    struct range_cursor cursor = {0};
    char address[PEER_ADDRESS_SIZE];
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < N_OF(all); i++) {
            assert_true(range_next(&cursor, ranges, N_OF(ranges), address));
            assert_string_equal(address, all[i]);
        }
        assert_false(range_next(&cursor, ranges, N_OF(ranges), address));
    }
    assert_false(range_next(&cursor, NULL, 0, address));
    cursor = (struct range_cursor){.range = 9, .host = 9}; /* of a longer list */
    assert_false(range_next(&cursor, ranges, N_OF(ranges), address));
    assert_true(range_next(&cursor, ranges, N_OF(ranges), address));
}

static void what_the_document_says(void **state)
{
    (void)state;
    struct tree_node nodes[] = {
        {.name = "r1", .address = "udp:192.0.2.1:161", .group = "core", .collect = TREE_COLLECT_NO},
        {.name = "web1", .address = "udp:198.51.100.7:161", .group = "web"}};
    struct tree_range ranges[] = {ipv4(203, 0, 113, 0, 24), ipv4(198, 51, 100, 0, 24)};
    ranges[1].collect = TREE_COLLECT_YES;
    char candidates[][NAME_SIZE] = {"r1", "r2"};
    const struct tree_config tree = {.nodes = nodes,
                                     .n_nodes = N_OF(nodes),
                                     .ranges = ranges,
                                     .n_ranges = N_OF(ranges),
                                     .candidates = candidates,
                                     .n_candidates = N_OF(candidates)};
    struct member member = {0};
    member_list(&member, &tree, 0);
    assert_string_equal(member.name, "r1");
    assert_string_equal(member.group, "core");
    assert_true(member.is_listed && member.is_candidate);
    assert_int_equal(member.network, 0);
    assert_int_equal(member.collect, TREE_COLLECT_NO);
    member_list(&member, &tree, 1);
    assert_int_equal(member.network, 2);
    assert_int_equal(member.place, 1);
    assert_false(member.is_candidate);
    assert_true(member_find(&member, &tree, "udp:198.51.100.9:161"));
    assert_string_equal(member.group, "db");
    assert_false(member.is_listed);
    assert_int_equal(member.collect, TREE_COLLECT_YES);
    assert_false(member_find(&member, &tree, "udp:192.0.2.9:161"));
}

static void who_may_announce_itself(void **state)
{
    (void)state;
    struct tree_range ranges[] = {ipv4(203, 0, 113, 0, 24)};
    const struct tree_config tree = {
        .ranges = ranges,
        .n_ranges = N_OF(ranges),
        .announcements = {.group = "late",
                          .collect = TREE_COLLECT_NO,
                          .allowed = {ipv4(10, 0, 0, 0, 8), ipv4(203, 0, 113, 128, 25)},
                          .n_allowed = 2}};
    const struct tree_config nobody = {.ranges = ranges, .n_ranges = N_OF(ranges)};
    assert_true(member_may_announce(&tree, "udp:10.255.1.2:4711"));
    assert_false(member_may_announce(&tree, "udp:11.0.0.1:161"));
    assert_false(member_may_announce(&tree, "udp:203.0.113.7:161"));
    assert_false(member_may_announce(&tree, "udp6:[2001:db8::1]:161"));
    assert_false(member_may_announce(&nobody, "udp:10.255.1.2:161"));
    struct member member = {.is_announced = true};
    assert_true(member_find(&member, &tree, "udp:10.1.1.1:161"));
    assert_string_equal(member.group, "late");
    assert_int_equal(member.collect, TREE_COLLECT_NO);
    assert_int_equal(member.network, 0);
    assert_false(member.is_listed);
    strcpy(member.wish, "web");
    assert_true(member_find(&member, &tree, "udp:10.1.1.1:161"));
    assert_string_equal(member.group, "web");
    /* A range says more of those that are in both. */
    assert_true(member_find(&member, &tree, "udp:203.0.113.200:161"));
    assert_string_equal(member.group, "db");
    assert_int_equal(member.network, 1);
    assert_false(member_find(&member, &nobody, "udp:10.1.1.1:161"));
    member.is_announced = false;
    assert_false(member_find(&member, &tree, "udp:10.1.1.1:161"));
}

static struct member node(const char *name, uint32_t place, const char *engine)
{
    struct member member = {
        .is_listed = true, .place = place, .engine_len = (uint32_t)strlen(engine)};
    strcpy(member.name, name);
    strcpy(member.address, "udp:192.0.2.1:161");
    member.address[12] = (char)('0' + place + 1);
    memcpy(member.engine_id, engine, strlen(engine));
    return member;
}

static void clones(void **state)
{
    (void)state;
    struct member all[] = {node("a", 0, "engine1"), node("b", 1, "engine2"),
                           node("c", 2, "engine1"), node("d", 3, ""),
                           node("e", 4, ""),        node("f", 5, "engine1"),
                           node("b", 6, "engine3"), node("", 7, "engine4"),
                           node("", 8, "engine5"),  node("c", 9, "engine6")};
    static const enum member_verdict wanted[] = {
        MEMBER_GOOD,  MEMBER_GOOD,  MEMBER_CLONE, MEMBER_GOOD, MEMBER_GOOD,
        MEMBER_CLONE, MEMBER_CLONE, MEMBER_GOOD,  MEMBER_GOOD, MEMBER_GOOD};
    /* in any order of the array */
    for (size_t shift = 0; shift < N_OF(all); shift++) {
        struct member *members[N_OF(all)];
        for (size_t i = 0; i < N_OF(all); i++)
            members[i] = &all[(i * 3 + shift) % N_OF(all)];
        members_judge(members, N_OF(all));
        for (size_t i = 0; i < N_OF(all); i++) {
            assert_ptr_equal(members[i], &all[i]);
            assert_int_equal(all[i].verdict, wanted[i]);
            assert_int_equal(all[i].fault[0] != 0, wanted[i] != MEMBER_GOOD);
        }
    }
    assert_non_null(strstr(all[2].fault, "\"a\" at udp:192.0.2.1:161"));
    assert_non_null(strstr(all[5].fault, "\"a\""));
    assert_string_equal(all[6].fault, "\"b\" is also the name of the node at udp:192.0.2.2:161");
    /* one of them goes, or gets an engine ID of its own */
    strcpy((char *)all[2].engine_id, "engine7");
    struct member *rest[] = {&all[6], &all[2], &all[0]};
    members_judge(rest, N_OF(rest));
    for (size_t i = 0; i < N_OF(rest); i++)
        assert_int_equal(rest[i]->verdict, MEMBER_GOOD);
    members_judge(NULL, 0);
}

/* By its engine ID, wherever it answers and whatever it calls itself. */
static void keys_that_are_revoked(void **state)
{
    (void)state;
    struct tree_revoked revoked[] = {{.engine = "\007engine2", .back = TREE_BACK_NO},
                                     {.engine = "\007engine3", .back = TREE_BACK_YES}};
    const struct tree_config tree = {.revoked = revoked, .n_revoked = N_OF(revoked)};
    struct member all[] = {node("a", 0, "engine1"), node("b", 1, "engine2"),
                           node("c", 2, "engine3"), node("d", 3, ""),
                           node("e", 4, "engine2"), node("f", 5, "engine22")};
    static const enum member_verdict wanted[] = {MEMBER_GOOD, MEMBER_REVOKED, MEMBER_GOOD,
                                                 MEMBER_GOOD, MEMBER_REVOKED, MEMBER_GOOD};
    struct member *members[N_OF(all)];
    for (size_t i = 0; i < N_OF(all); i++)
        members[i] = &all[i];
    members_judge(members, N_OF(all));
    members_revoke(members, N_OF(all), &tree);
    for (size_t i = 0; i < N_OF(all); i++)
        assert_int_equal(all[i].verdict, wanted[i]);
    assert_string_equal(all[1].fault, "its keys are revoked by the tree document");
    revoked[0].back = TREE_BACK_YES;
    members_judge(members, N_OF(all));
    members_revoke(members, N_OF(all), &tree);
    assert_int_equal(all[1].verdict, MEMBER_GOOD);
    assert_int_equal(all[4].verdict, MEMBER_CLONE);
}

static void names_of_candidates(void **state)
{
    (void)state;
    struct member all[] = {node("r1", 0, "engine1"), node("r2", 1, "engine2"),
                           node("r3", 2, "engine3"), node("n1", 3, "engine4")};
    struct member *members[] = {&all[0], &all[1], &all[2], &all[3]};
    for (size_t i = 0; i < 3; i++)
        all[i].is_candidate = true;
    strcpy(all[0].said, "r1");
    strcpy(all[1].said, "other");
    strcpy(all[3].said, "other");
    members_judge(members, N_OF(all));
    assert_int_equal(all[0].verdict, MEMBER_GOOD);
    assert_int_equal(all[1].verdict, MEMBER_MISNAMED);
    assert_non_null(strstr(all[1].fault, "\"other\""));
    assert_int_equal(all[2].verdict, MEMBER_GOOD);
    assert_int_equal(all[3].verdict, MEMBER_GOOD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts),
        cmocka_unit_test(networks),
        cmocka_unit_test(every_address_in_its_turn),
        cmocka_unit_test(what_the_document_says),
        cmocka_unit_test(who_may_announce_itself),
        cmocka_unit_test(clones),
        cmocka_unit_test(keys_that_are_revoked),
        cmocka_unit_test(names_of_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
