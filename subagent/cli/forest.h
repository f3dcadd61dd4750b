/* In which order and how far to the right nodes are shown that name their parents. Pure; the names
 * come from a node and may be anything: parents that are not there, nodes that are above
 * themselves. */
#ifndef DCAMP_CLI_FOREST_H
#define DCAMP_CLI_FOREST_H

#include <stdbool.h>
#include <stddef.h>

struct forest_node {
    const char *name, *parent; /* parent "": there is none above it */
};

struct forest_place {
    size_t node;  /* which */
    size_t depth; /* steps from the node at the top */
    bool astray;  /* at the top, although it names a parent: that is not there, or below it */
};

/* Fills in a place for each node, each node once: those without a parent first, then those that
 * are astray, each of them with all that is below it; nodes of one parent by their names, numbers
 * in them in their order. Of several with the same name only one has children. False: no memory. */
bool forest_layout(const struct forest_node *nodes, size_t n, struct forest_place *places);

/* What stands before a name at a depth: two blanks for each step. From FOREST_DEEP on it is no
 * further to the right, and the number of steps is written. */
#define FOREST_DEEP 10
#define FOREST_INDENT_SIZE (2 * FOREST_DEEP + 24)
void forest_indent(char text[FOREST_INDENT_SIZE], size_t depth);

/* Cuts a text so that it takes at most this many columns, and puts '~' at its end then. Each
 * character counts as one column. */
void forest_cut(char *text, size_t columns);

#endif
