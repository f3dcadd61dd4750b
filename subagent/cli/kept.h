/* The tree documents that a node keeps (dcampKeptTable): asked for in parts, and believed only
 * where the parts are one document, that of its digest. */
#ifndef DCAMP_CLI_KEPT_H
#define DCAMP_CLI_KEPT_H

#include "cli/order.h"

enum kept_which { KEPT_IN_FORCE = dcampKeptWhich_inForce, KEPT_PREVIOUS = dcampKeptWhich_previous };

struct kept {
    struct packed packed;
    uint32_t serial; /* 0: the node does not know it */
};

/* Of a node of which order_ask has told. False: question->status says why, also that there is no
 * such document; then there is nothing to free. */
bool kept_ask(struct question *question, const struct standing *standing, enum kept_which which,
              struct kept *kept);
void kept_free(struct kept *kept);

/* The text of the document in force, malloced: what was pushed, octet by octet. NULL:
 * question->status says why, also that it is no text which a terminal may get. */
char *kept_text(struct question *question, const struct standing *standing, size_t *len);

#endif
