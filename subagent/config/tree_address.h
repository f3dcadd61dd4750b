/* Inside config/: the addresses of the tree document. Pure. */
#ifndef DCAMP_CONFIG_TREE_ADDRESS_H
#define DCAMP_CONFIG_TREE_ADDRESS_H

#include "config/fault.h"
#include "config/tree_config.h"

/* Sets network, is_ipv6 and bits of a range from "192.0.2.0/24" or "2001:db8::/120". False: fault
 * says what is wrong with the text, and what would be right. */
bool tree_network_parse(const char *text, struct tree_range *range, char fault[FAULT_SIZE]);

/* The same for a range whose addresses are all asked, and so must not be too many. */
bool tree_range_parse(const char *text, struct tree_range *range, char fault[FAULT_SIZE]);

/* Whether some address, with its port, is in both ranges. */
bool tree_ranges_overlap(const struct tree_range *a, const struct tree_range *b);

/* An address as it is used for sending: the same address may be written in several ways. */
struct tree_endpoint {
    uint8_t octets[16]; /* IPv4: the first four */
    uint32_t is_ipv6, port;
};

/* The endpoint of an address that is written as for FIELD_PEER. */
void tree_endpoint_of(const char *address, struct tree_endpoint *endpoint);

#endif
