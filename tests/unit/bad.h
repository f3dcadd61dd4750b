/* For the tests of SET: bad varbinds, and what must happen wherever they stand. */
#ifndef DCAMP_TESTS_BAD_H
#define DCAMP_TESTS_BAD_H

#include "sets.h"

/* A varbind, and the error it must give wherever it stands in a PDU. */
struct bad {
    struct set_varbind varbind;
    struct mib_oid oid;
    enum set_error error;
};

enum place { FIRST, MIDDLE, LAST, PLACES };

enum around { NOTHING, CREATES, CHANGES, DESTROYS, AROUNDS };

/* Good varbinds for rows that the bad one is not for. */
void add_good(struct pdu *pdu, const struct kit *kit, enum around around);
void check_once(struct node *node, const struct kit *kit, const struct bad *bad, enum around around,
                enum place place);
void check_bad(struct node *node, const struct kit *kit, const struct bad *bad);

/* A good varbind for a column of the row "target", to be spoiled. */
struct bad bad_of(const struct kit *kit, enum mib_object object, enum set_error error);
void set_octets(struct bad *bad, const char *text, size_t len);

typedef void column_test(struct node *node, const struct kit *kit, enum mib_object object);

void for_each_column(struct node *node, column_test *test);

#endif
