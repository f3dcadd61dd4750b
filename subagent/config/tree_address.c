#include "config/tree_address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* -- Networks -------------------------------------------------------------------------------- */

static uint32_t all_bits(const struct tree_range *range)
{
    return range->is_ipv6 ? 128 : 32;
}

static void clear_behind(uint8_t *octets, uint32_t bits, uint32_t all)
{
    for (uint32_t bit = bits; bit < all; bit++)
        octets[bit / 8] &= (uint8_t) ~(0x80u >> bit % 8);
}

/* Reads one to three digits, a number of at most all. */
static bool to_bits(const char *text, uint32_t all, uint32_t *bits)
{
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 3 || text[digits])
        return false;
    *bits = (uint32_t)strtoul(text, NULL, 10);
    return *bits <= all;
}

static bool to_network(const char *text, struct tree_range *range)
{
    char host[INET6_ADDRSTRLEN];
    const char *slash = strchr(text, '/');
    size_t len = slash ? (size_t)(slash - text) : 0;
    if (len == 0 || len >= sizeof host)
        return false;
    memcpy(host, text, len);
    host[len] = '\0';
    range->is_ipv6 = strchr(host, ':') != NULL;
    memset(range->network, 0, sizeof range->network);
    return inet_pton(range->is_ipv6 ? AF_INET6 : AF_INET, host, range->network) == 1 &&
           to_bits(slash + 1, all_bits(range), &range->bits);
}

static bool has_host_bits(const struct tree_range *range, char right[INET6_ADDRSTRLEN])
{
    uint8_t network[16];
    memcpy(network, range->network, sizeof network);
    clear_behind(network, range->bits, all_bits(range));
    if (memcmp(network, range->network, sizeof network) == 0)
        return false;
    inet_ntop(range->is_ipv6 ? AF_INET6 : AF_INET, network, right, INET6_ADDRSTRLEN);
    return true;
}

bool tree_network_parse(const char *text, struct tree_range *range, char fault[FAULT_SIZE])
{
    char right[INET6_ADDRSTRLEN];
    if (!to_network(text, range)) {
        text_format(fault, FAULT_SIZE,
                    "is not a network; write for example \"192.0.2.0/24\" or \"2001:db8::/120\"");
        return false;
    }
    if (has_host_bits(range, right)) {
        text_format(fault, FAULT_SIZE, "is an address in a network; write \"%s/%u\" or another",
                    right, range->bits);
        return false;
    }
    return true;
}

bool tree_range_parse(const char *text, struct tree_range *range, char fault[FAULT_SIZE])
{
    if (!tree_network_parse(text, range, fault))
        return false;
    if (all_bits(range) - range->bits <= 16)
        return true;
    text_format(fault, FAULT_SIZE,
                "has more than %d addresses; write several, with prefixes from /%u on",
                TREE_RANGE_HOSTS_MAX, all_bits(range) - 16);
    return false;
}

bool tree_ranges_overlap(const struct tree_range *a, const struct tree_range *b)
{
    uint32_t bits = a->bits < b->bits ? a->bits : b->bits;
    uint8_t of_a[16], of_b[16];
    if (a->is_ipv6 != b->is_ipv6 || a->port != b->port)
        return false;
    memcpy(of_a, a->network, sizeof of_a);
    memcpy(of_b, b->network, sizeof of_b);
    clear_behind(of_a, bits, all_bits(a));
    clear_behind(of_b, bits, all_bits(b));
    return memcmp(of_a, of_b, sizeof of_a) == 0;
}

/* -- Endpoints ------------------------------------------------------------------------------- */

void tree_endpoint_of(const char *address, struct tree_endpoint *endpoint)
{
    char host[PEER_ADDRESS_SIZE], digits[6] = "";
    *endpoint = (struct tree_endpoint){.port = 0};
    endpoint->is_ipv6 = sscanf(address, "udp6:[%63[^]]]:%5[0-9]", host, digits) == 2;
    if (endpoint->is_ipv6 || sscanf(address, "udp:%63[0-9.]:%5[0-9]", host, digits) == 2)
        inet_pton(endpoint->is_ipv6 ? AF_INET6 : AF_INET, host, endpoint->octets);
    endpoint->port = (uint32_t)strtoul(digits, NULL, 10);
}
