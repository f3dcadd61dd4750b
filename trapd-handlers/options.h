/* The command line. */
#ifndef DCAMP_TRAP_OPTIONS_H
#define DCAMP_TRAP_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct target_kind;

enum options_action {
    ACTION_TRAP,   /* one trap from standard input */
    ACTION_STREAM, /* a stream of them */
    ACTION_FLUSH,  /* deliver what waits in the spool */
    ACTION_STATUS  /* print the counts in the spool */
};

enum options_sync { SYNC_BATCH, SYNC_NEVER };

#define OPTIONS_LABELS_MAX 16

struct options {
    enum options_action action;
    const struct target_kind *kind;
    bool to_syslog;
    const char *debug;
    /* input */
    const char *stream_path; /* NULL: standard input */
    /* spool */
    const char *spool; /* NULL: the directory below DCAMP_SPOOL_DIR with the target's name */
    uint64_t spool_size;
    uint32_t spool_age_ms;
    enum options_sync sync;
    uint32_t timeout_ms;
    /* names */
    const char *host, *service, *catch_all;
    /* nagios */
    const char *command_file, *objects;
    bool host_check;
    /* zabbix */
    const char *trap_file, *address, *date, *server, *item;
    /* icinga, alertmanager */
    const char *url, *credentials, *authority;
    uint32_t resend_ms, hold_ms;
    const char *labels[OPTIONS_LABELS_MAX];
    size_t n_labels;
    /* mail */
    const char *from, *sendmail, *subject;
    char **arguments; /* mail: receivers; exec: the program and its arguments */
    size_t n_arguments;
};

/* Returns -1 to go on, otherwise the exit status; errors have been printed. */
int options_parse(int argc, char **argv, struct options *options);

#endif
