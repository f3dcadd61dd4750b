/* dcamp alarms: the active alarms of a node, or what happened to alarms since a sequence number.
 *
 * Nothing is printed before everything has come, so that who goes on from the last number misses
 * nothing. */
#ifndef DCAMP_CLI_ALARMS_H
#define DCAMP_CLI_ALARMS_H

#include <stdio.h>

#include "cli/client.h"
#include "cli/command.h"

/* What goes wrong is told on errors, a line each. */
enum exit_status alarms_run(const struct command *command, struct client *client, FILE *to,
                            FILE *errors);

#endif
