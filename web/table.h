/* Values as a table for spreadsheets: CSV (RFC 4180) with a header. Pure. */
#ifndef DCAMP_WEB_TABLE_H
#define DCAMP_WEB_TABLE_H

#include <jansson.h>

/* Made from the answer of api/v1/values: a line for each value, with its time twice, as people read
 * it (UTC) and in milliseconds since 1970. There are only numbers and times, no names, so that no
 * cell is taken for a formula. The caller owns the text. NULL: no memory. */
char *table_of(const json_t *answer);

#endif
