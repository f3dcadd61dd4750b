/* The children that have series with names, in the order of dcampChildValueTable. While very many
 * children are met for the first time, most have none: who walks over all series does not look at
 * those one by one. */
#ifndef DCAMP_CHILDREN_HOLDERS_H
#define DCAMP_CHILDREN_HOLDERS_H

#include <bsd/sys/tree.h>

struct child;
struct children;

/* All zero octets are none. */
RB_HEAD(child_holders, child);

/* To be called when the child may have got its first series with a name, or lost its last one, and
 * before it is freed. */
void holders_note(struct children *children, struct child *child);

/* The child, or the first one behind it that has any; child, which need not have any, is one of
 * children->index, or NULL. NULL: there is none. */
struct child *holders_from(const struct children *children, struct child *child);

/* The one behind a child that has some. NULL: there is none. */
struct child *holders_next(struct child *child);

#endif
