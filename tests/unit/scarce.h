/* For tests: memory that fails. Programs that use it are linked with $(scarce_flags), which sends
 * what the project's own code allocates through here; what libraries allocate for themselves is
 * theirs. */
#ifndef DCAMP_TESTS_SCARCE_H
#define DCAMP_TESTS_SCARCE_H

#include <stdbool.h>
#include <stddef.h>

/* Of the allocations that this thread makes from now on, the nth fails, counted from 1, and no
 * other. 0: none, they are only counted. */
void scarce_fail(size_t nth);

/* No more of them fail. Returns whether one did. */
bool scarce_stop(void);

/* How many there were between the two. */
size_t scarce_count(void);

#endif
