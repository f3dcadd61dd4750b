#include <errno.h>

#include "sample/sources.h"

#include "sampling.h"

#define ALL (MASK(PROTOCOL_FIELDS) - 1)

static const struct expected laptop = {"total",
                                       RESOURCE_NODE,
                                       ALL,
                                       {
                                           [TCP_SEGMENTS_IN] = 335600,
                                           [TCP_SEGMENTS_OUT] = 259000,
                                           [TCP_RETRANSMITS] = 301,
                                           [TCP_OPENS_ACTIVE] = 1190,
                                           [TCP_OPENS_PASSIVE] = 22,
                                           [TCP_OPENS_FAILED] = 70,
                                           [TCP_RESETS] = 5,
                                           [TCP_RESETS_SENT] = 190,
                                           [TCP_ERRORS] = 4,
                                           [TCP_ESTABLISHED] = 12,
                                           [TCP_SOCKETS] = 14 + 5,
                                           [TCP_TIME_WAIT] = 9,
                                           [TCP_ORPHANS] = 2,
                                           [TCP_LISTEN_OVERFLOWS] = 31,
                                           [TCP_LISTEN_DROPS] = 33,
                                           [TCP_TIMEOUTS] = 67,
                                           [UDP_DATAGRAMS_IN] = 1860703 + 300,
                                           [UDP_DATAGRAMS_OUT] = 1866758 + 310,
                                           [UDP_ERRORS] = 8 + 2,
                                           [UDP_RECEIVE_BUFFER_ERRORS] = 7 + 1,
                                           [UDP_SEND_BUFFER_ERRORS] = 1 + 3,
                                           [UDP_NO_PORTS] = 6052 + 9,
                                           [UDP_SOCKETS] = 11 + 4,
                                           [IP_PACKETS_IN] = 1876165 + 1000,
                                           [IP_PACKETS_OUT] = 1875398 + 1100,
                                           [IP_FORWARDED] = 17 + 6,
                                           [IP_DISCARDS_IN] = 3 + 4,
                                           [IP_DISCARDS_OUT] = 20 + 7,
                                           [IP_NO_ROUTES] = 40 + 8,
                                       }};

static void fixtures(void **state)
{
    /* Other columns in other places; neither netstat nor IPv6. */
    static const struct expected odd = {
        "total",
        RESOURCE_NODE,
        MASK(TCP_ESTABLISHED) | MASK(TCP_SEGMENTS_IN) | MASK(TCP_SEGMENTS_OUT) |
            MASK(UDP_NO_PORTS) | MASK(UDP_DATAGRAMS_IN) | MASK(UDP_DATAGRAMS_OUT) |
            MASK(IP_PACKETS_IN) | MASK(IP_PACKETS_OUT) | MASK(TCP_TIME_WAIT) | MASK(TCP_SOCKETS),
        {[TCP_ESTABLISHED] = 3,
         [TCP_SEGMENTS_IN] = 100,
         [TCP_SEGMENTS_OUT] = 50,
         [UDP_NO_PORTS] = 5,
         [UDP_DATAGRAMS_OUT] = 6,
         [UDP_DATAGRAMS_IN] = 7,
         [IP_PACKETS_IN] = UINT64_MAX,
         [IP_PACKETS_OUT] = 9,
         [TCP_TIME_WAIT] = 1,
         [TCP_SOCKETS] = 2}};
    static const struct expected truncated = {"total",
                                              RESOURCE_NODE,
                                              MASK(TCP_SEGMENTS_IN) | MASK(TCP_SEGMENTS_OUT),
                                              {[TCP_SEGMENTS_IN] = 10, [TCP_SEGMENTS_OUT] = 20}};
    (void)state;
    check_fixture("laptop", SOURCE_PROTOCOL, &laptop, 1);
    check_fixture("odd-kernel", SOURCE_PROTOCOL, &odd, 1);
    check_fixture("broken-truncated", SOURCE_PROTOCOL, &truncated, 1);
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_PROTOCOL, EBADMSG);
    check_error("broken-garbage", SOURCE_PROTOCOL, EBADMSG);
    check_error("old-kernel", SOURCE_PROTOCOL, ENOENT);
}

/* More names than numbers and the reverse; numbers that are none; a pair that is torn apart; the
 * first of two. */
static void strange_lines(void **state)
{
    const struct tree *tree = *state;
    static const struct expected expected = {
        "total",
        RESOURCE_NODE,
        MASK(TCP_SEGMENTS_IN) | MASK(TCP_ERRORS) | MASK(UDP_ERRORS) | MASK(TCP_ORPHANS),
        {[TCP_SEGMENTS_IN] = 1, [TCP_ERRORS] = 4, [UDP_ERRORS] = 5, [TCP_ORPHANS] = 8}};
    tree_write(tree, "/proc/net/snmp",
               "Tcp: InSegs OutSegs CurrEstab InErrs OutRsts\nTcp: 1 -1 2x 4\n"
               "Udp: InErrors\nUdp: 5 6 7\n"
               "Ip: InReceives\nIcmp: 9\nIp: 9\n"
               "Udp: InErrors\nUdp: 6\n"
               "UdpLite: NoPorts\nUdpLite: 3\n");
    tree_write(tree, "/proc/net/sockstat", "TCP: orphan 8 inuse tw 5\nTCP6: inuse 4\nTCP:\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 1), 0);
    assert_slots(sampler_set(sampler, SOURCE_PROTOCOL), &expected, 1);
    sampler_free(sampler);
}

/* IPv6 that cannot be read, but is there, leaves no sums: half of one would look like a reset. */
static void unreadable_ipv6(void **state)
{
    const struct tree *tree = *state;
    static const uint32_t sums = MASK(UDP_DATAGRAMS_IN) | MASK(UDP_DATAGRAMS_OUT) |
                                 MASK(UDP_ERRORS) | MASK(UDP_RECEIVE_BUFFER_ERRORS) |
                                 MASK(UDP_SEND_BUFFER_ERRORS) | MASK(UDP_NO_PORTS) |
                                 MASK(IP_PACKETS_IN) | MASK(IP_PACKETS_OUT) | MASK(IP_FORWARDED) |
                                 MASK(IP_DISCARDS_IN) | MASK(IP_DISCARDS_OUT) | MASK(IP_NO_ROUTES);
    static const uint32_t sockets = MASK(TCP_SOCKETS) | MASK(UDP_SOCKETS);
    tree_copy(tree, "laptop");
    tree_remove(tree, "/proc/net/snmp6");
    tree_write(tree, "/proc/net/snmp6/x", "");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PROTOCOL);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 1), 0);
    assert_int_equal(set->slots[0].valid, ALL & ~sums);
    tree_remove(tree, "/proc/net/snmp6");
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 2), 0);
    assert_int_equal(set->slots[0].valid, ALL);
    assert_int_equal(set->slots[0].field[UDP_NO_PORTS], 6052);
    sampler_free(sampler);

    tree_remove(tree, "/proc/net/sockstat6");
    tree_write(tree, "/proc/net/sockstat6/x", "");
    sampler = sampler_new(tree->root);
    set = sampler_set(sampler, SOURCE_PROTOCOL);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 3), 0);
    assert_int_equal(set->slots[0].valid, ALL & ~sockets);
    sampler_free(sampler);
}

/* The sum of two counters wraps where each of them does. */
static void sums_wrap(void **state)
{
    const struct tree *tree = *state;
    tree_write(
        tree, "/proc/net/snmp",
        "Ip: InReceives\nIp: 18446744073709551615\nUdp: NoPorts\nUdp: 18446744073709551615\n");
    tree_write(tree, "/proc/net/snmp6", "Ip6InReceives 5\nUdp6NoPorts 6\nIp6OutRequests 7\n");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PROTOCOL);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 1), 0);
    assert_int_equal(set->slots[0].valid, MASK(IP_PACKETS_IN) | MASK(UDP_NO_PORTS));
    assert_int_equal(set->slots[0].field[IP_PACKETS_IN], 4);
    assert_int_equal(set->slots[0].field[UDP_NO_PORTS], 5);
    assert_int_equal(set->slots[0].field[IP_PACKETS_OUT], 0);
    sampler_free(sampler);
}

/* -- What is wanted -------------------------------------------------------------------------- */

static void each_field(void **state)
{
    (void)state;
    check_each_field("laptop", SOURCE_PROTOCOL, "*", &laptop, 1, PROTOCOL_FIELDS);
}

enum { SNMP = 1, NETSTAT = 2, SOCKSTAT = 4, SNMP6 = 8, SOCKSTAT6 = 16 };

/* Bit 1 << file for each file that is opened for a field. */
static unsigned opened_for(uint32_t fields)
{
    struct sampler *sampler = fixture_sampler("laptop");
    select_fields(sampler, SOURCE_PROTOCOL, "*", fields);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 1), 0);
    const struct files *files = sampler->sources[SOURCE_PROTOCOL].own;
    unsigned opened = 0;
    for (unsigned i = 0; i < files->count; i++)
        opened |= (unsigned)(files->file[i].fd >= 0) << i;
    sampler_free(sampler);
    return opened;
}

static unsigned files_of(unsigned field)
{
    switch (field) {
    case TCP_SOCKETS:
    case UDP_SOCKETS:
        return SOCKSTAT | SOCKSTAT6;
    case TCP_TIME_WAIT:
    case TCP_ORPHANS:
        return SOCKSTAT;
    case TCP_LISTEN_OVERFLOWS:
    case TCP_LISTEN_DROPS:
    case TCP_TIMEOUTS:
        return NETSTAT;
    default:
        return field < UDP_DATAGRAMS_IN ? SNMP : SNMP | SNMP6;
    }
}

/* A field that is a sum needs both of its files; no other is opened. */
static void files(void **state)
{
    (void)state;
    for (unsigned field = 0; field < PROTOCOL_FIELDS; field++)
        assert_int_equal(opened_for(MASK(field)), files_of(field));
    assert_int_equal(opened_for(MASK(TCP_ESTABLISHED) | MASK(TCP_LISTEN_OVERFLOWS)),
                     SNMP | NETSTAT);
    assert_int_equal(opened_for(SAMPLE_ALL_FIELDS), 31);
}

/* What nobody wants may be missing or unreadable; what is wanted anew is that of the pass. */
static void selection_changes(void **state)
{
    const struct tree *tree = *state;
    static const uint32_t established = MASK(TCP_ESTABLISHED), drops = MASK(TCP_LISTEN_DROPS);
    tree_copy(tree, "laptop");
    tree_remove(tree, "/proc/net/netstat");
    tree_remove(tree, "/proc/net/snmp6");
    tree_write(tree, "/proc/net/snmp6/x", "");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PROTOCOL);
    select_fields(sampler, SOURCE_PROTOCOL, "*", established);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 1), 0);
    assert_wanted(set, &laptop, 1, established);
    select_fields(sampler, SOURCE_PROTOCOL, "*", drops);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 2), ENOENT);
    tree_write(tree, "/proc/net/netstat", "TcpExt: ListenDrops\nTcpExt: 900\n");
    select_fields(sampler, SOURCE_PROTOCOL, "*", established | drops);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 3), 0);
    assert_int_equal(set->slots[0].valid, established | drops);
    assert_int_equal(set->slots[0].field[TCP_LISTEN_DROPS], 900);
    tree_write(tree, "/proc/net/netstat", "TcpExt: A ListenDrops\nTcpExt: 1 901\n");
    select_fields(sampler, SOURCE_PROTOCOL, "*", established);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 4), 0);
    assert_wanted(set, &laptop, 1, established);
    select_fields(sampler, SOURCE_PROTOCOL, "*", drops);
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 5), 0);
    assert_int_equal(set->slots[0].valid, drops);
    assert_int_equal(set->slots[0].field[TCP_LISTEN_DROPS], 901);
    /* Half a sum is none, neither where it is wanted nor where it is not. */
    select_fields(sampler, SOURCE_PROTOCOL, "*", drops | MASK(UDP_ERRORS));
    assert_int_equal(sampler_read(sampler, SOURCE_PROTOCOL, 6), 0);
    assert_int_equal(set->slots[0].valid, drops);
    assert_int_equal(set->membership, 1);
    sampler_free(sampler);
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_PROTOCOL, "/proc/net/snmp");
    check_any_bytes(*state, SOURCE_PROTOCOL, "/proc/net/netstat");
    check_any_bytes(*state, SOURCE_PROTOCOL, "/proc/net/sockstat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures), cmocka_unit_test(broken),     tree_test(strange_lines),
        tree_test(unreadable_ipv6), tree_test(sums_wrap),         cmocka_unit_test(each_field),
        cmocka_unit_test(files),    tree_test(selection_changes), tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
