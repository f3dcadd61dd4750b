/* What a root keeps of its tree in etcd, and what a node that has won the lease takes from there
 * before it becomes root: so what a lost root was told is not lost with it. */
#ifndef DCAMP_DIRECTOR_ARCHIVE_H
#define DCAMP_DIRECTOR_ARCHIVE_H

#include "director/state.h"

void archive_close(struct director *director);

/* Acts on the result of the errand, and finds out what is to be done next. True: there is something
 * to ask. */
bool archive_step(struct director *director, uint64_t now);

/* Whether the document that this node works by is kept, in this term: before that, no order is
 * given by another document. Without a lease, nothing has to be kept. */
bool archive_is_kept(const struct director *director);

/* Whether nothing is kept any more of a tree that has ended. */
bool archive_is_removed(const struct director *director);

/* The core has told of another order: the document that was to be taken may be known by now. */
void archive_ordered(struct director *director);

/* The document with which this node becomes root. */
struct parcel *archive_document(const struct director *director);

#endif
