/* A host and a port, as people write them in one word. Pure. */
#ifndef DCAMP_BASE_HOSTPORT_H
#define DCAMP_BASE_HOSTPORT_H

#include <stdbool.h>
#include <stddef.h>

struct hostport {
    const char *host; /* points into the text: without brackets, host_len octets */
    size_t host_len;
    const char *port; /* points into the text, up to its end; "" where nothing follows the colon;
                         NULL: there is no colon */
};

/* Splits "host", "host:port", "[host]:port", "[host]" and an IPv6 address without brackets, which
 * has no port. False: a ']' is missing, or something other than a colon follows it. */
bool hostport_split(const char *text, struct hostport *parts);

/* Whether the text is a number from 1 to 65535, of five digits at most. */
bool hostport_is_port(const char *text);

#endif
