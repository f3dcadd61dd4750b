/* HTTP, by libmicrohttpd: one thread serves the page, the REST interface and the live events. */
#ifndef DCAMP_WEB_SERVER_H
#define DCAMP_WEB_SERVER_H

#include "http/access.h"
#include "web/api.h"
#include "web/site.h"

struct server_settings {
    int fd;            /* on which it listens */
    bool limits_peers; /* each peer to a part of all connections; false where all come from one
                          address */
    const struct access *access;
    const struct site *site;
    struct api *api;
};

/* Serves until SIGTERM or SIGINT, both of which it blocks. 0, or an errno if it cannot be set up.
 */
int server_run(const struct server_settings *settings);

#endif
