/* Reads by the real reader what a writer has stored, and compares it with what the world has told.
 * Ends the program, and says where, if anything differs. */
#ifndef DCAMP_TESTS_WEEK_CHECKER_H
#define DCAMP_TESTS_WEEK_CHECKER_H

#include <stddef.h>

#include "publish/database.h"

#define WEEK_RAW_MS (2 * DAY_MS) /* how long raw values are kept */

/* All values that a series told from one step on and before another. */
void checker_points(const char *directory, size_t node, size_t series, size_t first, size_t end);

/* All series: raw values as far as they are kept, all minutes and hours. Prints how many. */
void checker_run(const char *directory, size_t nodes, size_t steps);

/* Prints what a series told from one step on and before another: milliseconds since 1970, a tab,
 * and the value, or null. */
void checker_print(size_t node, size_t series, size_t first, size_t end);

#endif
