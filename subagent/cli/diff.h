/* dcamp config diff: what config push would change, line by line, by diff(1). */
#ifndef DCAMP_CLI_DIFF_H
#define DCAMP_CLI_DIFF_H

#include "cli/command.h"

subcommand_run config_diff_run;

#endif
