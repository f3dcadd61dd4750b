/* Lines by the first part of their names: each of them is an application of its own, and since a
 * process publishes one application, a process of its own. That gets the lines without this part,
 * as datagrams on its standard input (--stdin), and ends when the router does.
 *
 * There is a bound to the number of processes. Lines of what would be one more, and those whose
 * names have no first part, go to the first one as they are. */
#ifndef DCAMP_STATSD_ROUTER_H
#define DCAMP_STATSD_ROUTER_H

#include "statsd/options.h"
#include "statsd/receive.h"

struct router;

/* Starts the first one. NULL: something was logged. */
struct router *router_open(const struct options *options);
void router_close(struct router *router);

/* What a receiver tells goes there. */
struct listener router_listener(struct router *router);

#endif
