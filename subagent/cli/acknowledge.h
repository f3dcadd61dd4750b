/* dcamp alarms acknowledge: says of active alarms that somebody has seen them. Those of nodes below
 * can be acknowledged only there; it says where that is. */
#ifndef DCAMP_CLI_ACKNOWLEDGE_H
#define DCAMP_CLI_ACKNOWLEDGE_H

#include "cli/command.h"

subcommand_run alarms_acknowledge_run;

#endif
