#include <errno.h>

#include "sampling.h"

#define ALL (MASK(NETWORK_FIELDS) - 1)
#define RX                                                                                         \
    (MASK(NETWORK_RX_BYTES) | MASK(NETWORK_RX_PACKETS) | MASK(NETWORK_RX_ERRORS) |                 \
     MASK(NETWORK_RX_DROPS))

static void laptop(void **state)
{
    static const struct expected expected[] = {
        {"lo", RESOURCE_INTERFACE, ALL, {913267, 8229, 0, 0, 913267, 8229, 0, 0}},
        {"eth0", RESOURCE_INTERFACE, ALL, {6129557314, 7802345, 3, 17, 238542001, 4475112, 1, 5}},
        {"wlan0", RESOURCE_INTERFACE, ALL, {UINT64_MAX, 99, 0, 1, UINT64_MAX - 1, 98, 0, 2}},
    };
    (void)state;
    check_fixture("laptop", SOURCE_NETWORK, expected, N_OF(expected));
}

static void old_kernel(void **state)
{
    static const struct expected expected[] = {
        {"lo", RESOURCE_INTERFACE, ALL, {3267, 29, 0, 0, 3267, 29, 0, 0}},
        {"eth0", RESOURCE_INTERFACE, ALL, {4294967295, 780, 1, 2, 38542, 447, 3, 4}},
        {"eth0:1", RESOURCE_INTERFACE, ALL, {100, 2, 0, 0, 200, 4, 0, 0}},
    };
    (void)state;
    check_fixture("old-kernel", SOURCE_NETWORK, expected, N_OF(expected));
}

static void truncated(void **state)
{
    static const struct expected expected[] = {
        {"lo", RESOURCE_INTERFACE, RX & ~MASK(NETWORK_RX_DROPS), {10, 11, 12}},
        {"eth0", RESOURCE_INTERFACE, ALL, {20, 21, 22, 23, 24, 25, 26, 27}},
    };
    (void)state;
    check_fixture("broken-truncated", SOURCE_NETWORK, expected, N_OF(expected));
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_NETWORK, EBADMSG);
    check_error("broken-garbage", SOURCE_NETWORK, EBADMSG);
    check_error("broken-empty/proc", SOURCE_NETWORK, ENOENT);
}

static void strange_names(void **state)
{
    static const struct expected expected[] = {
        {"eth0.100", RESOURCE_INTERFACE, RX, {1, 2, 3, 4}},
        {"eth0:1", RESOURCE_INTERFACE, RX, {2, 2, 3, 4}},
        {"veth1@if2", RESOURCE_INTERFACE, RX, {3, 2, 3, 4}},
        {"a", RESOURCE_INTERFACE, RX, {4, 2, 3, 4}},
        {"abcdefghijklmno", RESOURCE_INTERFACE, RX, {5, 2, 3, 4}},
        {"\xc3\xa9th", RESOURCE_INTERFACE, RX, {6, 2, 3, 4}},
        {"7", RESOURCE_INTERFACE, RX, {7, 2, 3, 4}},
        {"cpu", RESOURCE_INTERFACE, RX & ~MASK(NETWORK_RX_PACKETS), {8, 0, 3, 4}},
    };
    const struct tree *tree = *state;
    tree_write(tree, "/proc/net/dev",
               "Inter-| Receive\n face |bytes\n"
               "eth0.100:1 2 3 4\neth0:1:2 2 3 4\n veth1@if2: 3 2 3 4\na: 4 2 3 4\n"
               "abcdefghijklmno:5 2 3 4\n \xc3\xa9th: 6 2 3 4\n7: 7 2 3 4\ncpu: 8 z 3 4\n"
               "a: 9 9 9 9\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, 1), 0);
    assert_slots(sampler_set(sampler, SOURCE_NETWORK), expected, N_OF(expected));
    sampler_free(sampler);
}

static void hot_plug(void **state)
{
    const struct tree *tree = *state;
    tree_copy(tree, "laptop");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_NETWORK);
    assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, 1), 0);
    assert_int_equal(set->membership, 3);

    /* eth0 is replaced by tun0, in another place of the file. */
    tree_write(tree, "/proc/net/dev", "lo: 1 1 1 1\nwlan0: 2 2 2 2\ntun0: 3 3 3 3\n");
    assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, 2), 0);
    assert_int_equal(set->membership, 5);
    assert_int_equal(present_count(set), 3);
    assert_string_equal(set->slots[0].name, "lo");
    assert_string_equal(set->slots[2].name, "wlan0");
    assert_int_equal(slot_named(set, "tun0")->field[NETWORK_RX_BYTES], 3);
    assert_null(slot_named(set, "eth0"));

    /* A third one takes the free slot. */
    tree_write(tree, "/proc/net/dev",
               "lo: 1 1 1 1\ntun1: 4 4 4 4\nwlan0: 2 2 2 2\ntun0: 3 3 3 3\n");
    assert_int_equal(sampler_read(sampler, SOURCE_NETWORK, 3), 0);
    assert_int_equal(set->membership, 6);
    assert_int_equal(set->count, 4);
    assert_string_equal(set->slots[1].name, "tun1");
    assert_int_equal(set->slots[1].incarnation, 2);
    assert_int_equal(set->slots[1].valid, RX);
    sampler_free(sampler);
}

static void stale(void **state)
{
    check_stale(*state, SOURCE_NETWORK, "/proc/net/dev");
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_NETWORK, "/proc/net/dev");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laptop), cmocka_unit_test(old_kernel), cmocka_unit_test(truncated),
        cmocka_unit_test(broken), tree_test(strange_names),     tree_test(hot_plug),
        tree_test(stale),         tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
