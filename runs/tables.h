/* What two runs show of steps, sequences and resources, as tables of text, for the page and for the
 * terminal: what is not a difference, and stands beside the differences. Names are as others have
 * given them: who writes them makes them harmless. */
#ifndef DCAMP_RUNS_TABLES_H
#define DCAMP_RUNS_TABLES_H

#include "runs/print.h"

#define TABLES_CELLS 10
#define TABLES_ROWS_MAX 64 /* of a table; that there are more says its last row */

struct tables_row {
    char cells[TABLES_CELLS][WORDING_NAME_SIZE];
    size_t n;
};

/* Who writes them down. A table without rows is not told. */
struct tables_writer {
    void *context;
    void (*begin)(void *context, const char *title, const struct tables_row *heads);
    void (*row)(void *context, const struct tables_row *row);
    void (*end)(void *context);
};

/* Steps, sequences and counts, and capacity by the utilisation law; with all, profiles of resources
 * as well. False: no memory. */
bool tables_write(const struct print_subject *subject, bool all,
                  const struct tables_writer *writer);

#endif
