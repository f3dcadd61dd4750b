/* The endpoints of the configuration as those that are asked. */
#ifndef DCAMP_DAEMON_EXPOSING_H
#define DCAMP_DAEMON_EXPOSING_H

#include "application/endpoints.h"
#include "config/config.h"
#include "series/measure.h"

/* What the configuration says is asked from now on, for the sensors that there are. False: not all
 * of it is, and it is to be tried again. */
bool exposing_sync(struct endpoints *endpoints, const struct config *config,
                   const struct measure *measure);

#endif
