/* Makes the sinks of the configuration those that the outlet tells dcamp-publish of. */
#ifndef DCAMP_DAEMON_PUBLISHING_H
#define DCAMP_DAEMON_PUBLISHING_H

#include <stdbool.h>

#include "config/config.h"
#include "outlet/outlet.h"

/* False: there was no memory for all of it, and this has to be called again. Under the lock. */
bool publishing_sync(struct outlet *outlet, const struct config *config);

#endif
