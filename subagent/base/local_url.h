/* URLs of servers that listen on this machine only: http or https, and as the host a loopback
 * address or "localhost" (RFC 6761, section 6.3), which whoever connects must not look up
 * elsewhere. Pure. */
#ifndef DCAMP_BASE_LOCAL_URL_H
#define DCAMP_BASE_LOCAL_URL_H

#include <stdbool.h>
#include <sys/socket.h>

/* What is wrong with the URL, as "url begins with ..."; NULL: nothing. */
const char *local_url_fault(const char *url);

/* Whether an address is one of this machine only: 127.0.0.0/8, ::1, or a UNIX socket. */
bool local_address(const struct sockaddr *address);

#endif
