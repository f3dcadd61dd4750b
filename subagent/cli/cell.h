/* Cells of the DCAMP-MIB as a manager names them: an object of the MIB and the indexes of its row;
 * and what an agent said of them. Pure; what comes from an agent is not trusted. */
#ifndef DCAMP_CLI_CELL_H
#define DCAMP_CLI_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"
#include "base/oid.h"
#include "dcamp_mib.h"

enum cell_kind { CELL_MISSING, CELL_TEXT, CELL_NUMBER };

struct cell {
    enum mib_object object;
    uint32_t oid[OID_MAX];
    size_t len;
    enum cell_kind kind;
    int64_t number;          /* signed and unsigned alike; Counter64 up to INT64_MAX */
    char text[MESSAGE_SIZE]; /* octets; NUL-terminated */
    size_t text_len;
    const void
        *octets; /* what is to be SET instead of text, if it is longer than text can be; or NULL */
    size_t n_octets;
    void *room; /* room for received octets that may be longer than text; or NULL */
    size_t room_size;
};

/* The object alone: the column, to which the indexes of a row are added in their order. */
void cell_start(struct cell *cell, enum mib_object object);
void cell_add_text(struct cell *cell, const char *index);
void cell_add_number(struct cell *cell, uint32_t index);

void cell_scalar(struct cell *cell, enum mib_object object);

/* Reads an index behind the object, *at starting at 0, and moves *at on. False: there is none of
 * that kind, or it has a NUL, or does not fit. */
bool cell_index_text(const struct cell *cell, size_t *at, char *text, size_t size);
bool cell_index_number(const struct cell *cell, size_t *at, uint32_t *number);

/* DateAndTime (RFC 2579) to milliseconds since 1970 UTC. False: it is not a date, has no offset, or
 * is of a day that does not exist. */
bool cell_date(const struct cell *cell, int64_t *wall_ms);

/* Of a TruthValue (RFC 2579): whether it is there and true(1). */
bool cell_is_true(const struct cell *cell);

/* The label of an enumeration's value; "?" if the MIB has none. */
const char *cell_label(const struct cell *cell);

#endif
