/* dcamp alarms maintenance: when the alarms of a node are not told: which rows there are, one that
 * begins now, and the end of one. */
#ifndef DCAMP_CLI_MAINTENANCE_H
#define DCAMP_CLI_MAINTENANCE_H

#include "cli/command.h"

/* "start NAME DURATION nodes PATTERN thresholds PATTERN" */
#define MAINTENANCE_WORDS 7

subcommand_run alarms_maintenance_run;

#endif
