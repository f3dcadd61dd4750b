#include "poller/receiver.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "snmpv3/authentic.h"
#include "snmpv3/link.h"
#include "poller/outbox.h"
#include "poller/query.h"
#include "poller/senders.h"
#include "snmpv3/session.h"
#include "report/report.h"

/* A block with its varbinds and headers is far smaller. */
#define PACKET_MAX AUTHENTIC_MAX
#define PACKETS_AT_ONCE 64 /* then the core has its turn */

/* How long a block may wait for others: each packet wakes the core. */
#define DELAY (5 * NS_PER_MS)

#define TELL NS_PER_S            /* how often the core is told what was dropped */
#define COMPLAIN (60 * NS_PER_S) /* how often the log is */

struct receiver {
    int fd, epoll, socket;
    const char *address;
    struct credential *credentials;
    struct senders senders;
    struct outbox outbox;
    netsnmp_session session;   /* what the library wants to be given; it is never opened */
    uint32_t unknown, refused; /* packets that were dropped since the core was last told */
    uint64_t tell_at;          /* 0: there is nothing to tell */
    uint64_t complained;       /* when it was last logged; 0: never */
    bool watched_for_room;     /* EPOLLOUT of the core's socket is asked for */
    bool gone;                 /* the core has ended */
    bool bad;                  /* the core sent something that is no message */
    _Alignas(8) uint8_t message[MESSAGE_PACKET_MAX];
    u_char packet[PACKET_MAX];
    u_char copy[PACKET_MAX]; /* a copy of the packet, if it may have to be opened twice */
};

/* -- From the core --------------------------------------------------------------------------- */

static bool take_receiver_message(struct receiver *receiver, const struct message *message)
{
    const void *content = message;
    switch (message->kind) {
    case MESSAGE_CREDENTIAL:
        return keys_set(&receiver->credentials,
                        &((const struct message_credential *)content)->credential) != NULL;
    case MESSAGE_SENDER:
        return senders_set(&receiver->senders, content);
    case MESSAGE_FORGET:
        senders_forget(&receiver->senders, ((const struct message_forget *)content)->id);
        return true;
    default:
        return false;
    }
}

static void read_packet(struct receiver *receiver, size_t len)
{
    const struct message *message;
    size_t at = 0;
    while (!receiver->bad && (message = message_next(receiver->message, len, &at)))
        receiver->bad = !take_receiver_message(receiver, message);
    receiver->bad |= at != len;
    explicit_bzero(receiver->message, len); /* it may have held passphrases */
}

static void read_core(struct receiver *receiver)
{
    for (int i = 0; i < PACKETS_AT_ONCE && !receiver->gone && !receiver->bad; i++) {
        ssize_t n = recv(receiver->fd, receiver->message, MESSAGE_PACKET_MAX, MSG_DONTWAIT);
        if (n > 0)
            read_packet(receiver, (size_t)n);
        else if (n == 0 || (errno != EAGAIN && errno != EINTR))
            receiver->gone = true;
        else
            break;
    }
}

/* -- What is dropped ------------------------------------------------------------------------- */

static void log_dropped(struct receiver *receiver, const char *what, const struct sockaddr *from,
                        socklen_t len, uint64_t now)
{
    char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
    if (!log_due(receiver->complained, now, COMPLAIN))
        return;
    receiver->complained = now;
    getnameinfo(from, len, host, sizeof host, port, sizeof port, NI_NUMERICHOST | NI_NUMERICSERV);
    log_warning("collect",
                "%s: a packet from %s port %s is dropped: %s (others of the next minute are only "
                "counted)",
                receiver->address, host, port, what);
}

static void tell_dropped(struct receiver *receiver, uint64_t now)
{
    const struct message_dropped message = {
        .head = {.kind = MESSAGE_DROPPED, .length = sizeof message},
        .unknown = receiver->unknown,
        .refused = receiver->refused,
    };
    receiver->tell_at = now + TELL;
    if (outbox_is_full(&receiver->outbox) || !outbox_put(&receiver->outbox, &message.head, now))
        return;
    receiver->unknown = receiver->refused = 0;
    receiver->tell_at = 0;
}

/* -- Packets --------------------------------------------------------------------------------- */

/* False: there are no keys for the engine of this sender. */
static bool make_keys(const struct sender *sender, const struct credential *credential,
                      const struct localized_keys *localized, struct keys *keys)
{
    if (!localized)
        return keys_localize(credential, sender->engine_id, sender->engine_id_len, keys);
    return localized->engine_id_len == sender->engine_id_len &&
           memcmp(localized->engine_id, sender->engine_id, sender->engine_id_len) == 0 &&
           keys_take(credential, localized, keys);
}

static netsnmp_pdu *open_by(struct receiver *receiver, struct sender *sender,
                            const struct credential *credential,
                            const struct localized_keys *localized, u_char *packet, size_t len)
{
    struct keys keys;
    if (!make_keys(sender, credential, localized, &keys))
        return NULL;
    return authentic_open(&receiver->session, &keys, sender->engine_id, sender->engine_id_len,
                          packet, len);
}

/* Returns NULL for anything that is not an authentic message of this sender. Opening a packet
 * overwrites it. */
static netsnmp_pdu *open_packet(struct receiver *receiver, struct sender *sender,
                                const struct credential *credential, size_t len)
{
    if (sender->next_keys)
        memcpy(receiver->copy, receiver->packet, len);
    netsnmp_pdu *pdu = open_by(receiver, sender, credential, sender->keys, receiver->packet, len);
    if (!pdu && sender->next_keys)
        pdu = open_by(receiver, sender, credential, sender->next_keys, receiver->copy, len);
    return pdu;
}

/* While the core does not read, blocks are dropped, because they can still be fetched. */
static void tell_block(struct receiver *receiver, const struct sender *sender,
                       const struct query_push *push, uint64_t now)
{
    union {
        struct message_pushed message;
        uint8_t room[sizeof(struct message_pushed) + REPORT_BLOCK_MAX];
    } copy = {.message = {
                  .head = {.kind = MESSAGE_PUSHED},
                  .id = sender->id,
                  .engine_id_len = sender->engine_id_len,
                  .report_boot = push->head.boot,
                  .last = push->head.last,
              }};
    copy.message.head.length = (uint32_t)(sizeof copy.message + push->len);
    memcpy(copy.message.engine_id, sender->engine_id, sender->engine_id_len);
    copy.message.block.sequence = push->sequence;
    copy.message.block.length = (uint32_t)push->len;
    memcpy(copy.message.block.bytes, push->block, push->len);
    if (!outbox_is_full(&receiver->outbox))
        outbox_put(&receiver->outbox, &copy.message.head, now);
}

/* Returns NULL, or why the packet is refused. */
static const char *take_from(struct receiver *receiver, struct sender *sender,
                             const struct envelope *envelope, size_t len, uint64_t now)
{
    const struct credential *credential = keys_find(receiver->credentials, sender->credential);
    if (!sender_may(sender, now))
        return "too many packets of this child";
    if (!credential || credential->invalid)
        return "there is no credential for this child";
    if (!authentic_is_of(envelope, credential))
        return "it is not encrypted by the user of this child";
    if (!engine_time_is_recent(&sender->time, envelope->engine_boots, envelope->engine_time, now))
        return "it is too old";
    struct query_push push;
    netsnmp_pdu *pdu = open_packet(receiver, sender, credential, len);
    if (!pdu)
        return "it is not authentic";
    engine_time_advance(&sender->time, envelope->engine_boots, envelope->engine_time, now);
    const char *why = query_read_push(pdu, &push).text;
    if (!why)
        tell_block(receiver, sender, &push, now);
    snmp_free_pdu(pdu);
    return why;
}

static void take_packet(struct receiver *receiver, size_t len, const struct sockaddr *from,
                        socklen_t from_len, uint64_t now)
{
    struct envelope envelope;
    struct sender *sender = NULL;
    if (len <= PACKET_MAX && envelope_read(receiver->packet, len, &envelope))
        sender = senders_find(&receiver->senders, envelope.engine_id, envelope.engine_id_len);
    const char *why = sender ? take_from(receiver, sender, &envelope, len, now)
                             : "it does not name the engine ID of exactly one child";
    if (!why)
        return;
    receiver->unknown += !sender;
    receiver->refused += sender != NULL;
    if (receiver->tell_at == 0)
        receiver->tell_at = now + TELL;
    log_dropped(receiver, why, from, from_len, now);
}

static void read_packets(struct receiver *receiver)
{
    for (int i = 0; i < PACKETS_AT_ONCE; i++) {
        struct sockaddr_storage from;
        socklen_t from_len = sizeof from;
        ssize_t n = recvfrom(receiver->socket, receiver->packet, PACKET_MAX,
                             MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &from_len);
        if (n < 0 && errno != EINTR)
            return;
        if (n > 0)
            take_packet(receiver, (size_t)n, (struct sockaddr *)&from, from_len, clock_mono_ns());
    }
}

/* -- The loop -------------------------------------------------------------------------------- */

static void watch_core(struct receiver *receiver, int operation)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = receiver->fd};
    receiver->watched_for_room = receiver->outbox.blocked;
    if (receiver->watched_for_room)
        event.events |= EPOLLOUT;
    epoll_ctl(receiver->epoll, operation, receiver->fd, &event);
}

/* How long to wait, in milliseconds, rounded up; -1: until something comes. */
static int wait_for(const struct receiver *receiver, uint64_t now)
{
    uint64_t until = outbox_due(&receiver->outbox), alive = outbox_alive_due(&receiver->outbox);
    until = alive < until ? alive : until;
    if (receiver->tell_at && receiver->tell_at < until)
        until = receiver->tell_at;
    if (until == UINT64_MAX)
        return -1;
    return until <= now ? 0 : (int)((until - now + NS_PER_MS - 1) / NS_PER_MS);
}

/* The core's messages are handled first: a child that was just met may push. */
static bool run_receiver_once(struct receiver *receiver)
{
    struct epoll_event events[2];
    int n = epoll_wait(receiver->epoll, events, 2, wait_for(receiver, clock_mono_ns()));
    bool packets = false;
    for (int i = 0; i < n; i++) {
        if (events[i].data.fd == receiver->fd)
            read_core(receiver);
        else
            packets = true;
    }
    if (packets)
        read_packets(receiver);
    uint64_t now = clock_mono_ns();
    if (receiver->tell_at && now >= receiver->tell_at)
        tell_dropped(receiver, now);
    outbox_say_alive(&receiver->outbox, now);
    if (!outbox_flush(&receiver->outbox, now))
        receiver->gone = true;
    if (receiver->watched_for_room != receiver->outbox.blocked)
        watch_core(receiver, EPOLL_CTL_MOD);
    return !receiver->gone && !receiver->bad && (n >= 0 || errno == EINTR);
}

/* -- The process ----------------------------------------------------------------------------- */

static bool open_sockets(struct receiver *receiver)
{
    const char *why = "";
    struct epoll_event event = {.events = EPOLLIN};
    receiver->epoll = epoll_create1(EPOLL_CLOEXEC);
    receiver->socket = link_listen(receiver->address, &why);
    if (receiver->socket < 0)
        log_error("collect", "%s: pushed blocks cannot be received there: %s", receiver->address,
                  why);
    event.data.fd = receiver->socket;
    return receiver->epoll >= 0 && receiver->socket >= 0 &&
           epoll_ctl(receiver->epoll, EPOLL_CTL_ADD, receiver->socket, &event) == 0;
}

static void stop_receiver(struct receiver *receiver)
{
    senders_free(&receiver->senders);
    keys_free(&receiver->credentials);
    outbox_free(&receiver->outbox);
    session_stop_library();
    const int fds[] = {receiver->socket, receiver->epoll, receiver->fd};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    keys_unprotect();
}

int receiver_run(int fd, const char *address)
{
    struct receiver *receiver = calloc(1, sizeof *receiver);
    if (!receiver)
        return 1;
    keys_protect();
    receiver->fd = fd;
    receiver->address = address;
    outbox_init(&receiver->outbox, fd, DELAY);
    session_start_library();
    authentic_begin(&receiver->session);
    bool open = open_sockets(receiver);
    if (open)
        watch_core(receiver, EPOLL_CTL_ADD);
    while (open && run_receiver_once(receiver))
        continue;
    int status = open && !receiver->bad ? 0 : 1;
    stop_receiver(receiver);
    free(receiver);
    return status;
}
