/* dcamp promote makes a node the root of a tree, dcamp config push gives the tree another
 * configuration, dcamp config rollback the one before, and dcamp stop ends it. Each orders the tree
 * document of one node; the root of the tree does the rest. */
#ifndef DCAMP_CLI_PROMOTE_H
#define DCAMP_CLI_PROMOTE_H

#include "cli/command.h"

subcommand_run promote_run, config_push_run, config_rollback_run, stop_run;

#endif
