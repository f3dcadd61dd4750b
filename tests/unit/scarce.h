/* For tests: memory that fails. Programs that use it are linked with $(scarce_flags), which sends
 * what the project's own code allocates through here; what libraries allocate for themselves is
 * theirs. With $(scarce_snmp_flags) each call of Net-SNMP that says that it had no memory counts as
 * one allocation, too. */
#ifndef DCAMP_TESTS_SCARCE_H
#define DCAMP_TESTS_SCARCE_H

#include <stdbool.h>
#include <stddef.h>

/* Of the allocations that this thread makes from now on, the nth fails, counted from 1, and no
 * other. 0: none, they are only counted. */
void scarce_fail(size_t nth);

/* No more of them fail, and none is counted. Returns whether one did. */
bool scarce_stop(void);

/* After scarce_stop: they are counted on, and the nth fails if it has not yet. */
void scarce_go_on(void);

/* How many were counted. */
size_t scarce_count(void);

/* Counts one, for those that allocate themselves; true: it fails. */
bool scarce_fails(void);

#endif
