/* The poller processes, as the core sees them: started, restarted, told and listened to.
 *
 * One more process, the receiver, listens for blocks that children push, where that is wanted.
 *
 * Each is this same binary, run with --poller or --receiver and a socket as file descriptor 3. A
 * poller polls as many children as load.h says, and there are as many pollers as that takes. The
 * core never waits for one: what is to be sent waits in a bounded queue, and a poller that does not
 * take it is ended and begins anew. A poller that begins knows nothing: it is told the credentials
 * here and its children by whoever knows them, in portions, so that what is known of the children
 * waits there for its turn and not in the queue. For one thread. */
#ifndef DCAMP_COLLECT_POLLERS_H
#define DCAMP_COLLECT_POLLERS_H

#include "base/clock.h"
#include "collect/message.h"
#include "collect/poller_process.h"

struct pollers;

/* options: arguments for the pollers, which follow --poller, NULL at the end; they must stay valid.
 * NULL: no memory, or no epoll(7). */
struct pollers *pollers_new(const char *const *options);

/* Ends all of them and waits for that, a second at most. NULL is allowed. */
void pollers_free(struct pollers *pollers);

/* Sets the credentials. The next step reads their secrets, even if nothing else has changed. 0 or
 * ENOMEM: then the credentials are what they were. */
int pollers_set_credentials(struct pollers *pollers, const struct credential_source *credentials,
                            size_t n);

/* Blocks that children push are received at this address from now on; "": they are not received. 0
 * or ENOMEM. */
int pollers_listen(struct pollers *pollers, const char *address);

/* Memory only: queues a message for the poller of a child. MESSAGE_CHILD gives a new child to a
 * poller that has room, and takes one away from a poller that has too much to do since the child's
 * period changed: then pollers_left_out says so, as it does when memory runs out. MESSAGE_FORGET
 * takes the child away. MESSAGE_SENDER is for the receiver. With id 0, the message is for all
 * pollers. What a poller misses because it is not running, it must be told when it has begun:
 * pollers_begun.
 *
 * False: MESSAGE_CHILD, MESSAGE_OBJECTS or MESSAGE_SENDER was not queued, because enough waits
 * there; it is to be told again when pollers_ready has returned that process. */
bool pollers_send(struct pollers *pollers, uint32_t id, const struct message *message);

/* The next process that now has room for what was not queued for it; from: the lowest id of a child
 * of which something was not queued. NULL: none. */
struct poller_process *pollers_ready(struct pollers *pollers, uint32_t *from);

/* Whether, since this was last asked, some child has been left without a poller, because memory ran
 * out or because it is to move to another one: then it must be sent again. pollers_lack: whether
 * this child is one of those, or was never sent. */
bool pollers_left_out(struct pollers *pollers);
bool pollers_lack(void *pollers, uint32_t id);

/* Starts, ends and restarts processes that are due, and sends what it can without waiting. Returns
 * the monotonic time at which it must be called again even if nothing comes in. */
uint64_t pollers_step(struct pollers *pollers, uint64_t now_ns);

/* Readable when a poller has something to say, or can be told more. */
int pollers_fd(const struct pollers *pollers);

/* The next packet of any poller, into MESSAGE_PACKET_MAX octets; false: there is none now. The
 * pollers take turns. */
bool pollers_receive(struct pollers *pollers, void *packet, size_t *used, uint64_t now_ns);

/* What came with that packet makes no sense: its sender is ended at the next step. */
void pollers_blame(struct pollers *pollers);

/* The next process that has begun, or ended, since this was last asked; NULL: none. */
struct poller_process *pollers_begun(struct pollers *pollers);
struct poller_process *pollers_ended(struct pollers *pollers);

/* Whether it is the receiver. */
bool poller_receives(const struct poller_process *poller);

/* Whether a child belongs to a poller (struct poller_process *). */
bool poller_has(void *poller, uint32_t id);

#endif
