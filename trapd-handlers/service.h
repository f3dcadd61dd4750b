/* Which service of Nagios or Icinga a trap is of, and what is to be said of it. */
#ifndef DCAMP_TRAP_SERVICE_H
#define DCAMP_TRAP_SERVICE_H

#include "trapd-handlers/active.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/options.h"

struct service {
    struct buffer host, name, id, also;
    struct service_result result;
};

/* The names of the service that takes the trap: its own (--service), or the one for alarms that
 * have none (--catch-all). An alarm stays where it was told of: attempt 0 is that one, where it is
 * active, attempt 1 the other. False: there are no more to try. No memory shows in the buffers. */
bool service_choose(struct service *service, const struct options *options,
                    const struct active *active, const struct trap *trap, int attempt);

/* Takes the trap into the active alarms and fills the result. False: no memory. */
bool service_take(struct service *service, struct active *active, const struct trap *trap);

void service_release(struct service *service);

#endif
