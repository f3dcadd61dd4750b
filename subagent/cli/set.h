/* dcamp set: changes, makes and deletes rows of a node's configuration, all or nothing. */
#ifndef DCAMP_CLI_SET_H
#define DCAMP_CLI_SET_H

#include "cli/command.h"

/* Prints what was set. EXIT_USAGE: what was asked for makes no sense, and nothing was sent.
 * EXIT_REFUSED: the node, or its snmpd, does not take it, and nothing has changed. */
subcommand_run set_run;

#endif
