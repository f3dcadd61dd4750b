/* Which service of Nagios or Icinga a trap belongs to, and what is reported about it. */
#ifndef DCAMP_TRAP_SERVICE_H
#define DCAMP_TRAP_SERVICE_H

#include "trapd-handlers/active.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/options.h"

struct service {
    struct buffer host, name, id, also;
    struct service_result result;
};

/* Sets the names of the service that gets the trap: its own (--service), or the one for alarms
 * without a service of their own (--catch-all). An alarm stays with the service where it is active,
 * which attempt 0 chooses; attempt 1 chooses the other one. Returns false if there are no more to
 * try. If memory runs out, the buffers have failed. */
bool service_choose(struct service *service, const struct options *options,
                    const struct active *active, const struct trap *trap, int attempt);

/* Applies the trap to the active alarms and fills the result. Returns false if memory runs out. */
bool service_take(struct service *service, struct active *active, const struct trap *trap);

void service_release(struct service *service);

#endif
