/* dcamp history: what was measured, as a table with a line of bars, as JSON, or as TSV. */
#ifndef DCAMP_CLI_HISTORY_H
#define DCAMP_CLI_HISTORY_H

#include "cli/command.h"

subcommand_run history_run;

/* The shortest decimal that is read back as the same double, which must be finite. */
#define HISTORY_NUMBER_SIZE 32
void history_number(char text[HISTORY_NUMBER_SIZE], double value);

#endif
