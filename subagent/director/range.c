#include "director/range.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/hostport.h"
#include "base/text.h"

static uint32_t width(const struct tree_range *range)
{
    return range->is_ipv6 ? 128 : 32;
}

/* Whether the first and the last address of an IPv4 network belong to no host (RFC 919, section 7),
 * as is so if it has more than two (RFC 3021). */
static bool has_broadcast(const struct tree_range *range)
{
    return !range->is_ipv6 && range->bits < 31;
}

uint32_t range_hosts(const struct tree_range *range)
{
    uint32_t free_bits = range->bits < width(range) ? width(range) - range->bits : 0;
    uint64_t hosts = free_bits < 32 ? UINT64_C(1) << free_bits : UINT64_C(1) << 32;
    if (has_broadcast(range))
        hosts -= 2;
    return hosts < TREE_RANGE_HOSTS_MAX ? (uint32_t)hosts : TREE_RANGE_HOSTS_MAX;
}

void range_address(const struct tree_range *range, uint32_t i, char address[PEER_ADDRESS_SIZE])
{
    uint8_t octets[16];
    char host[INET6_ADDRSTRLEN];
    memcpy(octets, range->network, sizeof octets);
    uint32_t add = i + has_broadcast(range);
    for (size_t at = width(range) / 8; at-- > 0 && add > 0;) {
        add += octets[at];
        octets[at] = (uint8_t)add;
        add >>= 8;
    }
    if (!inet_ntop(range->is_ipv6 ? AF_INET6 : AF_INET, octets, host, sizeof host))
        host[0] = '\0';
    text_format(address, PEER_ADDRESS_SIZE, range->is_ipv6 ? "udp6:[%s]:%u" : "udp:%s:%u", host,
                (unsigned)range->port);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool read_host(const char *address, bool is_ipv6, uint8_t octets[16])
{
    char host[INET6_ADDRSTRLEN];
    struct hostport parts;
    if (starts_with(address, "udp:"))
        address += strlen("udp:");
    else if (starts_with(address, "udp6:"))
        address += strlen("udp6:");
    if (!hostport_split(address, &parts) || parts.host_len >= sizeof host)
        return false;
    memcpy(host, parts.host, parts.host_len);
    host[parts.host_len] = '\0';
    return inet_pton(is_ipv6 ? AF_INET6 : AF_INET, host, octets) == 1;
}

bool range_has(const struct tree_range *range, const char *address)
{
    uint8_t octets[16];
    if (range->bits > width(range) || !read_host(address, range->is_ipv6, octets))
        return false;
    uint32_t whole = range->bits / 8, rest = range->bits % 8;
    if (memcmp(octets, range->network, whole) != 0)
        return false;
    return rest == 0 || ((octets[whole] ^ range->network[whole]) >> (8 - rest)) == 0;
}

bool range_next(struct range_cursor *cursor, const struct tree_range *ranges, size_t n,
                char address[PEER_ADDRESS_SIZE])
{
    while (cursor->range < n && cursor->host >= range_hosts(&ranges[cursor->range]))
        *cursor = (struct range_cursor){.range = cursor->range + 1};
    if (cursor->range >= n) {
        *cursor = (struct range_cursor){0};
        return false;
    }
    range_address(&ranges[cursor->range], cursor->host++, address);
    return true;
}
