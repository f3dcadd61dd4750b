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

/* Prints response times and throughputs, and of the rest what differs beyond chance; if all is
 * true, everything. Returns false if memory runs out. */
bool print_text(const struct print_subject *subject, bool all, FILE *to);

/* One object per line, as dcamp-compare(1) describes it. Returns false if memory runs out. */
bool print_json(const struct print_subject *subject, FILE *to);

/* Which rows are shown at once, and whether a row begins another section than the row before it,
 * which may be NULL. */
bool print_is_shown(const struct compare_row *row);
bool print_begins_section(const struct compare_row *row, const struct compare_row *before);

/* Prints text from outside so that it is harmless for a terminal. */
void print_clean(const char *text, FILE *to);

#endif
