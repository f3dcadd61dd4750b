/* A tree document that was ordered of the root: until when all nodes work by it, and what there is
 * to be said of those that do not. */
#ifndef DCAMP_CLI_ROLLOUT_H
#define DCAMP_CLI_ROLLOUT_H

#include "cli/roster.h"
#include "cli/order.h"

/* Waits as long as the command says, shows how far it is, and prints what came of it: one line, or
 * for programs one row, of the order; then the nodes that do not work by the document, or with
 * everybody set all nodes. Where nodes that answer do not, question->status is EXIT_CUT. For those
 * that do not answer nobody waits long: they are taken in when they do. */
void rollout_follow(struct question *question, const struct order *order, bool everybody);

#endif
