/* Whether this machine has what dcampd needs: the drop-in of snmpd, its socket, the account and its
 * directories, secrets that nobody else may read. Files and accounts only; it asks nobody.
 *
 * If that is wanted, what can be mended without a choice, and without taking anything from anybody
 * who should have it, is mended before it is looked at: owner and mode of the state directory,
 * which is made if it is missing, and of files of secrets. Links are left alone, for what they name
 * may be anybody's. */
#ifndef DCAMP_CLI_CHECKUP_H
#define DCAMP_CLI_CHECKUP_H

#include "cli/findings.h"

/* root: the directory that the files are below, as that of a container; "": /. */
void machine_check(const char *root, bool fix, struct findings *findings);

/* Whether a subagent is connected to the socket of the drop-in: 1, 0, or -1 if that is not
 * known. */
int machine_has_subagent(const char *root);

#endif
