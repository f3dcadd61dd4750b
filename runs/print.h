/* A comparison as text for a terminal, and as JSON for programs. */
#ifndef DCAMP_RUNS_PRINT_H
#define DCAMP_RUNS_PRINT_H

#include <stdio.h>

#include "runs/wording.h"

struct print_subject {
    const struct run *a, *b;
    const struct comparison *comparison;
    const struct compare_settings *settings;
};

/* Response times and throughputs, and of all else what differs beyond chance; with all, everything.
 * False: no memory. */
bool print_text(const struct print_subject *subject, bool all, FILE *to);

/* An object on each line, which dcamp-compare(1) describes. False: no memory. */
bool print_json(const struct print_subject *subject, FILE *to);

/* Which rows are shown at once, and whether one is of another section than the one before, which
 * may be NULL. */
bool print_is_shown(const struct compare_row *row);
bool print_begins_section(const struct compare_row *row, const struct compare_row *before);

/* Text of somebody else, harmless for a terminal. */
void print_clean(const char *text, FILE *to);

#endif
