/* For tests: the cells of a node that is in a tree, and of the root that shows it. */
#ifndef DCAMP_TESTS_TREE_CELLS_H
#define DCAMP_TESTS_TREE_CELLS_H

#include "asking.h"

/* What a node knows of one of its documents; digest NULL: it works by none. */
void tree_document(struct asking *asking, int kind, int64_t term, int64_t epoch, const char *root,
                   const void *digest);

/* A document that a node keeps, in all its parts, of which each says this digest. */
void tree_kept(struct asking *asking, int which, int64_t serial, const void *octets, size_t len,
               const void *digest);

/* A cell of one of these parts. */
struct cell tree_kept_cell(enum mib_object object, int which, size_t part);

/* A row of the tree; more of it may be put there afterwards. */
void tree_member(struct asking *asking, const char *name, const char *parent, int64_t role,
                 int64_t state, const void *digest);

#endif
