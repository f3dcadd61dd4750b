/* What is wrong with a value or a row, in words: those of a file that is refused, of a SET that is
 * refused, and of a row that was accepted and cannot work are the same. */
#ifndef DCAMP_CONFIG_FAULT_H
#define DCAMP_CONFIG_FAULT_H

#include "config/derived.h"

#define FAULT_SIZE 512

/* A value that a field does not take: 'interval="5" is not a duration ...'. */
void fault_of_value(const struct field *field, const char *value, char text[FAULT_SIZE]);

/* The expression of a sensor among other rows, as derived_check. False with the text. */
bool expression_has_no_fault(const struct sensor_row *row, derived_row_fn *rows, void *context,
                             bool complete, const struct config *config, char text[FAULT_SIZE]);

/* A name that leads nowhere, or an expression that cannot be computed: the field and the text;
 * NULL: there is none. where is what lacks it: "file" or "node". */
const struct field *fault_of_references(const struct config *config, const struct row *row,
                                        const char *where, char text[FAULT_SIZE]);

/* The end of a text: which row of that kind was probably meant, or what else to do. */
void fault_hint(const struct config *config, enum row_kind kind, const char *name,
                char hint[NAME_SIZE + 32]);

#endif
