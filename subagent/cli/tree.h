/* dcamp tree: the nodes of a tree, each below its parent. */
#ifndef DCAMP_CLI_TREE_H
#define DCAMP_CLI_TREE_H

#include "cli/command.h"

/* Nothing is printed before everything has come. That nodes are not up is no error. */
subcommand_run tree_run;

#endif
