/* The poller processes, as the core sees them: started, restarted, told and listened to.
 *
 * One more process, the receiver, listens for blocks that children push, where that is wanted.
 *
 * Each is this same binary, run with --poller or --receiver and a socket as file descriptor 3, and
 * polls as many children as load.h says; there are as many as that takes. The core never waits for
 * one: what is to be sent waits in a bounded queue, and a poller that does not take it is ended and
 * begins anew. A poller that begins knows nothing: it is told the credentials here, its children by
 * whoever knows them, in portions: what a child is waits there for its turn, and not in the queue.
 * For one thread. */
#ifndef DCAMP_COLLECT_POLLERS_H
#define DCAMP_COLLECT_POLLERS_H

#include "base/clock.h"
#include "collect/message.h"
#include "collect/poller_process.h"

struct pollers;

/* options: arguments for the pollers behind --poller, NULL at the end; they must stay. NULL: no
 * memory, or no epoll(7). */
struct pollers *pollers_new(const char *const *options);

/* Ends all of them and waits for that, a second at most. NULL is allowed. */
void pollers_free(struct pollers *pollers);

/* The credentials are these from now on. The next step reads their secrets, also where nothing else
 * has changed. 0 or ENOMEM: then they are what they were. */
int pollers_set_credentials(struct pollers *pollers, const struct credential_source *credentials,
                            size_t n);

/* Blocks that children push are received at this address from now on; "": nowhere. 0 or ENOMEM. */
int pollers_listen(struct pollers *pollers, const char *address);

/* Memory only: queues a message for the poller of a child. MESSAGE_CHILD gives a new child to one
 * that has room, and takes one away from a poller that has too much to do since its period changed:
 * then pollers_left_out says so, as for want of memory. MESSAGE_FORGET takes it away.
 * MESSAGE_SENDER is for the receiver. With id 0, it is for all pollers. What a poller does not hear
 * because it is not running, it must be told when it has begun: pollers_begun.
 *
 * False: MESSAGE_CHILD, MESSAGE_OBJECTS or MESSAGE_SENDER was not queued, since enough waits there;
 * what it says is to be told when pollers_ready has given that process. */
bool pollers_send(struct pollers *pollers, uint32_t id, const struct message *message);

/* The next process that has room now for what was not queued for it; from: the least child of which
 * that was something. NULL: none. */
struct poller_process *pollers_ready(struct pollers *pollers, uint32_t *from);

/* Whether a child has no poller, since there was no memory to give it to one, or since it is to
 * have another one, since this was last asked: it is to be sent again. pollers_lack: whether a
 * child is such a one, or was never sent. */
bool pollers_left_out(struct pollers *pollers);
bool pollers_lack(void *pollers, uint32_t id);

/* Starts, ends and restarts what is due, and sends what it can without waiting. Returns the
 * monotonic time at which there is something to do again, whatever comes in. */
uint64_t pollers_step(struct pollers *pollers, uint64_t now_ns);

/* Readable when a poller has something to say, or can be told more. */
int pollers_fd(const struct pollers *pollers);

/* The next packet of any poller, into MESSAGE_PACKET_MAX octets; false: there is none now. They
 * take turns. */
bool pollers_receive(struct pollers *pollers, void *packet, size_t *used, uint64_t now_ns);

/* What came with that packet makes no sense: who said it is ended at the next step. */
void pollers_blame(struct pollers *pollers);

/* The next one that began, or that ended, since this was last asked; NULL: none. */
struct poller_process *pollers_begun(struct pollers *pollers);
struct poller_process *pollers_ended(struct pollers *pollers);

/* Whether it is the receiver. */
bool poller_receives(const struct poller_process *poller);

/* Whether a child is one of a poller's (struct poller_process *). */
bool poller_has(void *poller, uint32_t id);

#endif
