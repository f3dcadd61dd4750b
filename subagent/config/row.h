/* One row of the configuration, of any kind. */
#ifndef DCAMP_CONFIG_ROW_H
#define DCAMP_CONFIG_ROW_H

#include "config/row_type.h"

/* Rows. A new row has its defaults, is ROW_NOT_READY and STORAGE_NONVOLATILE. NULL: there is no
 * memory, or the name is not valid. */
struct row *row_new(enum row_kind kind, const char *name);
struct row *row_clone(const struct row *row);
void row_free(struct row *row);

/* The name of the first field that must be given but is not, or NULL. */
const char *row_missing(const struct row *row);
/* The row is about to become active: fills in the field for this time, if the row's type has one.
 */
void row_activate(struct row *row, int64_t wall_ms);
/* Whether what runs on a row must begin anew when the fields of the row become those of another row
 * of the same kind; else it goes on, and takes over what it needs of the new fields. The names and
 * the states of the rows are not compared. */
bool row_restarts(const struct row *was, const struct row *is);
/* What keeps the row from being active (row_missing, or the type's fault), or NULL. */
const char *row_fault(const struct row *row);

/* Sets a field from its text in XML (not terminated). The row is unchanged unless the result is
 * FIELD_OK. */
enum field_status field_set_text(struct row *row, const struct field *field, const char *text,
                                 size_t len);
/* Sets MILLIS, COUNT, ENUM, DATE and BITS from a number of SNMP; bit 0 is 1. */
enum field_status field_set_number(struct row *row, const struct field *field, int64_t number);

/* Get fields: a text in a buffer of at least MESSAGE_SIZE (its length is returned), or a number of
 * SNMP. field_text writes the text that field_set_text takes. */
size_t field_text(const struct row *row, const struct field *field, char *text);
int64_t field_number(const struct row *row, const struct field *field);

typedef void row_text_fn(void *context, const char *text, size_t len);

/* Hands out the row as text, in pieces. The text is the same for rows whose values are equal but
 * written differently ("60s", "1m"). whole: includes the status and the fields that have their
 * defaults. */
void row_canonical(const struct row *row, bool whole, row_text_fn *put, void *context);

/* Whether a SET has made or changed the row, so that it is not as the file, or the share, says. */
bool row_deviates(const struct row *row);
/* The row that has this node of config.deviations. */
const struct row *row_of_deviation(const void *node);

/* The origin of a row of the file: the CRC-32 of its name and given fields, never 0. */
uint32_t row_checksum(const struct row *row);

#endif
