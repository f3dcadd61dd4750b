/* dcamp config check: whether a tree document is good, without a node. */
#ifndef DCAMP_CLI_CHECK_H
#define DCAMP_CLI_CHECK_H

#include "cli/command.h"

/* Runs "dcampd --check-tree FILE", from the PATH or where packages have it. */
subcommand_run config_check_run;

#endif
