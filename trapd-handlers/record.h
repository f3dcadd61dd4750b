/* Writes a trap as one line of JSON for the spool, and reads it again. Pure. */
#ifndef DCAMP_TRAP_RECORD_H
#define DCAMP_TRAP_RECORD_H

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/trap.h"

/* Appends the line with its newline. */
void record_write(struct buffer *buffer, const struct trap *trap);

/* Returns false if the line is not a record; then nothing in trap may be used. */
bool record_read(const char *line, size_t len, struct trap *trap);

#endif
