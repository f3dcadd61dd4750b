#include "outlet/publisher.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.h"
#include "outlet/reader.h"

#define OWN_STREAM 1

/* How many packets of one publisher are heard in one turn. */
#define HEARD_MAX 8

_Static_assert(OWN_STREAM < BACKLOG_STREAM_MIN, "streams have different numbers");
_Static_assert(OUTLET_LOOK_UP_MAX *(sizeof(struct outlet_name) + 8) <= MESSAGE_PACKET_MAX,
               "an answer is one packet");

static void lock(const struct outlet *outlet)
{
    outlet->neighbours.lock(outlet->neighbours.context);
}

static void unlock(const struct outlet *outlet)
{
    outlet->neighbours.unlock(outlet->neighbours.context);
}

static void end(struct outlet_publisher *publisher, const char *why, bool says_why)
{
    if (publisher->ends)
        return;
    publisher->ends = why;
    publisher->says_why = says_why;
}

/* -- What it says ----------------------------------------------------------------------------- */

static struct outlet_sink_row *find_sink(const struct outlet *outlet, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct outlet_sink_row *)index_find(&outlet->sinks, key, index_key_text(key, name));
}

static void say_sink(struct outlet_publisher *publisher, const struct outlet_sink_row *row)
{
    struct outlet_sink sink = row->settings;
    sink.head = (struct message){.kind = OUTLET_SINK, .length = sizeof sink};
    message_put(publisher->out, &publisher->out_used, &sink.head);
}

/* A process has begun and counts from 0. It reports the state of the sink itself; until then the
 * state is what it was, so that a process that soon dies is not taken for a sink that is up
 * again. */
static void begin_state(struct outlet_state *state)
{
    struct outlet_state begun = {.state = state->state};
    memcpy(begun.error, state->error, sizeof begun.error);
    *state = begun;
}

/* Makes the sink this process's own. */
static void take_sink(struct outlet *outlet, struct outlet_publisher *publisher, const char *name)
{
    struct outlet_sink_row *row = find_sink(outlet, name);
    struct outlet_publisher *other;
    if (!row) {
        end(publisher, "there is no such sink any more", false);
        return;
    }
    TAILQ_FOREACH(other, &outlet->publishers, link)
    {
        if (other->row != row)
            continue;
        if (!other->ends) {
            end(publisher, "another process works for its sink", true);
            return;
        }
        other->row = NULL;
    }
    publisher->row = row;
    memcpy(publisher->sink, row->settings.name, sizeof publisher->sink);
    publisher->stage = PUBLISHER_CURSORS;
    row->connected = true;
    row->since_ns = publisher->began_ns;
    begin_state(&row->state);
    say_sink(publisher, row);
}

static void take_hello(struct outlet *outlet, struct outlet_publisher *publisher,
                       const struct outlet_hello *hello)
{
    if (hello->version != OUTLET_VERSION) {
        end(publisher, "it is of another version", true);
    } else if (hello->sink[0]) {
        take_sink(outlet, publisher, hello->sink);
    } else {
        publisher->stage = PUBLISHER_HEARS;
        publisher->tells_sinks = true;
    }
}

static void take_cursor(struct outlet *outlet, struct outlet_publisher *publisher,
                        const struct outlet_cursor *cursor)
{
    if (!cursor->path[0]) {
        if (cursor->boot == outlet->boot)
            publisher->own_cursor = cursor->next > 0 ? cursor->next : 1;
    } else if (!cursors_add(&publisher->reader.cursors, cursor->path, cursor->engine_id,
                            cursor->engine_id_len, cursor->boot, cursor->next)) {
        end(publisher, "there is no memory for its cursors, or there are too many", true);
    }
}

/* A cursor behind the last block means that the state of this node was lost, and it counts anew. */
static void take_begin(struct outlet *outlet, struct outlet_publisher *publisher)
{
    const struct report_ring *report = outlet->report;
    publisher->own_next = publisher->own_cursor;
    if (publisher->own_next == 0 || publisher->own_next > report->last + UINT64_C(1))
        publisher->own_next = report->first > 0 ? report->first : 1;
    if (backlog_add_reader(&outlet->backlog, &publisher->reader))
        publisher->stage = PUBLISHER_TAKES;
    else
        end(publisher, "there is no memory for it", true);
}

static enum outlet_answer name_own(const struct outlet *outlet, uint32_t series,
                                   struct outlet_name *name)
{
    const struct dictionary_entry *entry =
        (const void *)index_find(&outlet->dictionary->by_number, &series, 1);
    if (!entry)
        return OUTLET_NAMELESS;
    if (entry->is_relayed)
        return OUTLET_ELSEWHERE;
    text_format(name->sensor, sizeof name->sensor, "%s", entry->sensor);
    text_format(name->instance, sizeof name->instance, "%s", entry->instance);
    text_format(name->metric, sizeof name->metric, "%s", entry->metric);
    text_format(name->unit, sizeof name->unit, "%s", entry->unit);
    return OUTLET_NAMED;
}

static enum outlet_answer name_series(const struct outlet *outlet, uint32_t number, uint32_t series,
                                      struct outlet_name *name)
{
    if (number == OWN_STREAM)
        return name_own(outlet, series, name);
    const struct backlog_stream *stream = backlog_stream(&outlet->backlog, number);
    if (!stream || stream->is_over)
        return OUTLET_NAMELESS;
    return outlet->neighbours.look_up(outlet->neighbours.context, stream->child, series, name);
}

static void take_look_up(const struct outlet *outlet, struct outlet_publisher *publisher,
                         const struct outlet_look_up *ask)
{
    for (uint32_t i = 0; i < ask->n; i++) {
        struct outlet_name name = {
            .head = {.kind = OUTLET_NAME, .length = sizeof name},
            .stream = ask->stream,
            .series = ask->series[i],
        };
        name.answer = name_series(outlet, ask->stream, ask->series[i], &name);
        message_put(publisher->out, &publisher->out_used, &name.head);
    }
}

static void take_done(struct outlet_publisher *publisher, const struct outlet_done *done)
{
    if (publisher->row && done->wall_ms > publisher->row->confirmed_ms)
        publisher->row->confirmed_ms = done->wall_ms;
}

static void take_state(struct outlet_publisher *publisher, const struct outlet_state *state)
{
    if (!publisher->row)
        return;
    publisher->row->state = *state;
    text_clean(publisher->row->state.error, sizeof publisher->row->state.error, '?');
}

/* How much room the answer may take, including the padding of each message. */
static size_t room_for(const struct message *message)
{
    if (message->kind == OUTLET_HELLO)
        return sizeof(struct outlet_sink) + 8;
    if (message->kind == OUTLET_LOOK_UP)
        return ((const struct outlet_look_up *)message)->n * (sizeof(struct outlet_name) + 8);
    return 0;
}

/* Whether that message may come at this stage. */
static bool is_in_order(const struct outlet_publisher *publisher, uint32_t kind)
{
    switch (publisher->stage) {
    case PUBLISHER_HELLO:
        return kind == OUTLET_HELLO;
    case PUBLISHER_CURSORS:
        return kind == OUTLET_CURSOR || kind == OUTLET_BEGIN || kind == OUTLET_STATE;
    case PUBLISHER_TAKES:
        return kind == OUTLET_LOOK_UP || kind == OUTLET_DONE || kind == OUTLET_STATE;
    case PUBLISHER_HEARS:
        return false;
    }
    return false;
}

static void take(struct outlet *outlet, struct outlet_publisher *publisher,
                 const struct message *message)
{
    switch (message->kind) {
    case OUTLET_HELLO:
        take_hello(outlet, publisher, (const void *)message);
        break;
    case OUTLET_CURSOR:
        take_cursor(outlet, publisher, (const void *)message);
        break;
    case OUTLET_BEGIN:
        take_begin(outlet, publisher);
        break;
    case OUTLET_LOOK_UP:
        take_look_up(outlet, publisher, (const void *)message);
        break;
    case OUTLET_DONE:
        take_done(publisher, (const void *)message);
        break;
    default:
        take_state(publisher, (const void *)message);
    }
}

/* Takes what the publisher has said, as far as there is room for the answers. Under the lock. */
static void take_packet(struct outlet *outlet, struct outlet_publisher *publisher)
{
    const struct message *message;
    while (!publisher->ends) {
        size_t at = publisher->in_at;
        message = outlet_next_from_publisher(publisher->in, publisher->in_used, &at);
        if (!message || !is_in_order(publisher, message->kind)) {
            if (message || publisher->in_at < publisher->in_used)
                end(publisher, "what it says makes no sense", true);
            return;
        }
        if (room_for(message) > MESSAGE_PACKET_MAX - publisher->out_used)
            return;
        take(outlet, publisher, message);
        publisher->in_at = at;
    }
}

/* False: nothing came. */
static bool receive(struct outlet_publisher *publisher)
{
    ssize_t n = recv(publisher->fd, publisher->in, MESSAGE_PACKET_MAX, MSG_DONTWAIT | MSG_TRUNC);
    publisher->in_at = publisher->in_used = 0;
    if (n > 0 && n <= MESSAGE_PACKET_MAX) {
        publisher->in_used = (size_t)n;
        return true;
    }
    publisher->readable = n < 0 && errno == EINTR;
    if (n > MESSAGE_PACKET_MAX)
        end(publisher, "what it says makes no sense", true);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        end(publisher, "it has ended", false);
    return false;
}

/* A new publisher may take the place of one whose process has ended, even before that end was read
 * from its socket. */
static void make_way(struct outlet *outlet, const struct outlet_publisher *publisher)
{
    size_t at = publisher->in_at;
    const struct message *message =
        outlet_next_from_publisher(publisher->in, publisher->in_used, &at);
    struct outlet_publisher *other;
    if (publisher->stage != PUBLISHER_HELLO || !message || message->kind != OUTLET_HELLO)
        return;
    TAILQ_FOREACH(other, &outlet->publishers, link)
    {
        struct pollfd it = {.fd = other->fd};
        if (other->row && strcmp(other->sink, ((const struct outlet_hello *)message)->sink) == 0 &&
            poll(&it, 1, 0) > 0 && it.revents & (POLLHUP | POLLERR))
            end(other, "it has ended", false);
    }
}

static void hear(struct outlet *outlet, struct outlet_publisher *publisher)
{
    for (int i = 0; i < HEARD_MAX && !publisher->ends; i++) {
        if (publisher->in_at == publisher->in_used && (!publisher->readable || !receive(publisher)))
            return;
        make_way(outlet, publisher);
        lock(outlet);
        take_packet(outlet, publisher);
        unlock(outlet);
        if (publisher->in_at < publisher->in_used)
            return; /* until the answers so far have been sent */
    }
}

/* -- What it is told -------------------------------------------------------------------------- */

/* Each returns false if the packet is full. */

static bool put_sinks(const struct outlet *outlet, struct outlet_publisher *publisher)
{
    const struct message is_all = {.kind = OUTLET_SINKS_END, .length = sizeof is_all};
    size_t i = 0;
    if (!publisher->tells_sinks)
        return true;
    for (struct index_node *node = index_first(&outlet->sinks); node; node = index_next(node)) {
        if (i++ < publisher->sinks_told)
            continue;
        if (MESSAGE_PACKET_MAX - publisher->out_used < sizeof(struct outlet_sink) + 8)
            return false;
        say_sink(publisher, (const struct outlet_sink_row *)node);
        publisher->sinks_told++;
    }
    if (!message_put(publisher->out, &publisher->out_used, &is_all))
        return false;
    publisher->tells_sinks = false;
    publisher->sinks_told = 0;
    return true;
}

static bool put_stream(struct outlet_publisher *publisher, struct outlet_stream *stream)
{
    stream->head = (struct message){.kind = OUTLET_STREAM, .length = sizeof *stream};
    return message_put(publisher->out, &publisher->out_used, &stream->head);
}

static bool put_block(struct outlet_publisher *publisher, uint32_t stream, uint32_t number,
                      const uint8_t *octets, size_t len)
{
    struct outlet_block block = {.head.kind = OUTLET_BLOCK, .stream = stream, .number = number};
    return message_put_octets(publisher->out, &publisher->out_used, &block.head, sizeof block,
                              octets, len);
}

static bool put_lost(struct outlet_publisher *publisher, uint32_t stream, uint32_t first,
                     uint32_t last)
{
    const struct outlet_lost lost = {.head = {.kind = OUTLET_LOST, .length = sizeof lost},
                                     .stream = stream,
                                     .first = first,
                                     .last = last};
    if (!message_put(publisher->out, &publisher->out_used, &lost.head))
        return false;
    if (publisher->row)
        publisher->row->lost += last - first + UINT64_C(1);
    return true;
}

static bool tell_own(const struct outlet *outlet, struct outlet_publisher *publisher)
{
    struct outlet_stream stream = {
        .stream = OWN_STREAM, .boot = outlet->boot, .first = publisher->own_next};
    if (publisher->own_told)
        return true;
    memcpy(stream.name, outlet->name, sizeof stream.name);
    memcpy(stream.group, outlet->group, sizeof stream.group);
    publisher->own_told = put_stream(publisher, &stream);
    return publisher->own_told;
}

static bool put_own(const struct outlet *outlet, struct outlet_publisher *publisher)
{
    const struct report_ring *report = outlet->report;
    if (report->last == 0 || publisher->own_next > report->last)
        return true;
    if (!tell_own(outlet, publisher))
        return false;
    if (publisher->own_next < report->first) {
        if (!put_lost(publisher, OWN_STREAM, publisher->own_next, report->first - 1))
            return false;
        publisher->own_next = report->first;
    }
    const struct index_node *node = index_find(&report->index, &publisher->own_next, 1);
    for (; node; node = index_next((struct index_node *)(uintptr_t)node)) {
        const struct report_block *block = (const void *)node;
        if (!put_block(publisher, OWN_STREAM, block->sequence, block->bytes, block->len))
            return false;
        publisher->own_next = block->sequence + 1;
    }
    return true;
}

static bool tell_child(struct outlet_publisher *publisher, const struct reader_item *item)
{
    const struct backlog_stream *of = item->stream;
    struct outlet_stream stream = {.stream = of->number,
                                   .boot = of->boot,
                                   .first = item->first,
                                   .engine_id_len = of->engine_id_len};
    text_format(stream.path, sizeof stream.path, "%s", of->name);
    text_format(stream.name, sizeof stream.name, "%s", of->name);
    text_format(stream.group, sizeof stream.group, "%s", of->group);
    memcpy(stream.engine_id, of->engine_id, sizeof stream.engine_id);
    return put_stream(publisher, &stream);
}

static bool put_item(struct outlet_publisher *publisher, const struct reader_item *item)
{
    switch (item->kind) {
    case READER_STREAM:
        return tell_child(publisher, item);
    case READER_BLOCK:
        return put_block(publisher, item->stream->number, item->block->number, item->block->octets,
                         item->block->len);
    case READER_LOST:
        return put_lost(publisher, item->stream->number, item->first, item->last);
    case READER_ASK:
        break;
    }
    return true;
}

static bool put_children(struct outlet *outlet, struct outlet_publisher *publisher, uint64_t now_ns)
{
    struct backlog_reader *reader = &publisher->reader;
    struct reader_item item;
    reader_turn(reader);
    while (reader_next(&outlet->backlog, reader, outlet->asks, now_ns, &item)) {
        if (!put_item(publisher, &item))
            return false;
        if (item.kind == READER_ASK)
            outlet->neighbours.read_again(outlet->neighbours.context, item.stream->child);
        else
            reader_pass(&outlet->backlog, reader, &item);
    }
    if (publisher->row)
        publisher->row->lost += reader->dropped;
    reader->dropped = 0;
    return true;
}

static void fill(struct outlet *outlet, struct outlet_publisher *publisher, uint64_t now_ns)
{
    lock(outlet);
    bool has_room = put_sinks(outlet, publisher);
    if (has_room && publisher->stage == PUBLISHER_TAKES && put_own(outlet, publisher))
        put_children(outlet, publisher, now_ns);
    unlock(outlet);
}

/* False: the publisher does not take the packet now. */
static bool send_packet(struct outlet_publisher *publisher)
{
    ssize_t n =
        send(publisher->fd, publisher->out, publisher->out_used, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n >= 0) {
        publisher->out_used = 0;
        return true;
    }
    publisher->writable = errno == EINTR;
    if (errno != EAGAIN && errno != EINTR)
        end(publisher, "it has ended", false);
    return false;
}

/* -- Turns ------------------------------------------------------------------------------------ */

/* Sets what epoll waits for. While a packet cannot be sent yet, room for it is waited for; and
 * nothing more is read while something that was heard is still to be handled. */
static void wait_for(const struct outlet *outlet, struct outlet_publisher *publisher)
{
    uint32_t events = (publisher->in_at < publisher->in_used ? 0u : (uint32_t)EPOLLIN) |
                      (publisher->out_used > 0 ? (uint32_t)EPOLLOUT : 0u);
    struct epoll_event event = {.events = events, .data.ptr = publisher};
    if (events == publisher->events)
        return;
    if (epoll_ctl(outlet->epoll, EPOLL_CTL_MOD, publisher->fd, &event) == 0)
        publisher->events = events;
    else
        end(publisher, "it cannot be waited for", true);
}

uint64_t publisher_deadline(const struct outlet_publisher *publisher)
{
    return publisher->stage == PUBLISHER_HELLO ? publisher->began_ns + PUBLISHER_HELLO_NS
                                               : UINT64_MAX;
}

bool publisher_turn(struct outlet *outlet, struct outlet_publisher *publisher, uint64_t now_ns)
{
    bool is_free = publisher->out_used == 0;
    if (!is_free && publisher->writable)
        is_free = send_packet(publisher);
    hear(outlet, publisher);
    if (now_ns >= publisher_deadline(publisher))
        end(publisher, "it does not say who it is", true);
    if (is_free && !publisher->ends)
        fill(outlet, publisher, now_ns);
    bool sent = is_free && !publisher->ends && publisher->out_used > 0 && send_packet(publisher);
    if (!publisher->ends)
        wait_for(outlet, publisher);
    return sent && !publisher->ends;
}

bool publisher_waits(const struct outlet_publisher *publisher)
{
    bool is_free = publisher->out_used == 0;
    return publisher->ends || (is_free && publisher->in_at < publisher->in_used) ||
           (is_free && reader_has_more(&publisher->reader));
}

/* -- Beginning and end ------------------------------------------------------------------------ */

struct outlet_publisher *publisher_new(struct outlet *outlet, int fd, uint64_t now_ns)
{
    struct outlet_publisher *publisher = calloc(1, sizeof *publisher);
    uint8_t *packets = malloc(2 * (size_t)MESSAGE_PACKET_MAX);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = publisher};
    if (!publisher || !packets || epoll_ctl(outlet->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        close(fd);
        free(packets);
        free(publisher);
        return NULL;
    }
    publisher->fd = fd;
    publisher->began_ns = now_ns;
    publisher->events = EPOLLIN;
    publisher->readable = publisher->writable = true;
    publisher->out = packets;
    publisher->in = packets + MESSAGE_PACKET_MAX;
    TAILQ_INSERT_TAIL(&outlet->publishers, publisher, link);
    outlet->n_publishers++;
    return publisher;
}

void publisher_free(struct outlet *outlet, struct outlet_publisher *publisher)
{
    lock(outlet);
    if (publisher->row) {
        publisher->row->connected = false;
        publisher->row->state.state = OUTLET_SINK_ABSENT;
    }
    backlog_remove_reader(&outlet->backlog, &publisher->reader);
    unlock(outlet);
    TAILQ_REMOVE(&outlet->publishers, publisher, link);
    outlet->n_publishers--;
    close(publisher->fd);
    free(publisher->out);
    free(publisher);
}
