/* The current values of a node: those of its own series, of its aggregates, and of its children. */
#ifndef DCAMP_CLI_VALUES_H
#define DCAMP_CLI_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "cli/question.h"

#define UNIT_SIZE 64

struct value_row {
    char node[NAME_SIZE]; /* of a child; empty: the node that was asked */
    char sensor[NAME_SIZE];
    char instance[INSTANCE_SIZE];
    char text[DECIMAL_SIZE]; /* decimal; empty: there is none, and state says why */
    char unit[UNIT_SIZE];
    const char *state; /* a label of the MIB */
    bool has_time, has_age;
    int64_t wall_ms; /* when it was sampled */
    int64_t age_ms;  /* since then, by the clock of the node */
};

/* Which values. Patterns as text_matches has them, or the very name; NULL: all. */
struct value_choice {
    const char *sensor, *instance;
    bool below; /* those of the children, too */
};

/* By node, sensor and instance, numbers in names as numbers: cpu2 is before cpu10. */
struct value_list {
    struct value_row *rows;
    size_t n, room;
};

/* Whether a pattern, which may be NULL, takes a name. Pure. */
bool choice_takes(const char *pattern, const char *name);

/* From the words of a command line behind the address: [SENSOR [INSTANCE]]. */
struct value_choice choice_of(const struct command *command);

/* Reads them into an empty list, which values_free frees in any case. False: the status of the
 * question says it. */
bool values_read(struct question *question, const struct value_choice *choice,
                 struct value_list *list);
void values_free(struct value_list *list);

/* The row of the same node, sensor and instance in a list that values_read has made; NULL: there is
 * none. Pure. */
const struct value_row *values_find(const struct value_list *list, const struct value_row *row);

/* To be called if there are none: says why, as far as the node knows, and sets the status. */
void values_explain(struct question *question, const struct value_choice *choice);

/* The columns of what get and watch print, and a row of them. Without values of children the
 * column of the node is not in the table. */
enum { VALUE_COLUMNS = 8 };
void values_columns(struct sheet_column columns[VALUE_COLUMNS], bool below, bool with_time);
bool values_add(struct sheet *sheet, const struct value_row *row);

#endif
