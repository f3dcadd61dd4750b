#include "poller/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PACKETS_MAX 8

struct outbox_packet {
    TAILQ_ENTRY(outbox_packet) link;
    size_t used;
    _Alignas(8) uint8_t octets[MESSAGE_PACKET_MAX];
};

void outbox_init(struct outbox *outbox, int fd, uint64_t delay)
{
    *outbox = (struct outbox){.fd = fd, .delay = delay};
    TAILQ_INIT(&outbox->packets);
}

static void drop_sent(struct outbox *outbox)
{
    struct outbox_packet *packet = TAILQ_FIRST(&outbox->packets);
    TAILQ_REMOVE(&outbox->packets, packet, link);
    outbox->n--;
    free(packet);
}

void outbox_free(struct outbox *outbox)
{
    while (!TAILQ_EMPTY(&outbox->packets))
        drop_sent(outbox);
}

static struct outbox_packet *add_packet(struct outbox *outbox)
{
    struct outbox_packet *packet = malloc(sizeof *packet);
    if (!packet)
        return NULL;
    packet->used = 0;
    TAILQ_INSERT_TAIL(&outbox->packets, packet, link);
    outbox->n++;
    return packet;
}

static struct outbox_packet *last_packet(struct outbox *outbox)
{
    struct outbox_packet *last = TAILQ_LAST(&outbox->packets, outbox_packets);
    return last ? last : add_packet(outbox);
}

static void note_time(struct outbox *outbox, uint64_t now)
{
    if (outbox->since == 0)
        outbox->since = now;
}

bool outbox_put(struct outbox *outbox, const struct message *message, uint64_t now)
{
    struct outbox_packet *packet = last_packet(outbox);
    if (!packet)
        return false;
    if (!message_put(packet->octets, &packet->used, message)) {
        packet = add_packet(outbox);
        if (!packet || !message_put(packet->octets, &packet->used, message))
            return false;
    }
    note_time(outbox, now);
    return true;
}

bool outbox_put_once(struct outbox *outbox, const struct message *message, uint64_t now)
{
    bool put = outbox_put(outbox, message, now);
    outbox->lost |= !put;
    return put;
}

/* The blocks of one answer are far smaller than a packet. What does not fit is put into a new
 * packet as a whole, so that no half of an answer has to be taken back. */
bool outbox_put_answer(struct outbox *outbox, const struct message_answer *answer,
                       const struct message_block *const *blocks, uint64_t now)
{
    struct outbox_packet *packet = last_packet(outbox);
    if (!packet)
        return false;
    size_t before = packet->used;
    size_t n = message_put_answer(packet->octets, &packet->used, answer, blocks);
    if (packet->used == before || n < answer->n_blocks) {
        packet->used = before;
        packet = add_packet(outbox);
        if (!packet ||
            message_put_answer(packet->octets, &packet->used, answer, blocks) < answer->n_blocks)
            return false;
    }
    note_time(outbox, now);
    return true;
}

bool outbox_is_full(const struct outbox *outbox)
{
    return outbox->n >= PACKETS_MAX;
}

uint64_t outbox_due(const struct outbox *outbox)
{
    if (outbox->since == 0 || outbox->blocked)
        return UINT64_MAX;
    return outbox->n > 1 || outbox->hurry ? outbox->since : outbox->since + outbox->delay;
}

void outbox_hurry(struct outbox *outbox)
{
    outbox->hurry = outbox->since != 0;
}

bool outbox_flush(struct outbox *outbox, uint64_t now)
{
    outbox->blocked = false;
    while (now >= outbox_due(outbox)) {
        struct outbox_packet *packet = TAILQ_FIRST(&outbox->packets);
        ssize_t n = packet->used ? send(outbox->fd, packet->octets, packet->used,
                                        MSG_DONTWAIT | MSG_NOSIGNAL)
                                 : 0;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && (errno == EAGAIN || errno == ENOBUFS || errno == ENOMEM)) {
            outbox->blocked = true;
            break;
        }
        if (n < 0)
            return false;
        drop_sent(outbox);
        outbox->sent = now;
        if (TAILQ_EMPTY(&outbox->packets)) {
            outbox->since = 0;
            outbox->hurry = false;
        }
    }
    return true;
}

uint64_t outbox_alive_due(const struct outbox *outbox)
{
    return outbox->since == 0 ? outbox->sent + OUTBOX_ALIVE_NS : UINT64_MAX;
}

void outbox_say_alive(struct outbox *outbox, uint64_t now)
{
    const struct message alive = {.kind = MESSAGE_ALIVE, .length = sizeof alive};
    if (now >= outbox_alive_due(outbox) && outbox_put(outbox, &alive, now))
        outbox_hurry(outbox);
}
