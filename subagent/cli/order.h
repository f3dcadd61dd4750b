/* The tree document of a node: what it knows of it, and the order of another one. An order names
 * its root, the term of that root, and the number of the order within the term, the epoch; nodes
 * obey the greatest (dcampDocumentTable). */
#ifndef DCAMP_CLI_ORDER_H
#define DCAMP_CLI_ORDER_H

#include "cli/packed.h"
#include "cli/question.h"

/* What a node knows of one of its documents. */
struct known {
    uint32_t term, epoch;
    char root[NAME_SIZE];          /* clean; "": there was no order */
    bool in_force;                 /* it works by one, */
    uint8_t digest[PACKED_DIGEST]; /* which has this digest; else 0 */
};

struct standing {
    char name[NAME_SIZE]; /* of the node; clean */
    struct known share, tree;
};

/* Asks for all of it. False: question->status says why; where there is no DCAMP-MIB or one without
 * documents, too. */
bool order_ask(struct question *question, struct standing *standing);

/* The other root that the node obeys, NULL: there is none. Of several the one with the greater
 * term. */
const char *order_other_root(const struct standing *standing);

/* The greatest term that it knows. */
uint32_t order_term(const struct standing *standing);

/* Whether the node is the root of a tree, by what it knows itself. */
bool order_is_root(const struct standing *standing);

/* order_ask, of a node that has to be the root: question->status says, too, that it is not, and the
 * error which one is. */
bool order_ask_root(struct question *question, struct standing *standing);

/* The file of --config, packed, to be read before anything is asked, so that nothing is where it is
 * no good. False: question->status says why. */
bool order_read(struct question *question, struct packed *packed);

/* The same, and returns its text, malloced. NULL: question->status says why. */
char *order_read_text(struct question *question, struct packed *packed);

struct order {
    uint32_t term, epoch;
    char root[NAME_SIZE];
    const struct packed *document; /* NULL: there is to be none */
    bool held;                     /* the node works by it already, so that it need not be sent */
};

/* What the root, which has to be asked, orders itself next, but for the document. False: as
 * order_ask_root. */
bool order_next(struct question *question, struct standing *standing, struct order *order);

/* Orders the tree document, and waits until the node works by it, or by none, as it was told.
 * False: the node did not take it, question->status says so, and the error has its reason. */
bool order_give(struct question *question, const struct order *order);

#endif
