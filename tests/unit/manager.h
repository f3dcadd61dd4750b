/* For tests: what a manager does with a node, GET and SET. */
#ifndef DCAMP_TESTS_MANAGER_H
#define DCAMP_TESTS_MANAGER_H

#include "agent/set.h"
#include "agent/view.h"
#include "node.h"

/* -- What a manager sees --------------------------------------------------------------------- */

/* The cell of an object: instance NULL for a row with one name; both NULL for a scalar. Of the
 * state of a threshold, it is a series of this node's own; the name of a deviation is that of the
 * kind of its row and, behind a dot, that of the row. */
struct mib_oid cell_of(enum mib_object object, const char *name, const char *instance);
/* Good until the next cycle. */
struct view node_view(const struct node *node);

/* Of a table that has rows: the row behind one, or with NULL the first; its instance, and the
 * length of that; how many there are. */
const void *node_next_row(const struct node *node, const struct table *table, const void *row);
size_t node_instance(const struct table *table, const void *row, uint32_t instance[OID_MAX]);
size_t node_count(const struct node *node, const struct table *table);

enum engine_status node_get(struct node *node, const struct mib_oid *oid, struct mib_value *value);
/* The first cell after one, or at it, and before end, if there is one. */
enum engine_status node_next(struct node *node, const struct mib_oid *from, bool inclusive,
                             const struct mib_oid *end, struct mib_oid *found,
                             struct mib_value *value);
bool node_has(struct node *node, enum mib_object object, const char *name, const char *instance);

/* The number of a cell that must be there. */
int64_t number_at(struct node *node, enum mib_object object, const char *name,
                  const char *instance);

/* The text of a cell that must be there; of an object identifier its numbers. */
const char *text_at(struct node *node, enum mib_object object, const char *name,
                    const char *instance, char text[MESSAGE_SIZE]);

#define assert_cell_text(node, object, name, instance, expected)                                   \
    do {                                                                                           \
        char cell_text_[MESSAGE_SIZE];                                                             \
        assert_string_equal(text_at(node, object, name, instance, cell_text_), expected);          \
    } while (0)

/* -- SET ------------------------------------------------------------------------------------- */

/* A varbind of a column of the row of that name; text counts where it is not NULL. */
struct bind {
    enum mib_object object;
    const char *name;
    int64_t number;
    const char *text;
};

#define BINDS_MAX 96

/* The varbinds of one PDU and the OIDs they point to. */
struct pdu {
    struct set_varbind varbinds[BINDS_MAX];
    struct mib_oid oids[BINDS_MAX];
    size_t n;
};

/* The value of a varbind: octets, or of an object identifier its arcs, which are kept here for as
 * many turns as a PDU has varbinds. */
void varbind_text(struct set_varbind *varbind, const char *text);

/* Adds a varbind, to be spoiled by the caller if need be. */
struct set_varbind *pdu_add(struct pdu *pdu, const struct bind *bind);

enum set_error node_test_set(struct node *node, const struct set_varbind *varbinds, size_t n,
                             struct set_transaction **transaction, size_t *index);

/* Test, commit and cleanup, as one PDU. */
enum set_error pdu_set(struct node *node, const struct pdu *pdu, size_t *index);
enum set_error node_set(struct node *node, const struct bind *binds, size_t n);

/* One varbind that must be taken. */
void node_set_one(struct node *node, enum mib_object object, const char *name, int64_t number,
                  const char *text);

#endif
