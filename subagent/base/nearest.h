/* Which of many names was probably meant. Pure. */
#ifndef DCAMP_BASE_NEAREST_H
#define DCAMP_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
    const char *text;
    const char *best; /* NULL while nothing is near enough */
    size_t distance;
};

/* Begin with {.text = what was written}, offer every name, then look at best. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
