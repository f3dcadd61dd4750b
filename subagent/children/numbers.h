/* Series by the number that their child gives them. Pure but for its memory. */
#ifndef DCAMP_CHILDREN_NUMBERS_H
#define DCAMP_CHILDREN_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>

struct child_series;

struct child_number {
    uint32_t number;
    struct child_series *series;
};

/* All zero octets are none. */
struct child_numbers {
    struct child_number *list; /* ascending */
    uint32_t n, room;
};

/* NULL: there is no series of that number. */
struct child_series *numbers_find(const struct child_numbers *numbers, uint32_t number);

/* Adds a number that is not there yet. False: no memory. */
bool numbers_add(struct child_numbers *numbers, uint32_t number, struct child_series *series);

/* Takes a number out, if it is there. */
void numbers_remove(struct child_numbers *numbers, uint32_t number);

/* Takes all out; they keep their memory for the next ones. */
void numbers_clear(struct child_numbers *numbers);

/* Takes all out, and gives the memory back. */
void numbers_release(struct child_numbers *numbers);

#endif
