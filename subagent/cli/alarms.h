/* dcamp alarms: the active alarms of a node, or what happened to alarms since a sequence number;
 * dcamp alarms history: all of that, or the latest.
 *
 * Nothing is printed before everything has come, so that whoever goes on from the last number
 * misses nothing. */
#ifndef DCAMP_CLI_ALARMS_H
#define DCAMP_CLI_ALARMS_H

#include "cli/command.h"

subcommand_run alarms_run;
subcommand_run alarms_history_run;

#endif
