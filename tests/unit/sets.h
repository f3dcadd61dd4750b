/* For the tests of SET: the writable tables as data, and a node with rows in each of them. */
#ifndef DCAMP_TESTS_SETS_H
#define DCAMP_TESTS_SETS_H

#include "manager.h"

/* RFC 2579, RowStatus. */
enum { ACTIVE = 1, NOT_IN_SERVICE, NOT_READY, CREATE_AND_GO, CREATE_AND_WAIT, DESTROY };

#define COLUMNS_MAX 12

/* One writable table. The columns that must be set come first; each has two good values. */
struct kit {
    enum row_kind kind;
    enum mib_object table, name, status, storage, read_only;
    size_t n_columns, n_required;
    struct column_values {
        enum mib_object object;
        int64_t number;
        const char *text; /* NULL: the number counts */
        int64_t other_number;
        const char *other_text;
    } columns[COLUMNS_MAX];
};

#define KITS 6

extern const struct kit kits[KITS];

/* A column, with the first of its values or the other one. */
struct bind column_bind(const struct kit *kit, size_t column, const char *name, bool other);

/* Adds RowStatus (unless 0) and columns from the first on. */
void pdu_row(struct pdu *pdu, const struct kit *kit, const char *name, int status, size_t n_columns,
             bool other);
void set_row(struct node *node, const struct kit *kit, const char *name, int status,
             size_t n_columns);

/* Of each kind: "file" of the file; "old", "spare" and "target", which are active; "half", which
 * is not ready, or not in service where nothing must be set; "idle", not in service. */
int set_setup(void **state);

#define set_test_(test) cmocka_unit_test_setup_teardown(test, set_setup, node_teardown)

const struct kit *kit_of(struct node *node, enum mib_object object);
struct row *find_row(struct node *node, const struct kit *kit, const char *name);

#endif
