/* What must hold of everything that a writer of trapd-handlers/ writes, whatever a trap's texts
 * are: for the unit tests and for the fuzz target. Each returns NULL, or what does not hold. */
#ifndef DCAMP_TESTS_WRITERS_H
#define DCAMP_TESTS_WRITERS_H

#include <stdbool.h>
#include <stddef.h>

#include "trapd-handlers/trap.h"

size_t writers_count(const char *text, const char *what);
bool writers_controls(const char *text);
const char *writers_zabbix_lines(const char *text);

/* The headers are ours and no others; no line of the body can be taken for anything else. */
const char *writers_mail_lines(char *text);

#define WRITERS 7

extern const struct writer {
    const char *name;
    const char *(*check)(const struct trap *trap);
} writers[WRITERS];

#endif
