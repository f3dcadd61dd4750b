/* What a table is: rows of data about its columns, which the engine serves.
 *
 * A table is one struct table: the MIB object, where its rows are, and a row of struct column per
 * column (object, getter or configuration field). Scalars are columns of a table with one row,
 * whose instance is 0. */
#ifndef DCAMP_AGENT_TABLE_H
#define DCAMP_AGENT_TABLE_H

#include "agent/mib_value.h"
#include "agent/varbind.h"
#include "base/index.h"
#include "config/fault.h"
#include "dcamp_mib.h"

struct view;

/* False: the row has no such value at present (the cell does not exist). */
typedef bool column_get(const struct view *view, const void *row, struct mib_value *value);

struct column {
    enum mib_object object;
    column_get *get;   /* NULL: a field of a configuration row */
    const char *field; /* its name, where get is NULL */
};

/* Acts on a row that is no configuration, as a SET of one of its cells asks. The text is printable
 * and as long as the MIB allows. False: no memory, nothing is done. */
typedef bool row_act(const struct view *view, const void *row, const char *text);

/* How the varbinds of one PDU for one row that is no configuration, or for the scalars of a branch
 * (row is NULL), become one step, which is done or not done as a whole. All memory is allocated
 * before the test has ended. */
struct table_steps {
    /* NULL: no memory. */
    void *(*begin)(const struct view *view, const void *row);
    /* Takes the value of a column, which its syntax allows. Not SET_OK: the reason is in text. */
    enum set_error (*take)(void *step, enum mib_object object, const struct set_varbind *varbind,
                           char text[FAULT_SIZE]);
    /* Called when all values of the PDU have been taken. */
    enum set_error (*test)(void *step, char text[FAULT_SIZE]);
    /* False: the row has changed since the test, and nothing is done. Undo takes a commit back,
     * whatever has happened since. */
    bool (*commit)(void *step);
    void (*undo)(void *step);
    bool (*is_saved)(const void *step); /* whether the answer waits until it is on disk */
    void (*end)(void *step);
};

/* How rows are found that are in no index: very many, which are kept elsewhere in the order of
 * their instances. NULL: there is none. */
struct table_finder {
    const void *(*find)(const struct view *view, const uint32_t *instance, size_t len);
    /* The first row behind an instance; with len 0, the first of all. */
    const void *(*after)(const struct view *view, const uint32_t *instance, size_t len);
    const void *(*next)(const void *row);
    /* Writes the instance of the row and returns its length. */
    size_t (*instance)(const void *row, uint32_t instance[OID_MAX]);
};

struct table {
    enum mib_object object; /* the table, or the branch of the scalars */
    /* The rows: nodes are the first member of each row. NULL: scalars, or there is a finder. */
    const struct index *(*rows)(const struct view *view);
    const struct table_finder *finder; /* NULL: there is an index, or these are scalars */
    const struct column *columns;
    size_t n_columns;
    bool is_config; /* rows are configuration rows of this kind, and can be SET */
    enum row_kind kind;
    enum mib_object acts;            /* the one column of another table that can be SET, */
    row_act *act;                    /* and what that does; NULL: there is none */
    const struct table_steps *steps; /* of the columns that can be SET; NULL: there are none */
    bool marks; /* rows are configuration rows of all kinds, the first index is the kind; a SET
                   marks them as local */
    void (*touched)(
        const struct view *view); /* NULL, or called before cells of the table are read */
    void (*asked)(const struct view *view,
                  enum mib_object object); /* NULL, or called when a GET, not a walk, reads a cell
                                              of this column */
    void (*read)(const struct view *view,
                 const void *row); /* NULL, or called for each row that is read */
};

/* False: it is a branch of scalars. */
static inline bool table_has_rows(const struct table *table)
{
    return table->rows || table->finder;
}

#endif
