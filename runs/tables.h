/* What two runs show of steps, sequences and resources, as tables of text, for the page and for the
 * terminal. These are not differences, but stand beside the differences. Names come from outside:
 * the writer has to make them harmless. */
#ifndef DCAMP_RUNS_TABLES_H
#define DCAMP_RUNS_TABLES_H

#include "runs/print.h"

#define TABLES_CELLS 10
#define TABLES_ROWS_MAX 64 /* of a table; if there are more, the last row says so */

struct tables_row {
    char cells[TABLES_CELLS][WORDING_NAME_SIZE];
    size_t n;
};

/* The functions that write the tables. A table without rows is not written. */
struct tables_writer {
    void *context;
    void (*begin)(void *context, const char *title, const struct tables_row *heads);
    void (*row)(void *context, const struct tables_row *row);
    void (*end)(void *context);
};

/* Steps, sequences and counts, and capacity by the utilisation law; if all is true, profiles of
 * resources as well. Returns false if memory runs out. */
bool tables_write(const struct print_subject *subject, bool all,
                  const struct tables_writer *writer);

#endif
