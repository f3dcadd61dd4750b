/* dcamp thresholds: the rules of a node, and where they stand. */
#ifndef DCAMP_CLI_THRESHOLDS_H
#define DCAMP_CLI_THRESHOLDS_H

#include "cli/command.h"

/* Nothing is printed before everything has come. With a word, only those that the pattern takes;
 * EXIT_USAGE: there are none. */
subcommand_run thresholds_run;

#endif
