/* dcamp alarms acknowledge: says of active alarms that somebody has seen them. Those of nodes below
 * can be acknowledged only there; it says where that is. */
#ifndef DCAMP_CLI_ACKNOWLEDGE_H
#define DCAMP_CLI_ACKNOWLEDGE_H

#include "cli/command.h"

subcommand_run alarms_acknowledge_run;

/* The same for one alarm, named by its index or its key. The text may be anything; "": the name of
 * the account that runs this. */
enum exit_status alarms_acknowledge_one(const struct command *command, struct client *client,
                                        FILE *to, FILE *errors, const char *alarm,
                                        const char *text);

#endif
