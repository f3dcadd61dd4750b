/* The command line of dcamp-load. */
#ifndef DCAMP_LOAD_OPTIONS_H
#define DCAMP_LOAD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/login.h"
#include "load/action.h"
#include "load/run.h"

#define OPTIONS_ACTIONS_MAX 256
#define OPTIONS_WORKERS_MAX 1000000
#define OPTIONS_RAMP_WORKERS 10000 /* default limit of a ramp, unless it begins with as many */
#define OPTIONS_OPEN_WORKERS 1000  /* default limit of an open load */

enum { LOAD_OK, LOAD_FAILED, LOAD_USAGE };

/* The texts are those of argv. */
struct options {
    const char *expression;
    struct action action[OPTIONS_ACTIONS_MAX];
    size_t n_actions;
    bool check, json;
    unsigned workers; /* 0 if not given */
    double rate;      /* per second; 0: closed load */
    bool is_poisson;
    const char *data_file, *data_program; /* at most one of them */
    uint64_t seed;
    uint32_t timeout_ms, duration_ms; /* a duration of 0 means that there is none */
    uint32_t ramp_ms;                 /* of a stage; 0 if there is no ramp */
    double quantile, limit_s, most;   /* of the ramp; the limit is infinite if there is none; most
                                       * is 0 if not given */
    const char *application;
    struct run_options run;
    struct login login; /* for all agents that are asked by SNMP */
    bool has_login;     /* one of its options was given */
};

/* Returns -1 if the program is to go on; otherwise the exit status, after help, the version or an
 * error was printed. */
int options_read(int argc, char **argv, struct options *options);

/* Returns the action of the operations of that name; NULL if there is none. */
const struct action *options_find(const struct options *options, const char *name);

void options_release(struct options *options);

#endif
