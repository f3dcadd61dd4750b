/* Which children are behind which others, and what that means for alarms. */
#ifndef DCAMP_CHILDREN_BEHIND_H
#define DCAMP_CHILDREN_BEHIND_H

#include <bsd/sys/tree.h>
#include <stdbool.h>
#include <stddef.h>

#include "alarm/alarm.h"

struct child;
struct children;

/* All zero octets are none. */
RB_HEAD(child_behinds, child_behind);

/* Whom the child is behind; "": nobody. */
const char *child_behind_name(const struct child *child);

/* Puts the child behind the one of that name, which need not exist; "": behind nobody, which always
 * succeeds and has to be done before the child is freed. False: no memory; then nothing changes. */
bool child_set_behind(struct children *children, struct child *child, const char *name);

/* How many children are behind this one, directly or through others. */
size_t children_behind(const struct children *children, const char *name);

/* Whether an alarm follows from the loss of a child: it is of a child that is lost, or of one
 * behind a child that is lost or silent. That the child itself is lost follows from those before it
 * only. While one before it is silent nobody knows yet, and the alarm waits. */
bool children_hold(const struct children *children, const struct alarm_facts *facts);

#endif
