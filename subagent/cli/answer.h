/* What an agent answers, read without trust: any type, length, order or number of varbinds. */
#ifndef DCAMP_CLI_ANSWER_H
#define DCAMP_CLI_ANSWER_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include <stdbool.h>
#include <stddef.h>

#include "cli/cell.h"

/* The answer to a GET: fills in the values of the cells. A value that is not of its object's type
 * counts as missing. False: not an answer to this request. */
bool answer_get(const netsnmp_pdu *pdu, struct cell *cells, size_t n);

/* The answer to a GETNEXT: the cells take the names of their successors, if these lie below them;
 * if not, they are missing. */
bool answer_next(const netsnmp_pdu *pdu, struct cell *cells, size_t n);

/* The answer to a GETBULK of one column: at most as many rows as most, below the start of the walk,
 * in ascending order, behind the last row that is known, which may be NULL or one of rows. False:
 * not such an answer, or one that has neither a row nor an end. */
struct answer_rows {
    size_t n;
    bool at_end; /* there are no more */
};
bool answer_bulk(const netsnmp_pdu *pdu, const struct cell *below, const struct cell *last,
                 struct cell *rows, size_t most, struct answer_rows *answer);

#endif
