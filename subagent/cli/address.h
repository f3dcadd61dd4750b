/* Where a node is, as people say it: names and numbers, with and without a port. */
#ifndef DCAMP_CLI_ADDRESS_H
#define DCAMP_CLI_ADDRESS_H

#include <stdbool.h>

#include "base/limits.h"

#define HOST_SIZE 256
#define PORT_SIZE 6

struct address {
    char host[HOST_SIZE];
    char port[PORT_SIZE];
};

/* Takes "host", "host:port", "192.0.2.7:161", "2001:db8::7", "[2001:db8::7]:161", each also behind
 * "udp:" or "udp6:". Without a port it is that of the second argument. False: not an address, and
 * nothing is changed. */
bool address_split(const char *text, const char *port, struct address *address);

/* Looks a name up and writes the address in numbers, "udp:192.0.2.7:161" or
 * "udp6:[2001:db8::7]:161". This may take as long as the resolver does. NULL, or why not. */
const char *address_resolve(const struct address *address, char numbers[PEER_ADDRESS_SIZE]);

#endif
