/* The table engine: serves every table and scalar of the MIB from rows of data.
 *
 * A table is one struct table: the MIB object, where its rows are, and a row of struct column per
 * column (object, getter or configuration field). Scalars are columns of a table with one row,
 * whose instance is 0. The engine knows OIDs, order, exceptions, ranges and RowStatus; a table
 * knows its data. It is free of Net-SNMP and of I/O; the caller holds the lock. */
#ifndef DCAMP_AGENT_ENGINE_H
#define DCAMP_AGENT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mib/mib.h"
#include "base/clock.h"
#include "base/index.h"
#include "config/config.h"
#include "dcamp_mib.h"

struct dcampd;

#define OID_MAX 128 /* RFC 3416, section 4.1 */

struct mib_oid {
    uint32_t id[OID_MAX];
    size_t len;
};

/* A value to be put on the wire. Octets point into the row (valid while the lock is held) or
 * into room; an object identifier points into arcs. The engine sets the syntax from the MIB. */
struct mib_value {
    enum mib_syntax syntax;
    union {
        int64_t integer;
        uint64_t number; /* unsigned types */
        struct {
            const void *at;
            size_t len;
        } octets;
        struct {
            const uint32_t *at;
            size_t len;
        } oid;
    };
    union {
        char room[MESSAGE_SIZE];
        uint32_t arcs[OID_MAX];
    };
};

/* What a getter sees besides its row. */
struct view {
    struct dcampd *core;
    struct moment now;
};

/* False: the row has no such value at present (the cell does not exist). */
typedef bool column_get(const struct view *view, const void *row, struct mib_value *value);

struct column {
    enum mib_object object;
    column_get *get;   /* NULL: a field of a configuration row */
    const char *field; /* its name, where get is NULL */
};

/* Acts on a row that is no configuration, as a SET of one of its cells asks. The text is printable
 * and as long as the MIB allows. */
typedef void row_act(const struct view *view, const void *row, const char *text);

struct table {
    enum mib_object object; /* the table, or the branch of the scalars */
    /* The rows: nodes are the first member of each row. NULL: scalars. */
    struct index *(*rows)(struct dcampd *core);
    const struct column *columns;
    size_t n_columns;
    bool is_config; /* rows are configuration rows of this kind, and can be SET */
    enum row_kind kind;
    enum mib_object acts;                 /* the one column of such a table that can be SET, */
    row_act *act;                         /* and what that does; NULL: there is none */
    void (*touched)(struct dcampd *core); /* NULL, or told before its cells are read */
    void (*read)(const struct view *view, const void *row); /* NULL, or told of each row read */
};

/* The tables of the DCAMP-MIB, in no particular order. */
extern const struct table *const dcamp_tables[];
extern const size_t dcamp_table_count;

/* An accessible object, bound to its column. */
struct binding {
    const struct table *table;
    const struct column *column;
    const struct field *field;
};

struct engine {
    struct dcampd *core;
    struct binding bound[MIB_OBJECTS];
};

/* Binds columns to objects. NULL, or what is wrong: a program error that tests find. */
const char *engine_open(struct engine *engine, struct dcampd *core);

enum engine_status { ENGINE_OK, ENGINE_NO_OBJECT, ENGINE_NO_INSTANCE, ENGINE_END };

/* A cell that was looked for; there is one if the status is ENGINE_OK. */
struct cell {
    enum engine_status status;
    int object;
    const void *row; /* NULL: a scalar */
};

/* RFC 3416, section 4.2.1, in two steps: finding several cells at once takes less time than one
 * after the other. A cell is good while the lock is held. */
#define ENGINE_CELLS 16 /* at once, at most */
void engine_find(const struct engine *engine, const struct mib_oid *names, size_t n,
                 struct cell *cells);
enum engine_status engine_read(const struct engine *engine, const struct cell *cell,
                               struct moment now, struct mib_value *value);

/* Both steps for one cell. */
enum engine_status engine_get(const struct engine *engine, const uint32_t *oid, size_t len,
                              struct moment now, struct mib_value *value);

/* RFC 3416, section 4.2.2: the first cell after oid (or at it, with inclusive: RFC 2741,
 * section 5.2) and before end, if end_len is not 0. */
enum engine_status engine_next(const struct engine *engine, const uint32_t *oid, size_t len,
                               bool inclusive, const uint32_t *end, size_t end_len,
                               struct moment now, struct mib_oid *found, struct mib_value *value);

/* The object that an OID lies at or below, or -1. rest: sub-identifiers beyond the object's. */
int engine_object(const uint32_t *oid, size_t len, size_t *rest);

int oid_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len);

/* For getters. */
bool give_integer(struct mib_value *value, int64_t number);
bool give_number(struct mib_value *value, uint64_t number);
bool give_text(struct mib_value *value, const char *text);
bool give_octets(struct mib_value *value, const void *at, size_t len);
bool give_truth(struct mib_value *value, bool truth);
/* Decimal numbers between dots; "" is 0.0, as SMIv2 says that there is none. */
bool give_oid(struct mib_value *value, const char *text);
/* BITS of RFC 2578, section 7.1.4: bit 0 of the set is the highest of the first octet. */
bool give_bits(struct mib_value *value, uint32_t set, size_t n_labels);
/* DateAndTime of RFC 2579, in UTC. False beyond its years, 0 to 65535. */
bool give_date(struct mib_value *value, int64_t wall_ms);

/* The reverse of give_bits, for SET. Bits that are not there are not set. False: a bit is set that
 * has no label. */
bool take_bits(const uint8_t *octets, size_t len, size_t n_labels, uint32_t *set);
/* 8 octets are local time, 8 zeros no time (0). False: it is no date. */
bool take_date(const uint8_t *octets, size_t len, int64_t *wall_ms);

#endif
