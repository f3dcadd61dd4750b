/* A tree document that a node keeps (dcampKeptTable): asked for in parts, and believed only if the
 * parts are one document, which has its digest. */
#ifndef DCAMP_CLI_NODE_DOCUMENT_H
#define DCAMP_CLI_NODE_DOCUMENT_H

#include "cli/order.h"

enum node_document_which {
    NODE_DOCUMENT_IN_FORCE = dcampKeptWhich_inForce,
    NODE_DOCUMENT_PREVIOUS = dcampKeptWhich_previous
};

struct node_document {
    struct packed packed;
    uint32_t serial; /* 0: the node does not know it */
};

/* standing: what order_ask has told of the node. False: question->status says why, also that there
 * is no such document; then there is nothing to free. */
bool node_document_ask(struct question *question, const struct standing *standing,
                       enum node_document_which which, struct node_document *document);
void node_document_free(struct node_document *document);

/* The text of the document in force, malloced: what was pushed, octet by octet. NULL:
 * question->status says why, also that it is no text which a terminal may get. */
char *node_document_text(struct question *question, const struct standing *standing, size_t *len);

#endif
