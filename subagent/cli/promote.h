/* dcamp promote, dcamp config push, dcamp config rollback and dcamp stop: what a tree is, another
 * configuration of it, the one before, and its end. Each orders the tree document of one node; the
 * root of the tree does the rest. */
#ifndef DCAMP_CLI_PROMOTE_H
#define DCAMP_CLI_PROMOTE_H

#include "cli/command.h"

subcommand_run promote_run, config_push_run, config_rollback_run, stop_run;

#endif
