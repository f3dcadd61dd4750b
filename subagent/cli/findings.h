/* What dcamp doctor has found: what was looked at, whether it is as it should be, and if not, what
 * helps. */
#ifndef DCAMP_CLI_FINDINGS_H
#define DCAMP_CLI_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#define FINDINGS_MAX 64

struct finding {
    const char *check; /* a word or two, the same each time */
    bool ok;
    bool fixed; /* it was not ok, and is now */
    char found[300];
    char cure[400]; /* "" if it is ok */
};

struct findings {
    struct finding list[FINDINGS_MAX];
    size_t n;
};

/* Texts may come from a node or a file: they are cleaned when they are printed. */
void findings_good(struct findings *findings, const char *check, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns false, so that it can be the end of a condition. */
bool findings_bad(struct findings *findings, const char *check, const char *cure,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Adds to the latest finding that something was mended before it was looked at. */
void findings_fixed(struct findings *findings, const char *what);

bool findings_all_ok(const struct findings *findings);

#endif
