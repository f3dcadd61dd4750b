/* For tests: this process as an application, in a directory of its own. */
#ifndef DCAMP_TESTS_PUBLISHED_H
#define DCAMP_TESTS_PUBLISHED_H

#include "libdcamp/dcamp.h"
#include "tests/unit/segments.h"

struct published {
    char directory[64];
    struct dcamp_app *app;
};

extern struct published published;

/* For groups of tests: 0 if the process is published. */
int published_open(const char *name);
int published_close(void **state);

/* The copy of its file, which has no fault. */
struct copy *published_copy(void);

#endif
