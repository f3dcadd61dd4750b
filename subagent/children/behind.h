/* Which children are behind which others, and what that means for alarms. */
#ifndef DCAMP_CHILDREN_BEHIND_H
#define DCAMP_CHILDREN_BEHIND_H

#include <stdbool.h>
#include <stddef.h>

#include "alarm/alarm.h"

struct children;

/* How many children are behind this one, directly or through others. */
size_t children_behind(const struct children *children, const char *name);

/* Whether an alarm follows from the loss of a child: it is of a child that is lost, or of one
 * behind a child that is lost or silent. That the child itself is lost follows from those before it
 * only. While one before it is silent nobody knows yet, and the alarm waits. */
bool children_hold(const struct children *children, const struct alarm_facts *facts);

#endif
