#include "director/hearing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"

#define PACKETS_AT_ONCE 64 /* then others have their turn */
#define ENGINE_ID_MIN 5    /* octets; RFC 3411, SnmpEngineID */

/* When a port that somebody else has is tried again. */
#define AGAIN (5 * NS_PER_S)
#define COMPLAIN (60 * NS_PER_S)

/* -- The socket ------------------------------------------------------------------------------ */

void hearing_stop(struct director *director)
{
    struct hearing *hearing = &director->hearing;
    if (hearing->is_open)
        close(hearing->socket); /* this also removes it from the epoll set */
    hearing->is_open = false;
    hearing->address[0] = '\0';
}

static bool open_socket(struct director *director, const char **why)
{
    struct hearing *hearing = &director->hearing;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = hearing};
    authentic_begin(&hearing->session);
    hearing->socket = link_listen(hearing->address, why);
    hearing->is_open = hearing->socket >= 0;
    if (!hearing->is_open ||
        epoll_ctl(director->roster.nodes.epoll, EPOLL_CTL_ADD, hearing->socket, &event) == 0)
        return hearing->is_open;
    *why = strerror(errno);
    close(hearing->socket);
    hearing->is_open = false;
    return false;
}

static void say_fault(struct director *director, const char *why, uint64_t now)
{
    struct hearing *hearing = &director->hearing;
    if (strcmp(hearing->fault, why) != 0)
        director_log(director, LOG_LEVEL_ERROR, now,
                     "%s: nodes that announce themselves cannot be heard there: %s; it is tried "
                     "again every 5 s",
                     hearing->address, why);
    text_format(hearing->fault, sizeof hearing->fault, "%s", why);
}

uint64_t hearing_step(struct director *director, uint64_t now)
{
    struct hearing *hearing = &director->hearing;
    const char *wanted = director->tree ? director->tree->announcements.listen : "", *why = "";
    if (strcmp(wanted, hearing->address) != 0) {
        hearing_stop(director);
        text_format(hearing->address, sizeof hearing->address, "%s", wanted);
        hearing->fault[0] = '\0';
        hearing->due_ns = now;
    }
    if (!wanted[0] || hearing->is_open)
        return UINT64_MAX;
    if (now < hearing->due_ns)
        return hearing->due_ns;
    if (open_socket(director, &why)) {
        director_log(director, LOG_LEVEL_INFO, now, "%s: nodes may announce themselves there",
                     hearing->address);
        hearing->fault[0] = '\0';
        return UINT64_MAX;
    }
    say_fault(director, why, now);
    hearing->due_ns = now + AGAIN;
    return hearing->due_ns;
}

/* -- Where a packet comes from --------------------------------------------------------------- */

struct source {
    const void *octets;
    size_t len;
    char host[INET6_ADDRSTRLEN];
};

static bool find_source(const struct sockaddr_storage *from, struct source *source)
{
    const struct sockaddr_in *ipv4 = (const void *)from;
    const struct sockaddr_in6 *ipv6 = (const void *)from;
    *source = (struct source){.octets = &ipv4->sin_addr, .len = 4};
    if (from->ss_family == AF_INET6)
        *source = (struct source){.octets = &ipv6->sin6_addr, .len = 16};
    return inet_ntop(from->ss_family, source->octets, source->host, sizeof source->host) != NULL;
}

/* Writes the address in the form of range_address. */
static void make_address(const struct source *source, uint32_t port,
                         char address[PEER_ADDRESS_SIZE])
{
    text_format(address, PEER_ADDRESS_SIZE, source->len == 4 ? "udp:%s:%u" : "udp6:[%s]:%u",
                source->host, (unsigned)port);
}

/* -- Packets --------------------------------------------------------------------------------- */

static netsnmp_pdu *open_by(struct director *director, const struct credential *credential,
                            const struct envelope *envelope, u_char *packet, size_t len)
{
    struct hearing *hearing = &director->hearing;
    struct keys keys;
    u_char copy[AUTHENTIC_MAX]; /* opening a packet overwrites it */
    if (!credential || credential->invalid || !authentic_is_of(envelope, credential) ||
        !keys_localize(credential, envelope->engine_id, envelope->engine_id_len, &keys))
        return NULL;
    memcpy(copy, packet, len);
    director->roster.nodes.discoveries++; /* it takes as much memory as an answer to a discovery */
    return authentic_open(&hearing->session, &keys, envelope->engine_id, envelope->engine_id_len,
                          copy, len);
}

/* While keys are changed, a node has either the old or the new ones. */
static netsnmp_pdu *open_packet(struct director *director, const struct envelope *envelope,
                                u_char *packet, size_t len)
{
    struct credential *all = director->credentials;
    netsnmp_pdu *pdu = open_by(director, keys_find(all, "poll"), envelope, packet, len);
    return pdu ? pdu : open_by(director, keys_find(all, "next poll"), envelope, packet, len);
}

/* A node that is known already is asked when its own time comes, unless it was lost. */
static void take_announcement(struct director *director, const struct source *source,
                              const struct look_announcement *announcement, uint64_t now)
{
    char address[PEER_ADDRESS_SIZE];
    bool has_wish = strcmp(announcement->group, "default") != 0;
    make_address(source, announcement->port, address);
    struct node *node = roster_find(&director->roster, address);
    if (node && target_is_lost(&node->target)) {
        target_hurry(&node->target);
        node->is_hurried = director->hurried = true;
    }
    if (node && !node->is_leaving)
        return;
    director_log(director, LOG_LEVEL_DEBUG, now, "\"%s\" has announced itself at %s",
                 announcement->name, address);
    announced_hear(&director->announced, address, has_wish ? announcement->group : "", now);
}

/* Returns NULL, or why the packet is dropped. */
static const char *take_authentic(struct director *director, const struct source *source,
                                  const struct envelope *envelope, size_t len, uint64_t now)
{
    struct look_announcement announcement;
    netsnmp_pdu *pdu = open_packet(director, envelope, director->hearing.packet, len);
    if (!pdu)
        return "it is not authentic, or not encrypted by the user that polls";
    const char *why = look_read_announcement(pdu, &announcement).text;
    snmp_free_pdu(pdu);
    if (!why)
        take_announcement(director, source, &announcement, now);
    return why;
}

static const char *take_packet(struct director *director, const struct source *source, size_t len,
                               uint64_t now)
{
    const struct tree_config *tree = director->tree;
    char address[PEER_ADDRESS_SIZE];
    struct envelope envelope;
    make_address(source, 0, address);
    if (!member_may_announce(tree, address))
        return "it is in none of the networks that <announcements> has";
    if (!announced_may(&director->announced, source->octets, source->len, now))
        return "there are too many";
    if (len > AUTHENTIC_MAX || !envelope_read(director->hearing.packet, len, &envelope) ||
        envelope.engine_id_len < ENGINE_ID_MIN || envelope.engine_id_len > ENGINE_ID_MAX)
        return "it is no SNMPv3 message";
    if (tree_revokes(tree, envelope.engine_id, envelope.engine_id_len))
        return "its keys are revoked by the tree document";
    return take_authentic(director, source, &envelope, len, now);
}

static void say_dropped(struct director *director, const struct source *source, const char *why,
                        uint64_t now)
{
    struct hearing *hearing = &director->hearing;
    hearing->dropped++;
    if (!log_due(hearing->complained_ns, now, COMPLAIN))
        return;
    hearing->complained_ns = now;
    director_log(director, LOG_LEVEL_WARNING, now,
                 "%s: an announcement from %s is dropped: %s (%" PRIu64
                 " so far; others of the next minute are only counted)",
                 hearing->address, source->host, why, hearing->dropped);
}

void hearing_read(struct director *director, uint64_t now)
{
    struct hearing *hearing = &director->hearing;
    for (int i = 0; i < PACKETS_AT_ONCE && hearing->is_open; i++) {
        struct sockaddr_storage from;
        struct source source;
        socklen_t from_len = sizeof from;
        ssize_t n = recvfrom(hearing->socket, hearing->packet, sizeof hearing->packet,
                             MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &from_len);
        if (n < 0 && errno != EINTR)
            return;
        if (n <= 0 || !director->tree || !find_source(&from, &source))
            continue;
        const char *why = take_packet(director, &source, (size_t)n, now);
        if (why)
            say_dropped(director, &source, why, now);
    }
}
