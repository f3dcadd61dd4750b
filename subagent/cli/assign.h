/* What people want to set, in their words, to cells of the MIB: which table, which row, which
 * columns and how values are written all come from the MIB. Pure. */
#ifndef DCAMP_CLI_ASSIGN_H
#define DCAMP_CLI_ASSIGN_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/cell.h"
#include "cli/client.h"

struct assignments {
    struct cell cells[SET_MAX];  /* with the values that they are to get */
    const char *values[SET_MAX]; /* these values in the words that were given */
    size_t n;
};

enum assign_row { ASSIGN_CHANGE, ASSIGN_CREATE, ASSIGN_DELETE };

/* Takes KIND NAME and then any number of FIELD VALUE or FIELD=VALUE: a kind is a table of the
 * configuration, as "threshold", and a field one of its columns, as "limit"; upper and lower case,
 * and '-' in fields, do not matter. If rows have several indexes, the name is all of them, with
 * dots between. Or it takes, instead, OBJECT.INDEX VALUE or OBJECT.INDEX=VALUE with names of the
 * MIB. row says whether the row is to be created, or deleted, for which no fields are given. The
 * words must stay as long as the assignments. False: error holds one line. */
bool assign_read(char *const *words, int n, enum assign_row row, struct assignments *to,
                 char error[512]);

/* Gives a cell the value that a text means: labels of enumerations, also by their numbers, and for
 * operators > >= < <= = !=; yes and no; several labels, with commas, if several are allowed; times
 * in milliseconds, or as "10s"; dates as in RFC 3339, or "none". False: error holds one line. */
bool assign_value(struct cell *cell, const char *text, char error[512]);

/* The indexes of a cell as they are given above. */
void assign_row_text(const struct cell *cell, char *text, size_t size);

#endif
