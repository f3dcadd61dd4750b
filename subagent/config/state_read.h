/* Reads the state file back into what it was made of. */
#ifndef DCAMP_CONFIG_STATE_READ_H
#define DCAMP_CONFIG_STATE_READ_H

#include "config/state.h"

/* Reads dir/state.xml into state, config (rows, as config_carry_over does) and alarms, which were
 * just opened. 0: it was read; ENOENT: there is none, this is a first start; another errno: error
 * is one line that names the place. A bad file is moved to state.xml.bad and state.xml.1 is tried:
 * if that is good, the result is 0 and error still tells of the bad file, else it is "". If both
 * are bad (EBADMSG), nothing is restored, and state.xml.1 is kept as state.xml.1.bad. Any other
 * errno: there is a file that cannot be read; ENOTSUP: a newer dcampd wrote it. Both files stay
 * where they are, error ends with the cure, and no state may be written, since it would replace
 * what may become readable again. Of each file, either everything is restored or nothing. A changed
 * row that the file overrules is logged. */
int state_read(const char *dir, struct state *state, struct config *config, struct alarms *alarms,
               char error[1024]);

#endif
