/* What the command line says. */
#ifndef DCAMP_PUBLISH_OPTIONS_H
#define DCAMP_PUBLISH_OPTIONS_H

#include <stdbool.h>

/* Exit status. */
enum { PUBLISH_OK = 0, PUBLISH_USAGE = 2, PUBLISH_FAILED = 3 };

struct options {
    const char *socket;    /* of dcampd */
    const char *state_dir; /* where this program writes */
    const char *modules;   /* the directory of the kinds of sinks that are not linked in */
    const char *sink;      /* the one to work for; NULL: all, each by its own process */
    bool until_eof;        /* ends when its standard input does */
    bool to_syslog;
};

/* Returns -1 to go on, else the exit status; all errors have been printed. */
int options_parse(int argc, char **argv, struct options *options);

#endif
