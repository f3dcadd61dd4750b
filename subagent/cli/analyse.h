/* dcamp analyse: how what was measured is distributed, whether it repeats itself, and what comes
 * next. */
#ifndef DCAMP_CLI_ANALYSE_H
#define DCAMP_CLI_ANALYSE_H

#include "cli/command.h"

subcommand_run analyse_run;

#endif
