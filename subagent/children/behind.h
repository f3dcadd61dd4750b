/* Which children are behind which others, and what that means for alarms. */
#ifndef DCAMP_CHILDREN_BEHIND_H
#define DCAMP_CHILDREN_BEHIND_H

#include <bsd/sys/tree.h>
#include <stdbool.h>
#include <stddef.h>

#include "alarm/alarm.h"

struct child;
struct children;

/* An all-zero struct is empty. */
RB_HEAD(child_behinds, child_behind);

/* The name of the child that this one is behind; "": none. */
const char *child_behind_name(const struct child *child);

/* Puts the child behind the one of that name, which need not exist; "": behind none, which always
 * succeeds and must be done before the child is freed. False: no memory; then nothing changes. */
bool child_set_behind(struct children *children, struct child *child, const char *name);

/* How many children are behind this one, directly or through others. */
size_t children_behind(const struct children *children, const char *name);

/* Whether an alarm follows from the loss of a child: it is about a child that is lost, or about one
 * behind a child that is lost or silent. The alarm that the child itself is lost can follow only
 * from those before it. While one of those is silent, it is not known yet, and the alarm waits. */
bool children_hold(const struct children *children, const struct alarm_facts *facts);

#endif
