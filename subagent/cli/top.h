/* dcamp top: what goes on at a node and below it, live in the terminal. */
#ifndef DCAMP_CLI_TOP_H
#define DCAMP_CLI_TOP_H

#include "cli/command.h"

/* With --once, or if the output is no terminal, prints one screen and ends. */
subcommand_run top_run;

#endif
