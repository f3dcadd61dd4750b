#include "outlets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "unit.h"

void played_open(struct played *played, const char *kind, enum outlet_mode mode)
{
    *played = (struct played){.fd = -1, .not_yet = UINT32_MAX, .nameless = UINT32_MAX};
    played->sink.head = (struct message){OUTLET_SINK, sizeof played->sink};
    strcpy(played->sink.name, "test");
    strcpy(played->sink.kind, kind);
    played->sink.mode = mode;
}

struct played_stream *played_stream(struct played *played, const char *path, uint32_t boot,
                                    struct report_ring *ring)
{
    assert_true(played->n < PLAYED_STREAMS);
    struct played_stream *stream = &played->stream[played->n++];
    *stream =
        (struct played_stream){.id = (uint32_t)played->n, .boot = boot, .path = path, .ring = ring};
    return stream;
}

int played_connect(struct played *played)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    played_accept(played, pair[0]);
    return pair[1];
}

void played_accept(struct played *played, int fd)
{
    played_disconnect(played);
    played->fd = fd;
}

void played_disconnect(struct played *played)
{
    if (played->fd >= 0)
        close(played->fd);
    played->fd = -1;
    played->n_cursors = played->out_used = 0;
    played->has_begun = false;
    played->state = (struct outlet_state){0};
    for (size_t i = 0; i < played->n; i++) {
        played->stream[i].id += 100;
        played->stream[i].is_told = false;
        played->stream[i].sent = 0;
    }
}

/* False: the socket is full, or the other side is gone. */
static bool try_to_send(const struct played *played, const void *packet, size_t used)
{
    return send(played->fd, packet, used, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)used;
}

void played_send(const struct played *played, const struct message *message)
{
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
    size_t used = 0;
    assert_true(message_put(packet, &used, message));
    assert_true(try_to_send(played, packet, used));
}

/* -- What is said ---------------------------------------------------------------------------- */

/* False: the socket is full. */
static bool flush(struct played *played)
{
    if (played->out_used > 0 && !try_to_send(played, played->out, played->out_used))
        return false;
    played->out_used = 0;
    return true;
}

/* False: it has no room. */
static bool put(struct played *played, const struct message *message)
{
    return message_put(played->out, &played->out_used, message) ||
           (flush(played) && message_put(played->out, &played->out_used, message));
}

static void tell_name(struct played *played, uint32_t stream, uint32_t series)
{
    struct outlet_name name = {.head = {OUTLET_NAME, sizeof name},
                               .stream = stream,
                               .series = series,
                               .answer = series >= played->nameless  ? OUTLET_NAMELESS
                                         : series >= played->not_yet ? OUTLET_NOT_YET
                                                                     : OUTLET_NAMED};
    if (name.answer == OUTLET_NAMED) {
        snprintf(name.sensor, sizeof name.sensor, "s%u", series % 100);
        snprintf(name.instance, sizeof name.instance, "i%u", series / 100);
        strcpy(name.metric, "metric");
        strcpy(name.unit, "1");
    }
    assert_true(put(played, &name.head));
}

static uint32_t cursor_of(const struct played *played, const struct played_stream *stream)
{
    for (size_t i = 0; i < played->n_cursors && !played->forgets; i++)
        if (strcmp(played->cursor[i].path, stream->path) == 0 &&
            played->cursor[i].boot == stream->boot)
            return played->cursor[i].next;
    return 0;
}

/* False: it has no room. */
static bool tell_stream(struct played *played, struct played_stream *stream)
{
    struct outlet_stream told = {
        .head = {OUTLET_STREAM, sizeof told}, .stream = stream->id, .boot = stream->boot};
    uint32_t next = cursor_of(played, stream);
    stream->sent = next > stream->ring->first ? next - 1 : stream->ring->first - 1;
    told.first = stream->sent + 1;
    strcpy(told.path, stream->path);
    strcpy(told.name, stream->path[0] ? stream->path : "own");
    stream->is_told = put(played, &told.head);
    return stream->is_told;
}

/* False: it has no room. */
static bool tell_block(struct played *played, struct played_stream *stream)
{
    union {
        struct outlet_block block;
        uint8_t room[sizeof(struct outlet_block) + REPORT_BLOCK_MAX];
    } message = {.block = {.stream = stream->id, .number = stream->sent + 1}};
    const uint32_t number = stream->sent + 1;
    const struct index_node *node = index_find(&stream->ring->index, &number, 1);
    const struct report_block *kept = (const void *)node;
    assert_non_null(kept);
    message.block.head =
        (struct message){OUTLET_BLOCK, (uint32_t)(sizeof message.block + kept->len)};
    memcpy(message.block.octets, kept->bytes, kept->len);
    if (!put(played, &message.block.head))
        return false;
    stream->sent++;
    return true;
}

static void tell_blocks(struct played *played)
{
    for (size_t i = 0; i < played->n; i++) {
        struct played_stream *stream = &played->stream[i];
        if (stream->ring->last == 0)
            continue;
        if (!stream->is_told && !tell_stream(played, stream))
            continue;
        while (stream->sent < stream->ring->last && tell_block(played, stream)) {
        }
    }
}

/* -- What comes ------------------------------------------------------------------------------ */

static void take_done(struct played *played, const struct outlet_done *done)
{
    for (size_t i = 0; i < played->n; i++) {
        struct played_stream *stream = &played->stream[i];
        if (stream->id != done->stream)
            continue;
        assert_true(done->number >= stream->done || played->forgets);
        stream->done = done->number;
        stream->done_ms = done->wall_ms;
    }
}

static void take_cursor(struct played *played, const struct outlet_cursor *cursor)
{
    assert_true(played->n_cursors < PLAYED_CURSORS);
    assert_false(played->has_begun);
    played->cursor[played->n_cursors++] = *cursor;
}

static void take(struct played *played, const struct message *message)
{
    const struct outlet_look_up *look_up = (const void *)message;
    if (message->kind == OUTLET_HELLO)
        assert_true(put(played, &played->sink.head));
    else if (message->kind == OUTLET_CURSOR)
        take_cursor(played, (const void *)message);
    else if (message->kind == OUTLET_BEGIN)
        played->has_begun = true;
    else if (message->kind == OUTLET_DONE)
        take_done(played, (const void *)message);
    else if (message->kind == OUTLET_STATE)
        played->state = *(const struct outlet_state *)(const void *)message;
    else
        for (uint32_t i = 0; i < look_up->n; i++) {
            played->n_asked++;
            if (!played->is_silent)
                tell_name(played, look_up->stream, look_up->series[i]);
        }
}

bool played_serve(struct played *played)
{
    _Alignas(8) uint8_t packet[MESSAGE_PACKET_MAX];
    const struct message *message;
    ssize_t n = -1;
    errno = EAGAIN;
    while (flush(played) && (n = recv(played->fd, packet, sizeof packet, MSG_DONTWAIT)) > 0) {
        size_t at = 0;
        while ((message = outlet_next_from_publisher(packet, (size_t)n, &at)))
            take(played, message);
        assert_int_equal(at, n);
    }
    if (n == 0 || errno != EAGAIN)
        return false;
    if (played->has_begun && played->out_used == 0)
        tell_blocks(played);
    flush(played);
    return true;
}
