/* The socket on which browsers and programs connect. */
#ifndef DCAMP_HTTP_LISTENER_H
#define DCAMP_HTTP_LISTENER_H

#include <stdbool.h>

#include "http/access.h"

struct listener {
    int fd;
    bool is_local;     /* only this machine can connect */
    char address[128]; /* "http://127.0.0.1:8261", with the actual port */
};

#define LISTENER_HOST_SIZE 128

/* Listens on HOST or HOST:PORT; port 0 is any that is free. If a name has several addresses, the
 * first one where that is possible is taken. False: error is one line. The caller closes the
 * socket. */
bool listener_open(struct listener *listener, const char *text, const char *default_port,
                   char error[256]);

/* Adds the names under which this machine and this address may be asked for; own has room for one.
 */
void listener_name_hosts(const struct listener *listener, struct access *access,
                         char own[LISTENER_HOST_SIZE]);

#endif
