/* dcamp alarms maintenance: times in which alarms of a node are not told. Prints the rows, begins
 * one now, or ends one. */
#ifndef DCAMP_CLI_MAINTENANCE_H
#define DCAMP_CLI_MAINTENANCE_H

#include "cli/command.h"

/* "start NAME DURATION nodes PATTERN thresholds PATTERN" */
#define MAINTENANCE_WORDS 7

subcommand_run alarms_maintenance_run;

#endif
