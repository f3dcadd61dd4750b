/* Makes the endpoints of the configuration those that are asked. */
#ifndef DCAMP_DAEMON_EXPOSING_H
#define DCAMP_DAEMON_EXPOSING_H

#include "application/endpoints.h"
#include "config/config.h"
#include "series/measure.h"

/* From now on, the endpoints of the configuration are asked, for the existing sensors. False: not
 * all of them are, and this has to be tried again. */
bool exposing_sync(struct endpoints *endpoints, const struct config *config,
                   const struct measure *measure);

#endif
