/* dcamp plot: what was measured, as a picture. */
#ifndef DCAMP_CLI_PLOT_H
#define DCAMP_CLI_PLOT_H

#include "cli/command.h"

subcommand_run plot_run;

#endif
