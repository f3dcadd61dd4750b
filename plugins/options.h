/* The command line of check_dcamp. */
#ifndef DCAMP_PLUGINS_OPTIONS_H
#define DCAMP_PLUGINS_OPTIONS_H

#include <stdio.h>

#include "cli/login.h"
#include "plugins/judge.h"

enum mode { MODE_SENSOR, MODE_AGGREGATE, MODE_ALARMS, MODE_TREE, MODE_FRESHNESS, MODE_NONE };

enum options_outcome { OPTIONS_GOOD, OPTIONS_BAD, OPTIONS_HELP, OPTIONS_VERSION };

struct options {
    enum mode mode;
    const char *name; /* of the sensor or aggregate */
    struct login login;
    const char *instances; /* a pattern */
    const char *statistic; /* NULL for the latest value */
    struct share_range warning, critical;
    struct share_range missing_warning, missing_critical;
    int64_t max_age_ms;
    bool below; /* the alarms of the nodes below count, too */
    enum severity severity;
    const char *node, *threshold, *sensor; /* patterns */
    unsigned timeout_s;
    enum status silent; /* the status if nobody answers in time */
    unsigned verbose;
};

/* Reads the arguments and the file of secrets. Passphrases in arguments are overwritten there, so
 * that ps(1) shows them no longer than necessary. On OPTIONS_BAD, error holds one line. */
enum options_outcome options_read(int argc, char **argv, struct options *options, char error[512]);

void options_help(FILE *to);

#endif
