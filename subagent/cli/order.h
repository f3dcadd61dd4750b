/* The tree document of a node: what the node knows of it, and the order of another one. An order
 * names its root, the term of that root, and the number of the order within the term, the epoch;
 * nodes obey the greatest (dcampDocumentTable). */
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

/* Asks for all of it. False: question->status says why, also if there is no DCAMP-MIB or one
 * without documents. */
bool order_ask(struct question *question, struct standing *standing);

/* The other root that the node obeys; if there are several, the one with the greater term. NULL:
 * there is none. */
const char *order_other_root(const struct standing *standing);

/* The greatest term that it knows. */
uint32_t order_term(const struct standing *standing);

/* Whether the node is the root of a tree, as far as it knows itself. */
bool order_is_root(const struct standing *standing);

/* order_ask for a node that has to be the root. If it is not, question->status says so, and the
 * error says which node is. */
bool order_ask_root(struct question *question, struct standing *standing);

/* Reads the file of --config and packs it. To be called before anything is asked, so that nothing
 * is asked if the file is no good. False: question->status says why. */
bool order_read(struct question *question, struct packed *packed);

/* The same, and returns its text, malloced. NULL: question->status says why. */
char *order_read_text(struct question *question, struct packed *packed);

struct order {
    uint32_t term, epoch;
    char root[NAME_SIZE];
    const struct packed *document; /* NULL: there is to be none */
    bool held;                     /* the node works by it already, so that it need not be sent */
};

/* What the root orders next for itself, all but the document. The node that is asked must be the
 * root. False: as with order_ask_root. */
bool order_next(struct question *question, struct standing *standing, struct order *order);

/* Orders the tree document, and waits until the node works by it, or by none, if the order says so.
 * False: the node did not take it; question->status says so, and the error has its reason. */
bool order_give(struct question *question, const struct order *order);

#endif
