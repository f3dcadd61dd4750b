/* Series by the number that their child gives them. */
#ifndef DCAMP_CHILDREN_NUMBERS_H
#define DCAMP_CHILDREN_NUMBERS_H

#include "children/list.h"

/* NULL: there is no series of that number. */
struct child_series *numbers_find(const struct child_list *numbers, uint32_t number);

/* Adds a series whose number is not there yet. False: no memory. */
bool numbers_add(struct child_list *numbers, struct child_series *series);

/* Takes a number out, if it is there. */
void numbers_remove(struct child_list *numbers, uint32_t number);

#endif
