/* The command line of dcamp-web. */
#ifndef DCAMP_WEB_OPTIONS_H
#define DCAMP_WEB_OPTIONS_H

#include <stdbool.h>

#include "base/credentials.h"
#include "http/access.h"

#define WEB_PORT "8261"

enum { WEB_OK = 0, WEB_USAGE = 2, WEB_FAILED = 3 }; /* exit status */

struct options {
    const char *directory; /* of the history */
    const char *page;      /* the directory with the files of the page */
    const char *listen;    /* HOST or HOST:PORT */
    const char *user_header;
    const char *hosts[ACCESS_HOSTS_MAX / 2];
    size_t n_hosts;
    bool has_token, to_syslog;
    struct credentials credentials; /* with has_token, the token is in here */
};

/* Reads the arguments. -1: dcamp-web is to run; else it is to exit with that status. */
int options_parse(int argc, char **argv, struct options *options);

#endif
