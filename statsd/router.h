/* Routes lines by the first part of their names: each such part is an application of its own. Since
 * a process publishes one application, each has a process of its own. The process gets the lines
 * without this part, as datagrams on its standard input (--stdin), and ends when the router does.
 *
 * The number of processes is limited. Lines that would need one more, and those whose names have no
 * first part, go unchanged to the first application. */
#ifndef DCAMP_STATSD_ROUTER_H
#define DCAMP_STATSD_ROUTER_H

#include "statsd/options.h"
#include "statsd/receive.h"

struct router;

/* Starts the first application. Returns NULL after an error was logged. */
struct router *router_open(const struct options *options);
void router_close(struct router *router);

/* Routes what a receiver receives. */
struct listener router_listener(struct router *router);

#endif
