/* Children: the nodes whose reports are fetched, and what they reported.
 *
 * A child is an active row of the configuration at run time. What it has told is kept by series: by
 * the numbers in its report blocks, once its dictionary says what they mean. A child of kind snmp,
 * a device, has series for what it is polled for. Children are not trusted: whatever comes changes
 * nothing but that child. Read by the agent under the lock.
 *
 * A child is lost once three polls in a row brought nothing, whatever the reason: that raises an
 * alarm, dcampNodeLost, which its next valid answer clears, dcampNodeJoined. */
#ifndef DCAMP_CHILDREN_CHILDREN_H
#define DCAMP_CHILDREN_CHILDREN_H

#include "children/child.h"
#include "config/state.h"

#define CHILD_WATCH_NS (10 * NS_PER_S) /* the longest time between two looks of children_watch */

void children_open(struct children *children, struct alarms *alarms);
void children_close(struct children *children);

/* children_restore takes what the state file says of children, and removes it from state.
 * children_save appends what is to be saved; 0 or ENOMEM. */
void children_restore(struct children *children, struct state *state);
int children_save(const struct children *children, struct state *state);

/* Makes the children those of the configuration: a new or changed one begins anew. The alarms of
 * children that do not exist any more are cleared. False: there was no memory for some, which are
 * left out until this is called again. */
bool children_sync(struct children *children, const struct config *config, struct moment now);

/* Takes a message of a poller or of the receiver. What it says of a child that does not exist any
 * more is ignored. */
void children_message(struct children *children, const struct message *message, struct moment now);

/* The poller of the children with these ids has begun anew, or the receiver of pushed blocks has:
 * it is told everything about them again, at once as far as there is room, the rest by
 * children_tell_on. */
void children_resend(struct children *children, bool (*of)(void *context, uint32_t id),
                     void *context, struct moment now);
void children_tell_receiver(struct children *children);

/* The poller or the receiver has room for what waits to be told of these children: goes on with the
 * child from, in the order of their ids, until there is no more room. */
void children_tell_on(struct children *children, bool (*of)(void *context, uint32_t id),
                      void *context, uint32_t from, struct moment now);
void children_tell_receiver_on(struct children *children, uint32_t from);

/* Nobody polls the children with these ids at present: those that are up become late. why is shown
 * as their error. */
void children_unpolled(struct children *children, bool (*of)(void *context, uint32_t id),
                       void *context, const char *why);

/* Looks for children whose pollers say nothing of them, which become late, then lost, and for
 * refused children whose time is over. Returns when it must be called again; before that it does
 * nothing. */
uint64_t children_watch(struct children *children, struct moment now);

/* Writes the names of the nodes among them that are down, separated by blanks, in the order of
 * their index, as many as the text has room for. Devices are left out. */
void children_down(const struct children *children, char *text, size_t size);

#endif
