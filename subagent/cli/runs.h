/* dcamp run and dcamp compare: dcamp-runs does what they ask for. */
#ifndef DCAMP_CLI_RUNS_H
#define DCAMP_CLI_RUNS_H

#include "cli/command.h"

subcommand_run run_start_run, run_stop_run, run_list_run, run_delete_run, compare_run;

#endif
