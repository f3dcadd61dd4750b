/* What is logged of a child: children may send anything, so the log must be protected from too many
 * messages. */
#ifndef DCAMP_CHILDREN_COMPLAINTS_H
#define DCAMP_CHILDREN_COMPLAINTS_H

#include <stdbool.h>

#include "base/clock.h"

struct child;

/* Logs, once a minute for each kind, that a child sends what it should not. If there are more than
 * a few kinds in a minute, the others are not logged. */
void child_complain(struct child *child, const char *kind, const char *text, struct moment now);

/* Whether something of that kind may be logged now; if so, it counts as logged. */
bool child_may_log(struct child *child, const char *kind, struct moment now);

#endif
