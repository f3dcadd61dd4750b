/* The children that have series with names, in the order of dcampChildValueTable. While very many
 * children are met for the first time, most have none, and walking over all series must not look at
 * those one by one. */
#ifndef DCAMP_CHILDREN_HOLDERS_H
#define DCAMP_CHILDREN_HOLDERS_H

#include <bsd/sys/tree.h>

struct child;
struct children;

/* An all-zero struct is empty. */
RB_HEAD(child_holders, child);

/* To be called when the child may have got its first series with a name, or lost its last one, and
 * before it is freed. */
void holders_note(struct children *children, struct child *child);

/* The child, or the first one behind it that has such series; child itself need not have any, is in
 * children->index, or is NULL. NULL: there is none. */
struct child *holders_from(const struct children *children, struct child *child);

/* The next one behind a child that has such series. NULL: there is none. */
struct child *holders_next(struct child *child);

#endif
