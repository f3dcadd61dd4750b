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
#define OPTIONS_RAMP_WORKERS 10000 /* of a ramp at most, unless it begins with as many */
#define OPTIONS_OPEN_WORKERS 1000  /* of an open load, unless it is told otherwise */

enum { LOAD_OK, LOAD_FAILED, LOAD_USAGE };

/* The texts are those of argv. */
struct options {
    const char *expression;
    struct action action[OPTIONS_ACTIONS_MAX];
    size_t n_actions;
    bool check, json;
    unsigned workers; /* 0: not given */
    double rate;      /* a second; 0: closed load */
    bool is_poisson;
    const char *data_file, *data_program; /* at most one of them */
    uint64_t seed;
    uint32_t timeout_ms, duration_ms; /* 0 of the second: none */
    uint32_t ramp_ms;                 /* of a stage; 0: no ramp */
    double quantile, limit_s, most;   /* of the ramp; infinite limit: none; 0: not given */
    const char *application;
    struct run_options run;
    struct login login; /* of all agents that are asked by SNMP */
    bool has_login;     /* an option of it was given */
};

/* -1: go on. Else the exit status: it was help or the version, or an error that was told. */
int options_read(int argc, char **argv, struct options *options);

/* Which action the operations of that name do; NULL: none. */
const struct action *options_find(const struct options *options, const char *name);

void options_release(struct options *options);

#endif
