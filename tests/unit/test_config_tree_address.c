/* Networks and addresses of the tree document. */
#include <string.h>

#include "config/tree_address.h"

#include "unit.h"

static const struct {
    const char *text;
    uint32_t bits;
    uint8_t network[16];
    bool is_ipv6;
} good[] = {
    {"192.0.2.0/24", 24, {192, 0, 2}, false},
    {"192.0.2.7/32", 32, {192, 0, 2, 7}, false},
    {"192.0.2.6/31", 31, {192, 0, 2, 6}, false},
    {"10.1.0.0/16", 16, {10, 1}, false},
    {"0.0.0.0/16", 16, {0}, false},
    {"255.255.255.254/31", 31, {255, 255, 255, 254}, false},
    {"2001:db8::/112", 112, {0x20, 1, 0x0d, 0xb8}, true},
    {"2001:DB8:0::0/120", 120, {0x20, 1, 0x0d, 0xb8}, true},
    {"::/128", 128, {0}, true},
    {"::1/128", 128, {[15] = 1}, true},
    {"::ffff:192.0.2.0/120", 120, {[10] = 255, 255, 192, 0, 2}, true},
};

static void networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(good); i++) {
        struct tree_range range;
        char fault[FAULT_SIZE];
        memset(&range, 0xff, sizeof range);
        if (!tree_range_parse(good[i].text, &range, fault))
            fail_msg("%s %s", good[i].text, fault);
        assert_memory_equal(range.network, good[i].network, 16);
        assert_int_equal(range.bits, good[i].bits);
        assert_int_equal(range.is_ipv6, good[i].is_ipv6);
    }
}

#define NO_NETWORK "is not a network; write for example \"192.0.2.0/24\" or \"2001:db8::/120\""
#define TOO_LARGE(least) "has more than 65536 addresses; write several, with prefixes from /" least

static const struct {
    const char *text, *fault;
} bad[] = {
    {"", NO_NETWORK},
    {"/", NO_NETWORK},
    {"/24", NO_NETWORK},
    {"192.0.2.0", NO_NETWORK},
    {"192.0.2.0/", NO_NETWORK},
    {"192.0.2/24", NO_NETWORK},
    {"192.0.2.256/24", NO_NETWORK},
    {"192.0.2.0/33", NO_NETWORK},
    {"192.0.2.0/-1", NO_NETWORK},
    {"192.0.2.0/+24", NO_NETWORK},
    {"192.0.2.0/ 24", NO_NETWORK},
    {"192.0.2.0/24 ", NO_NETWORK},
    {" 192.0.2.0/24", NO_NETWORK},
    {"192.0.2.0/0024", NO_NETWORK},
    {"192.0.2.0/24/24", NO_NETWORK},
    {"192.0.2.0/255.255.255.0", NO_NETWORK},
    {"192.0.2.0/4294967320", NO_NETWORK},
    {"localhost/24", NO_NETWORK},
    {"2001:db8::/129", NO_NETWORK},
    {"2001:db8::g/120", NO_NETWORK},
    {"fe80::1%eth0/128", NO_NETWORK},
    {"[2001:db8::]/120", NO_NETWORK},
    {"2001:db8:1111:2222:3333:4444:5555:6666:7777:8888/128", NO_NETWORK},
    {"192.0.0.0/15", TOO_LARGE("16 on")},
    {"0.0.0.0/0", TOO_LARGE("16 on")},
    {"2001:db8::/111", TOO_LARGE("112 on")},
    {"::/0", TOO_LARGE("112 on")},
    {"192.0.2.7/24", "is an address in a network; write \"192.0.2.0/24\" or another"},
    {"192.0.2.1/31", "is an address in a network; write \"192.0.2.0/31\" or another"},
    {"192.0.3.0/23", "is an address in a network; write \"192.0.2.0/23\" or another"},
    {"2001:db8::1/120", "is an address in a network; write \"2001:db8::/120\" or another"},
    {"2001:db8::100:1/113", "is an address in a network; write \"2001:db8::100:0/113\" or another"},
};

static void no_networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct tree_range range;
        char fault[FAULT_SIZE];
        if (tree_range_parse(bad[i].text, &range, fault))
            fail_msg("\"%s\" is taken for a network", bad[i].text);
        assert_string_equal(fault, bad[i].fault);
    }
}

/* Nobody asks all addresses of those that nodes may announce themselves from. */
static void networks_of_any_size(void **state)
{
    (void)state;
    static const char *const any[] = {"0.0.0.0/0", "10.0.0.0/8", "192.0.2.7/32", "::/0",
                                      "2001:db8::/32"};
    struct tree_range range;
    char fault[FAULT_SIZE];
    for (size_t i = 0; i < N_OF(any); i++)
        if (!tree_network_parse(any[i], &range, fault))
            fail_msg("%s %s", any[i], fault);
    assert_false(tree_network_parse("10.0.0.1/8", &range, fault));
    assert_string_equal(fault, "is an address in a network; write \"10.0.0.0/8\" or another");
    assert_false(tree_network_parse("10/8", &range, fault));
    assert_string_equal(fault, NO_NETWORK);
}

static const struct {
    const char *a, *b;
    uint32_t ports[2];
    bool overlap;
} pairs[] = {
    {"192.0.2.0/24", "192.0.2.0/24", {161, 161}, true},
    {"192.0.2.0/24", "192.0.2.0/24", {161, 162}, false},
    {"192.0.2.0/24", "192.0.2.128/25", {161, 161}, true},
    {"192.0.2.0/25", "192.0.2.128/25", {161, 161}, false},
    {"192.0.2.0/24", "192.0.3.0/24", {161, 161}, false},
    {"192.0.0.0/16", "192.0.2.7/32", {161, 161}, true},
    {"192.0.2.7/32", "192.0.2.6/32", {161, 161}, false},
    {"::/120", "0.0.0.0/24", {161, 161}, false},
    {"::/120", "::80/121", {161, 161}, true},
    {"::/121", "::80/121", {161, 161}, false},
};

static void overlaps(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(pairs); i++) {
        struct tree_range a = {.port = pairs[i].ports[0]}, b = {.port = pairs[i].ports[1]};
        char fault[FAULT_SIZE];
        assert_true(tree_range_parse(pairs[i].a, &a, fault));
        assert_true(tree_range_parse(pairs[i].b, &b, fault));
        assert_int_equal(tree_ranges_overlap(&a, &b), pairs[i].overlap);
        assert_int_equal(tree_ranges_overlap(&b, &a), pairs[i].overlap);
    }
}

static void endpoints(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "udp:192.0.2.7:161",        "udp:192.0.2.7:0161",        "udp6:[2001:db8::7]:161",
        "udp6:[2001:DB8:0::7]:161", "udp6:[2001:db8::0007]:161", "udp:192.0.2.7:162",
        "udp:192.0.2.8:161",        "udp6:[2001:db8::8]:161",    "udp6:[::]:161",
        "udp:0.0.0.0:161",
    };
    static const int same[] = {0, 0, 1, 1, 1, 2, 3, 4, 5, 6};
    struct tree_endpoint of[N_OF(texts)];
    for (size_t i = 0; i < N_OF(texts); i++)
        tree_endpoint_of(texts[i], &of[i]);
    for (size_t i = 0; i < N_OF(texts); i++)
        for (size_t k = 0; k < N_OF(texts); k++)
            if ((memcmp(&of[i], &of[k], sizeof *of) == 0) != (same[i] == same[k]))
                fail_msg("%s and %s", texts[i], texts[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks),
        cmocka_unit_test(no_networks),
        cmocka_unit_test(networks_of_any_size),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(endpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
