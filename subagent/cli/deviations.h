/* dcamp deviations: the rows that a SET has made or changed. */
#ifndef DCAMP_CLI_DEVIATIONS_H
#define DCAMP_CLI_DEVIATIONS_H

#include "cli/command.h"

subcommand_run deviations_run;

#endif
