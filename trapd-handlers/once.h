/* Takes one trap from standard input, or delivers what waits in the spool: this is what a
 * traphandle does. */
#ifndef DCAMP_TRAP_ONCE_H
#define DCAMP_TRAP_ONCE_H

#include "trapd-handlers/deliver.h"

/* The exit statuses of all modes. */
enum { STATUS_OK, STATUS_BAD_TRAP, STATUS_USAGE, STATUS_SETUP, STATUS_LOST };

int once_run(const struct options *options, struct deliverer *deliverer);
int once_flush(struct deliverer *deliverer);

/* Takes the stream of a long-running snmptrapd, until its end or SIGTERM. */
int follow_run(const struct options *options, struct deliverer *deliverer);

#endif
