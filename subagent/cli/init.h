/* dcamp init: prepares this machine for a tree. What is prepared already stays as it is. */
#ifndef DCAMP_CLI_INIT_H
#define DCAMP_CLI_INIT_H

#include "cli/command.h"

/* Asks no node: client is NULL. A row for each step says what it found or did; with --check it only
 * looks. EXIT_LACKS: something is missing. */
subcommand_run init_run;

#endif
