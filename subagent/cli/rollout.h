/* A tree document that was ordered of the root: waits until all nodes work by it, and says which of
 * them do not. */
#ifndef DCAMP_CLI_ROLLOUT_H
#define DCAMP_CLI_ROLLOUT_H

#include "cli/roster.h"
#include "cli/order.h"

/* Waits as long as the command says, shows how far it is, and prints what came of it: one line, or
 * for programs one row, about the order; then the nodes that do not work by the document, or, with
 * everybody set, all nodes. If nodes that answer do not work by it, question->status is EXIT_CUT.
 * Nodes that do not answer are not waited for long: the root takes them in when they answer. */
void rollout_follow(struct question *question, const struct order *order, bool everybody);

#endif
