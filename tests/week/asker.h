/* Times questions to a history, and says how large its tables are. */
#ifndef DCAMP_TESTS_WEEK_ASKER_H
#define DCAMP_TESTS_WEEK_ASKER_H

#include <stddef.h>

/* Prints milliseconds, the median and the most of each kind of question, and the octets of the
 * files by what is in them. */
void asker_run(const char *directory, size_t nodes, size_t steps);

#endif
