/* The table engine: serves every table and scalar of the MIB from rows of data.
 *
 * The engine knows OIDs, order, exceptions, ranges and RowStatus; a table knows its data. It is
 * free of Net-SNMP and of I/O; the caller holds the lock. */
#ifndef DCAMP_AGENT_ENGINE_H
#define DCAMP_AGENT_ENGINE_H

#include "agent/table.h"

/* An accessible object, bound to its column. */
struct binding {
    const struct table *table;
    const struct column *column;
    const struct field *field;
};

struct engine {
    struct binding bound[MIB_OBJECTS];
};

/* Binds the columns of the tables to objects; the tables must outlive the engine. Returns NULL, or
 * the name of an object that does not fit, which is a program error that tests find. */
const char *engine_open(struct engine *engine, const struct table *const *tables, size_t n_tables);

enum engine_status { ENGINE_OK, ENGINE_NO_OBJECT, ENGINE_NO_INSTANCE, ENGINE_END };

/* A cell that was looked for; there is one if the status is ENGINE_OK. */
struct engine_cell {
    enum engine_status status;
    int object;
    const void *row; /* NULL: a scalar */
};

/* RFC 3416, section 4.2.1, in two steps: finding several cells at once takes less time than finding
 * one after the other. A cell is valid while the lock is held. */
#define ENGINE_CELLS 16 /* at once, at most */
void engine_find(const struct engine *engine, const struct mib_oid *names, size_t n,
                 const struct view *view, struct engine_cell *cells);
enum engine_status engine_read(const struct engine *engine, const struct engine_cell *cell,
                               const struct view *view, struct mib_value *value);

/* Both steps for one cell. */
enum engine_status engine_get(const struct engine *engine, const uint32_t *oid, size_t len,
                              const struct view *view, struct mib_value *value);

/* RFC 3416, section 4.2.2: the first cell after oid (or at it, with inclusive: RFC 2741,
 * section 5.2) and before end, if end_len is not 0. */
enum engine_status engine_next(const struct engine *engine, const uint32_t *oid, size_t len,
                               bool inclusive, const uint32_t *end, size_t end_len,
                               const struct view *view, struct mib_oid *found,
                               struct mib_value *value);

/* The object that an OID lies at or below, or -1. rest: sub-identifiers beyond the object's. */
int engine_object(const uint32_t *oid, size_t len, size_t *rest);

/* The name of a configuration row in the instance part of an OID. False: no row can ever have this
 * instance. */
bool engine_row_name(const uint32_t *instance, size_t len, char name[NAME_SIZE]);

#endif
