/* Which service of Nagios or Icinga a trap is of, and what is to be said of it. */
#ifndef DCAMP_TRAP_SERVICE_H
#define DCAMP_TRAP_SERVICE_H

#include "trapd-handlers/active.h"
#include "trapd-handlers/format.h"
#include "trapd-handlers/options.h"

struct service {
    struct buffer host, name, id;
    struct service_result result;
};

/* Takes the trap into the active alarms and fills the service. False: no memory. */
bool service_of(struct service *service, const struct options *options, struct active *active,
                const struct trap *trap);
void service_release(struct service *service);

#endif
