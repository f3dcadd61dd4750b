/* dcamp status: one page about a node: who it is, what it has, what it costs, what it complains of.
 */
#ifndef DCAMP_CLI_STATUS_H
#define DCAMP_CLI_STATUS_H

#include "cli/command.h"

/* Nothing is printed before everything has come. What the node complains of is no error. */
subcommand_run status_run;

#endif
