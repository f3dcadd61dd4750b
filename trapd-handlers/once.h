/* One trap at standard input, or what waits in the spool: what a traphandle does. */
#ifndef DCAMP_TRAP_ONCE_H
#define DCAMP_TRAP_ONCE_H

#include "trapd-handlers/deliver.h"

/* Exit statuses of every mode. */
enum { STATUS_OK, STATUS_BAD_TRAP, STATUS_USAGE, STATUS_SETUP, STATUS_LOST };

int once_run(const struct options *options, struct deliverer *deliverer);
int once_flush(struct deliverer *deliverer);

/* A long-running snmptrapd's stream, up to its end or SIGTERM. */
int follow_run(const struct options *options, struct deliverer *deliverer);

#endif
