/* What waits to be told to the core: many messages to a packet. */
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
    uint32_t n;     /* packets, the one that is being filled included */
    uint64_t since; /* when the oldest message that waits was put; 0: there is none */
    uint64_t delay; /* messages wait for others this long: each packet wakes the core */
    uint64_t sent;  /* when the core was told something last; 0: never */
    bool hurry;     /* what waits need not wait */
    bool blocked;   /* the core does not read */
    bool lost;      /* there was no memory for what is told only once: see outbox_put_once */
};

void outbox_init(struct outbox *outbox, int fd, uint64_t delay);
void outbox_free(struct outbox *outbox);

/* False: no memory, and nothing was put. */
bool outbox_put(struct outbox *outbox, const struct message *message, uint64_t now);
bool outbox_put_answer(struct outbox *outbox, const struct message_answer *answer,
                       const struct message_block *const *blocks, uint64_t now);

/* The same for what is not told again. Without memory the outbox is lost: the process that has it
 * must end, and the one that is started in its place is told and tells everything. */
bool outbox_put_once(struct outbox *outbox, const struct message *message, uint64_t now);

/* Whether so much waits that nobody should be asked for more. */
bool outbox_is_full(const struct outbox *outbox);

/* Says that nothing more is to come soon: what waits is due. */
void outbox_hurry(struct outbox *outbox);

/* When to call outbox_flush: UINT64_MAX where that is not known, since the core does not read. */
uint64_t outbox_due(const struct outbox *outbox);

/* Sends what is due, and as much as the core takes. False: the core is gone. */
bool outbox_flush(struct outbox *outbox, uint64_t now);

/* Whoever says nothing is taken for frozen, and ended: see POLLER_SILENT_NS. So where nothing was
 * sent for OUTBOX_ALIVE_NS and nothing waits, outbox_say_alive puts a MESSAGE_ALIVE, which need not
 * wait. outbox_alive_due is when that is: UINT64_MAX while something waits. */
#define OUTBOX_ALIVE_NS (3 * NS_PER_S)
uint64_t outbox_alive_due(const struct outbox *outbox);
void outbox_say_alive(struct outbox *outbox, uint64_t now);

#endif
