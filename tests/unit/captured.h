/* For tests: what the program logs, as text. */
#ifndef DCAMP_TESTS_CAPTURED_H
#define DCAMP_TESTS_CAPTURED_H

#include <stdio.h>

#define CAPTURED_SIZE 4096

struct captured {
    FILE *file;
    int stderr_fd;
};

/* Standard error goes to a file meanwhile. */
struct captured captured_begin(void);
void captured_end(const struct captured *captured, char text[CAPTURED_SIZE]);

#endif
