#include "agent/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "agent/master.h"

/* Net-SNMP's codec for AgentX. It is exported by libnetsnmpagent since 4.2; its header,
 * agentx/protocol.h, is not installed. */
int agentx_parse(netsnmp_session *session, netsnmp_pdu *pdu, u_char *data, size_t len);
int agentx_realloc_build(netsnmp_session *session, netsnmp_pdu *pdu, u_char **buffer,
                         size_t *buffer_len, size_t *out_len);
int agentx_check_packet(u_char *packet, size_t len);

#define HEADER_LEN 20 /* RFC 2741, section 6.1 */
#define FIRST_ROOM ((size_t)4096)
#define LARGEST_PACKET ((size_t)1 << 16) /* the codec takes no larger one */

#define GATHERED ((size_t)1 << 14) /* once so many octets wait, they are sent */

struct wire_buffer {
    u_char *octets;
    size_t len, room;
};

struct wire {
    int fd;
    netsnmp_session session; /* tells the codec the version */
    struct wire_buffer in;
    struct wire_buffer out; /* one packet, which the codec builds at the beginning of a buffer */
    struct wire_buffer waiting; /* packets that are sent later, while gathers is set */
    bool gathers;
};

/* A master that does not read must not hold the caller for ever. */
static void limit_sends(int fd)
{
    struct timeval limit = {.tv_sec = 2};
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
}

struct wire *wire_open(const char *address, int *error)
{
    struct wire *wire = calloc(1, sizeof *wire);
    *error = ENOMEM;
    if (!wire)
        return NULL;
    wire->fd = -1;
    wire->in.octets = malloc(FIRST_ROOM);
    wire->out.octets = malloc(FIRST_ROOM);
    wire->waiting.octets = malloc(FIRST_ROOM);
    wire->in.room = wire->out.room = wire->waiting.room = FIRST_ROOM;
    snmp_sess_init(&wire->session); /* the first time, it initializes the library, too */
    wire->session.version = AGENTX_SESSION_VERSION;
    if (wire->in.octets && wire->out.octets && wire->waiting.octets)
        wire->fd = master_connect(address, error);
    if (wire->fd < 0) {
        wire_close(wire);
        return NULL;
    }
    limit_sends(wire->fd);
    return wire;
}

void wire_close(struct wire *wire)
{
    if (wire->fd >= 0)
        close(wire->fd);
    free(wire->in.octets);
    free(wire->out.octets);
    free(wire->waiting.octets);
    free(wire);
}

int wire_fd(const struct wire *wire)
{
    return wire->fd;
}

/* The length of the first packet in the buffer; 0 while that is not known. */
static size_t packet_length(const struct wire_buffer *in)
{
    if (in->len < HEADER_LEN)
        return 0;
    int len = agentx_check_packet(in->octets, in->len);
    return len < HEADER_LEN ? SIZE_MAX : (size_t)len;
}

static bool make_buffer_room(struct wire_buffer *buffer, size_t needed)
{
    if (needed <= buffer->room)
        return true;
    u_char *larger = realloc(buffer->octets, needed);
    if (!larger)
        return false;
    buffer->octets = larger;
    buffer->room = needed;
    return true;
}

static bool take_packet(struct wire *wire, size_t len, wire_take *take, void *context)
{
    netsnmp_pdu *pdu = snmp_pdu_create(0);
    bool ok = pdu && agentx_parse(&wire->session, pdu, wire->in.octets, len) == SNMPERR_SUCCESS;
    if (ok)
        ok = take(context, pdu);
    snmp_free_pdu(pdu);
    return ok;
}

static bool take_packets(struct wire *wire, wire_take *take, void *context)
{
    struct wire_buffer *in = &wire->in;
    size_t len;
    while ((len = packet_length(in)) > 0 && len <= in->len) {
        if (!take_packet(wire, len, take, context))
            return false;
        in->len -= len;
        memmove(in->octets, in->octets + len, in->len);
    }
    return len <= LARGEST_PACKET && make_buffer_room(in, len);
}

static bool send_all(int fd, const u_char *octets, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, octets, len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        octets += n;
        len -= (size_t)n;
    }
    return true;
}

static bool send_waiting(struct wire *wire)
{
    struct wire_buffer *waiting = &wire->waiting;
    size_t len = waiting->len;
    waiting->len = 0;
    return send_all(wire_fd(wire), waiting->octets, len);
}

/* If there is no memory, the packet is sent at once. */
static bool add_waiting(struct wire *wire, const struct wire_buffer *packet)
{
    struct wire_buffer *waiting = &wire->waiting;
    if (!make_buffer_room(waiting, waiting->len + packet->len))
        return send_waiting(wire) && send_all(wire_fd(wire), packet->octets, packet->len);
    memcpy(waiting->octets + waiting->len, packet->octets, packet->len);
    waiting->len += packet->len;
    return waiting->len < GATHERED || send_waiting(wire);
}

/* The answers to all of them go out together: a master that many ask at once sends its requests one
 * behind the other, and each answer that came alone would wake it. */
static const char *answer_packets(struct wire *wire, wire_take *take, void *context)
{
    wire->gathers = true;
    bool readable = take_packets(wire, take, context);
    wire->gathers = false;
    if (!send_waiting(wire))
        return "the master does not take what is sent";
    return readable ? NULL : "the master sent what cannot be read";
}

const char *wire_read(struct wire *wire, wire_take *take, void *context)
{
    struct wire_buffer *in = &wire->in;
    ssize_t n = recv(wire_fd(wire), in->octets + in->len, in->room - in->len, MSG_DONTWAIT);
    if (n == 0)
        return "the master closed the connection";
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? NULL : "the connection to the master broke";
    in->len += (size_t)n;
    return answer_packets(wire, take, context);
}

bool wire_send(struct wire *wire, netsnmp_pdu *pdu)
{
    struct wire_buffer *out = &wire->out;
    out->len = 0;
    bool ok = agentx_realloc_build(&wire->session, pdu, &out->octets, &out->room, &out->len) ==
              SNMPERR_SUCCESS;
    snmp_free_pdu(pdu);
    if (!ok)
        return false;
    return wire->gathers ? add_waiting(wire, out) : send_all(wire_fd(wire), out->octets, out->len);
}
