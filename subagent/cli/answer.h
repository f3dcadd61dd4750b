/* What an agent answers, read without trust: any type, length, order or number of varbinds. */
#ifndef DCAMP_CLI_ANSWER_H
#define DCAMP_CLI_ANSWER_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>
#include <stddef.h>

#include "cli/cell.h"

/* Of a GET: fills in the values of the cells. A value that is not of its object's type is as good
 * as missing. False: not an answer to this request. */
bool answer_get(const netsnmp_pdu *pdu, struct cell *cells, size_t n);

/* Of a GETNEXT: the cells take the names of their successors, where these lie below them; else
 * they are missing. */
bool answer_next(const netsnmp_pdu *pdu, struct cell *cells, size_t n);

/* Of a GETBULK of one column: at most most rows below the start of the walk, in ascending order
 * behind the last one that is known, which may be NULL and may be one of rows. False: also where
 * there is neither a row nor an end. */
struct answer_rows {
    size_t n;
    bool at_end; /* there are no more */
};
bool answer_bulk(const netsnmp_pdu *pdu, const struct cell *below, const struct cell *last,
                 struct cell *rows, size_t most, struct answer_rows *answer);

#endif
