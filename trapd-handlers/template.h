/* Names that are made from a trap, such as that of a Nagios service: "dcamp %r". Pure. */
#ifndef DCAMP_TRAP_TEMPLATE_H
#define DCAMP_TRAP_TEMPLATE_H

#include <stdbool.h>

#include "trapd-handlers/buffer.h"
#include "trapd-handlers/trap.h"

/* %n node, %r rule, %i instance, %s sensor, %k key, %a address, %S severity, %e notification, %E
 * event, %% a percent sign. Returns false if something else follows '%', and *at is where. */
bool template_check(const char *template, const char **at);

/* Writes the text; control characters, and those of the set, in values of the trap become '_'. */
void template_write(struct buffer *buffer, const char *template, const struct trap *trap,
                    const char *set);

#endif
