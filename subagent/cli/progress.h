/* One line on a terminal that says how far something is, once it takes longer than a second; on
 * anything else nothing. */
#ifndef DCAMP_CLI_PROGRESS_H
#define DCAMP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
    FILE *to; /* NULL: no terminal */
    uint64_t began_ns, shown_ns;
};

struct progress progress_begin(FILE *to, uint64_t now_ns);

/* Shows it at most ten times a second. */
void progress_show(struct progress *progress, uint64_t now_ns, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Empties the line again. */
void progress_end(struct progress *progress);

#endif
