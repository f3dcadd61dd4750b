/* The text of the state file. */
#ifndef DCAMP_CONFIG_STATE_FORMAT_H
#define DCAMP_CONFIG_STATE_FORMAT_H

#include "config/state.h"

/* The text of the state file, malloced; *len is its length. From config it saves the rows that are
 * changed or are not in the file, and whose storage is nonVolatile or permanent. NULL: no memory.
 */
char *state_format(const struct state *state, const struct config *config,
                   const struct alarms *alarms, size_t *len);

#endif
