/* Series of a child in some order, as pointers. Children have few series each, and a collector has
 * very many children: two such lists take a fifth of the memory of a node of an index. Pure but for
 * its memory. */
#ifndef DCAMP_CHILDREN_LIST_H
#define DCAMP_CHILDREN_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct child_series;

/* An all-zero struct is empty. */
struct child_list {
    struct child_series **at;
    uint32_t n, room;
};

/* Makes room for one more. False: no memory. */
bool list_reserve(struct child_list *list);

/* Adds a series at that place; there must be room. Those from there on move up. */
void list_insert(struct child_list *list, uint32_t place, struct child_series *series);

void list_remove(struct child_list *list, uint32_t place);

/* Takes all series out; the memory is kept for the next ones. */
void list_clear(struct child_list *list);

/* Takes all series out, and frees the memory. */
void list_release(struct child_list *list);

#endif
