/* dcamp doctor: why a node is not seen. It looks at one thing after the other, and says what
 * helps. */
#ifndef DCAMP_CLI_DOCTOR_H
#define DCAMP_CLI_DOCTOR_H

#include "cli/command.h"

/* Asks by a client of its own. EXIT_CUT: something is not as it should be. */
subcommand_run doctor_run;

#endif
