/* HTTP, by libmicrohttpd: one thread, for the page, the REST interface and what is live. */
#ifndef DCAMP_WEB_SERVER_H
#define DCAMP_WEB_SERVER_H

#include "http/access.h"
#include "web/api.h"
#include "web/site.h"

struct server_settings {
    int fd;            /* on which it listens */
    bool limits_peers; /* to a part of all connections each; not where all come from one address */
    const struct access *access;
    const struct site *site;
    struct api *api;
};

/* Serves until TERM or INT, which it blocks. 0, or an errno when it cannot be set up. */
int server_run(const struct server_settings *settings);

#endif
