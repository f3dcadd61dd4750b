/* What waits to be told to the core, with many messages in a packet. */
#ifndef DCAMP_POLLER_OUTBOX_H
#define DCAMP_POLLER_OUTBOX_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/clock.h"
#include "collect/message.h"

struct outbox_packet;

struct outbox {
    int fd; /* the core's socket, non-blocking */
    TAILQ_HEAD(outbox_packets, outbox_packet) packets;
    uint32_t n;     /* packets, including the one that is being filled */
    uint64_t since; /* when the oldest waiting message was put; 0: there is none */
    uint64_t delay; /* how long messages wait for others: each packet wakes the core */
    uint64_t sent;  /* when something was last sent to the core; 0: never */
    bool hurry;     /* what waits is to be sent without delay */
    bool blocked;   /* the core does not read */
    bool lost;      /* there was no memory for something that is told only once: see
                     * outbox_put_once */
};

void outbox_init(struct outbox *outbox, int fd, uint64_t delay);
void outbox_free(struct outbox *outbox);

/* False: no memory, and nothing was put. */
bool outbox_put(struct outbox *outbox, const struct message *message, uint64_t now);
bool outbox_put_answer(struct outbox *outbox, const struct message_answer *answer,
                       const struct message_block *const *blocks, uint64_t now);

/* The same for what is not told again. If memory runs out, the outbox is lost: the process that has
 * it must end, and the one that is started in its place is told everything and tells everything. */
bool outbox_put_once(struct outbox *outbox, const struct message *message, uint64_t now);

/* Whether so much waits that nobody should be asked for more. */
bool outbox_is_full(const struct outbox *outbox);

/* To be called when nothing more will come soon: what waits is due. */
void outbox_hurry(struct outbox *outbox);

/* When to call outbox_flush; UINT64_MAX if that is not known, because the core does not read. */
uint64_t outbox_due(const struct outbox *outbox);

/* Sends what is due, and as much as the core takes. False: the core is gone. */
bool outbox_flush(struct outbox *outbox, uint64_t now);

/* A process that says nothing is taken for frozen, and ended: see POLLER_SILENT_NS. So if nothing
 * was sent for OUTBOX_ALIVE_NS and nothing waits, outbox_say_alive puts a MESSAGE_ALIVE, which is
 * sent without delay. outbox_alive_due is when that is due: UINT64_MAX while something waits. */
#define OUTBOX_ALIVE_NS (3 * NS_PER_S)
uint64_t outbox_alive_due(const struct outbox *outbox);
void outbox_say_alive(struct outbox *outbox, uint64_t now);

#endif
