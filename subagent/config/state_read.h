/* The state file into what it was made of. */
#ifndef DCAMP_CONFIG_STATE_READ_H
#define DCAMP_CONFIG_STATE_READ_H

#include "config/state.h"

/* Reads dir/state.xml into state, config (rows, as config_carry_over does) and alarms, which were
 * just opened.
 * 0: read; ENOENT: there is none, a first start; another errno: error holds one line with the
 * place. A bad file is moved to state.xml.bad and state.xml.1 is tried: if that is good, the result
 * is 0 and error still tells of the bad file, else it is "". With both bad (EBADMSG) nothing is
 * restored, and state.xml.1 is kept as state.xml.1.bad.
 * Any other errno: a file is there that cannot be read, ENOTSUP: as a newer dcampd wrote it. Both
 * stay where they are, error ends with the cure, and nobody may write a state over what could be
 * read again tomorrow.
 * All or nothing per file. A changed row that the file overrules is logged. */
int state_read(const char *dir, struct state *state, struct config *config, struct alarms *alarms,
               char error[1024]);

#endif
