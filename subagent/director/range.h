/* Ranges of addresses in which nodes are found by asking. Pure. */
#ifndef DCAMP_DIRECTOR_RANGE_H
#define DCAMP_DIRECTOR_RANGE_H

#include "config/tree_config.h"

/* How many addresses of hosts a range has: at most TREE_RANGE_HOSTS_MAX. */
uint32_t range_hosts(const struct tree_range *range);

/* The address of host i of a range, "udp:192.0.2.7:161". */
void range_address(const struct tree_range *range, uint32_t i, char address[PEER_ADDRESS_SIZE]);

/* Whether a node with this address, in any of the forms that snmpv3/link.h takes, is in the network
 * of a range. */
bool range_has(const struct tree_range *range, const char *address);

/* Goes through the addresses, of one range after the other. */
struct range_cursor {
    size_t range;
    uint32_t host;
};

/* Writes the next address; false: that was the last, and the cursor begins anew. */
bool range_next(struct range_cursor *cursor, const struct tree_range *ranges, size_t n,
                char address[PEER_ADDRESS_SIZE]);

#endif
