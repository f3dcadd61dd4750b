/* The endpoints of the configuration as those that are asked. */
#ifndef DCAMP_DAEMON_EXPOSING_H
#define DCAMP_DAEMON_EXPOSING_H

#include "application/endpoints.h"
#include "config/config.h"

/* What the configuration says is asked from now on, if any sensor is on the source. False: not all
 * of it is, and it is to be tried again. */
bool exposing_sync(struct endpoints *endpoints, const struct config *config, bool is_wanted);

#endif
