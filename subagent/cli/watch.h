/* dcamp watch: values of a node, again and again. */
#ifndef DCAMP_CLI_WATCH_H
#define DCAMP_CLI_WATCH_H

#include "cli/command.h"
#include "cli/values.h"

/* Prints what it has after each round. That a node is silent for a while is told, and the node is
 * asked again in the next round; in the first round it is the end. Rounds begin at whole multiples
 * of the interval after the first, and one that would begin late is left out. */
subcommand_run watch_run;

/* Whether a value differs from what it was in the round before, which may not have had it. Both
 * lists are in the order of values_read. Pure. */
bool watch_is_change(const struct value_row *row, const struct value_list *before);

/* When the next round begins: the first multiple of the interval after start that is after now.
 * All in nanoseconds of the monotonic clock. Pure. */
uint64_t watch_next(uint64_t start, uint64_t interval, uint64_t now);

#endif
