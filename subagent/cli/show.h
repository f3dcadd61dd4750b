/* dcamp config show: which tree document a node works by, and whether it is that of a file. */
#ifndef DCAMP_CLI_SHOW_H
#define DCAMP_CLI_SHOW_H

#include "cli/command.h"

subcommand_run config_show_run;

#endif
