/* The command line. */
#ifndef DCAMP_STATSD_OPTIONS_H
#define DCAMP_STATSD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "libdcamp/segment.h"

#define STATSD_PORT "8125"
#define STATSD_LISTEN_MAX 8
#define STATSD_SENSORS 500
#define STATSD_SENSORS_MAX 1000 /* not counting dcamp-statsd's own */
#define STATSD_APPLICATIONS 16
#define STATSD_APPLICATIONS_MAX 64

/* Exit status. */
enum { STATSD_OK = 0, STATSD_USAGE = 2, STATSD_FAILED = 3 };

struct options {
    const char *listen[STATSD_LISTEN_MAX]; /* as hostport_split() takes them */
    size_t n_listen;                       /* 0: both loopback addresses */
    bool from_stdin;                       /* datagrams come from standard input instead */
    const char *name;                      /* of the application */
    bool by_prefix;                        /* the first part of a name is the application */
    size_t sensors, applications;          /* limits: sensors of each application, applications */
    bool to_syslog;
};

/* Returns -1 to go on, otherwise the exit status; errors have been printed. */
int options_parse(int argc, char **argv, struct options *options);

#endif
