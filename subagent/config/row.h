/* Inside config/: rows as canonical text. */
#ifndef DCAMP_CONFIG_ROW_H
#define DCAMP_CONFIG_ROW_H

#include "config/config.h"

typedef void row_text_fn(void *context, const char *text, size_t len);

/* Hands out the row as text, in pieces, the same for rows that say the same in other words
 * ("60s", "1m"). whole: with the status and the fields that have their defaults. */
void row_canonical(const struct row *row, bool whole, row_text_fn *put, void *context);

/* The origin of a row of the file: CRC-32 of its name and given fields, never 0. */
uint32_t row_checksum(const struct row *row);

/* The labels of enum row_status. */
#define ROW_STATUSES 4
extern const char *const row_statuses[ROW_STATUSES];

#endif
