/* What is wrong with a value or a row, in words. The words are the same for a file that is refused,
 * for a SET that is refused, and for a row that was accepted but cannot work. */
#ifndef DCAMP_CONFIG_FAULT_H
#define DCAMP_CONFIG_FAULT_H

#include "config/derived.h"

#define FAULT_SIZE 512

/* About a value that a field does not take: 'interval="5" is not a duration ...'. */
void fault_of_value(const struct field *field, const char *value, char text[FAULT_SIZE]);

/* Checks the expression of a sensor among other rows, as derived_check does. False: text says what
 * is wrong. */
bool expression_has_no_fault(const struct sensor_row *row, derived_row_fn *rows, void *context,
                             bool complete, const struct config *config, char text[FAULT_SIZE]);

/* Looks for a name that refers to nothing, or an expression that cannot be computed. Returns the
 * field that is at fault, with the text; NULL: there is none. where: what lacks the row that is
 * named, "file" or "node". */
const struct field *fault_of_references(const struct config *config, const struct row *row,
                                        const char *where, char text[FAULT_SIZE]);

/* The end of a text: which row of that kind was probably meant, or else what to do. */
void fault_hint(const struct config *config, enum row_kind kind, const char *name,
                char hint[NAME_SIZE + 32]);

#endif
