/* dcamp get: the current values of a node. */
#ifndef DCAMP_CLI_GET_H
#define DCAMP_CLI_GET_H

#include "cli/command.h"

/* Nothing is printed before everything has come. EXIT_USAGE: no value has these names. */
subcommand_run get_run;

#endif
