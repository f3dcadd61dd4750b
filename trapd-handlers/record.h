/* A trap as one line of JSON, which the spool keeps, and back. Pure. */
#ifndef DCAMP_TRAP_RECORD_H
#define DCAMP_TRAP_RECORD_H

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/trap.h"

/* Appends the line with its newline. */
void record_write(struct buffer *buffer, const struct trap *trap);

/* False: this is no record; nothing of it is to be used. */
bool record_read(const char *line, size_t len, struct trap *trap);

#endif
