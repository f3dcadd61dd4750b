#include "publish/feed.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "publish/settings.h"

#define PACKETS 16 /* that are taken before other work has its turn */

#define HEAD(kind, type) ((struct message){(kind), sizeof(struct type)})

int feed_open(struct feed *feed, const char *name, const struct delivery_place *place)
{
    *feed = (struct feed){.name = name, .place = *place, .link = link_new()};
    return feed->link ? 0 : ENOMEM;
}

void feed_close(struct feed *feed, struct moment now)
{
    if (feed->is_open)
        delivery_close(&feed->delivery, now);
    feed->is_open = false;
    link_free(feed->link);
    feed->link = NULL;
}

int feed_connected(struct feed *feed, struct moment now)
{
    struct outlet_hello hello = {.head = HEAD(OUTLET_HELLO, outlet_hello),
                                 .version = OUTLET_VERSION};
    text_format(hello.sink, sizeof hello.sink, "%s", feed->name);
    feed->is_told = feed->has_begun = false;
    feed->n_asked = 0;
    feed->tick_ns = now.mono_ns;
    int error = link_put(feed->link, &hello.head);
    return error ? error : link_flush(feed->link);
}

/* Waiting blocks are kept: they are given even if dcampd does not have them any more. */
void feed_disconnected(struct feed *feed, struct moment now)
{
    link_close(feed->link);
    feed->is_told = feed->has_begun = false;
    if (!feed->is_open)
        return;
    struct queue *queue = &feed->delivery.queue;
    delivery_commit(&feed->delivery, now);
    for (struct stream *at = queue->by_key; at; at = at->by_key.next) {
        queue_set_id(queue, at, 0);
        at->told = 0;
    }
}

/* -- How far the sink is --------------------------------------------------------------------- */

struct telling {
    struct feed *feed;
    int error;
};

/* The stream is made if it is not there, so that it is known what was told. */
static void tell_cursor(void *context, const struct stream_key *key, uint32_t next)
{
    struct telling *telling = context;
    struct outlet_cursor cursor = {.head = HEAD(OUTLET_CURSOR, outlet_cursor),
                                   .boot = key->boot,
                                   .next = next,
                                   .engine_id_len = key->engine_id_len};
    struct stream *stream =
        telling->error || next == 0 ? NULL : queue_stream(&telling->feed->delivery.queue, key);
    if (!stream) {
        telling->error = telling->error || next == 0 ? telling->error : ENOMEM;
        return;
    }
    stream->told = next;
    stream->confirmed = stream->confirmed + 1 < next ? next - 1 : stream->confirmed;
    stream->next = stream->next < next ? next : stream->next;
    memcpy(cursor.path, key->path, sizeof cursor.path);
    memcpy(cursor.engine_id, key->engine_id, sizeof cursor.engine_id);
    telling->error = link_put_waiting(telling->feed->link, &cursor.head);
}

static int begin(struct feed *feed, struct moment now)
{
    const struct message last = {OUTLET_BEGIN, sizeof last};
    struct telling telling = {.feed = feed};
    delivery_commit(&feed->delivery, now);
    if (!feed->delivery.sink || delivery_cursors(&feed->delivery, tell_cursor, &telling, now) != 0)
        return 0;
    if (!telling.error)
        telling.error = link_put_waiting(feed->link, &last);
    feed->has_begun = !telling.error;
    feed->begun_ns = now.mono_ns;
    return telling.error;
}

/* The sink has less than before: what it lacks comes again, if somebody still has it. */
static int read_again(struct feed *feed)
{
    struct queue *queue = &feed->delivery.queue;
    log_warning("publish",
                "%s: the sink has lost what it had confirmed: what nodes keep still is "
                "published again",
                feed->name);
    for (struct stream *at = queue->by_key; at; at = at->by_key.next) {
        queue_drop_waiting(queue, at);
        at->next = at->confirmed = 0;
    }
    feed->delivery.is_behind = false;
    return ENODATA;
}

/* -- What comes ------------------------------------------------------------------------------ */

static int take_sink(struct feed *feed, const struct outlet_sink *sink)
{
    if (strcmp(sink->name, feed->name) != 0)
        return EBADMSG;
    if (feed->is_open && !settings_same(sink, &feed->told))
        return ESTALE;
    feed->told = *sink;
    if (!feed->is_open)
        delivery_open(&feed->delivery, sink, &feed->place);
    feed->is_open = feed->is_told = true;
    return 0;
}

/* The boot is the same, but numbers begin anew: nothing that was known still counts. */
static void count_anew(struct feed *feed, struct stream *stream, uint32_t first, struct moment now)
{
    struct delivery *delivery = &feed->delivery;
    log_warning("publish", "%s: %s numbers its blocks anew", feed->name, stream->name);
    delivery_count_anew(delivery, stream, now);
    names_release(&stream->names);
    queue_drop_waiting(&delivery->queue, stream);
    stream->next = first;
    stream->confirmed = 0;
}

static int take_stream(struct feed *feed, const struct outlet_stream *told, struct moment now)
{
    struct queue *queue = &feed->delivery.queue;
    struct stream_key key;
    stream_key_set(&key, told->path, told->boot, told->engine_id, told->engine_id_len);
    struct stream *stream = queue_stream(queue, &key);
    if (!stream || queue_set_newest(queue, stream) != 0 ||
        queue_set_id(queue, stream, told->stream) != 0)
        return ENOMEM;
    text_format(stream->name, sizeof stream->name, "%s", told->name);
    text_format(stream->group, sizeof stream->group, "%s", told->group);
    stream->came_ns = now.mono_ns;
    names_ask_anew(&stream->names, now.mono_ns);
    if (stream->told > 0 && told->first < stream->told)
        count_anew(feed, stream, told->first, now);
    return 0;
}

static int take_block(struct feed *feed, const struct outlet_block *block, struct moment now)
{
    struct queue *queue = &feed->delivery.queue;
    struct stream *stream = queue_find_id(queue, block->stream);
    if (!stream && !feed->has_unknown)
        log_warning("publish", "%s: a block of a stream that dcampd has not told of", feed->name);
    feed->has_unknown = feed->has_unknown || !stream;
    if (!stream || block->number < stream->next)
        return 0;
    return queue_add(queue, stream, block->number, block->octets,
                     block->head.length - sizeof *block, now.mono_ns);
}

static int take_name(struct feed *feed, const struct outlet_name *name, struct moment now)
{
    struct queue *queue = &feed->delivery.queue;
    struct stream *stream = queue_find_id(queue, name->stream);
    feed->n_asked -= feed->n_asked > 0;
    if (!stream)
        return 0;
    int error = names_take(&stream->names, name, feed->delivery.settings.sensors, now.mono_ns);
    if (stream->names.awaited == 0)
        queue_go_on(queue, stream);
    return error;
}

static int take(struct feed *feed, const struct message *message, struct moment now)
{
    if (message->kind == OUTLET_SINK)
        return take_sink(feed, (const void *)message);
    if (!feed->is_told)
        return EBADMSG;
    if (message->kind == OUTLET_STREAM)
        return take_stream(feed, (const void *)message, now);
    if (message->kind == OUTLET_BLOCK)
        return take_block(feed, (const void *)message, now);
    if (message->kind == OUTLET_NAME)
        return take_name(feed, (const void *)message, now);
    return 0;
}

static int take_packet(struct feed *feed, struct moment now)
{
    const struct link *link = feed->link;
    const struct message *message;
    size_t at = 0;
    int error = 0;
    while (!error && (message = outlet_next_from_daemon(link->in, link->n_in, &at)))
        error = take(feed, message, now);
    return error ? error : at == link->n_in ? 0 : EBADMSG;
}

int feed_receive(struct feed *feed, struct moment now)
{
    int error = 0;
    for (int i = 0; i < PACKETS && !error && feed_has_room(feed); i++) {
        error = link_receive(feed->link);
        if (!error)
            error = take_packet(feed, now);
    }
    return error == EAGAIN ? 0 : error;
}

bool feed_has_room(struct feed *feed)
{
    return !feed->is_open || delivery_has_room(&feed->delivery, feed->n_asked > 0);
}

/* -- What is asked and told ------------------------------------------------------------------ */

/* Nothing can be asked about a stream that dcampd does not know at present. When dcampd has been
 * back for a while, the names of such a stream are not waited for any longer. */
static int look_up(struct feed *feed, struct stream *stream, struct moment now)
{
    struct outlet_look_up question = {.head = HEAD(OUTLET_LOOK_UP, outlet_look_up),
                                      .stream = stream->id};
    bool is_known = stream->id != 0,
         is_late = feed->has_begun && now.mono_ns - feed->begun_ns >= NAMES_WAIT_NS;
    int error = 0;
    do {
        question.n = is_known || is_late ? (uint32_t)names_ask(&stream->names, now.mono_ns,
                                                               question.series, OUTLET_LOOK_UP_MAX)
                                         : 0;
        if (question.n > 0 && is_known)
            error = link_put(feed->link, &question.head);
        if (!error && is_known)
            feed->n_asked += question.n;
    } while (!error && question.n == OUTLET_LOOK_UP_MAX);
    if (stream->names.awaited == 0)
        queue_go_on(&feed->delivery.queue, stream);
    return error;
}

static int look_up_all(struct feed *feed, struct moment now)
{
    int error = 0;
    feed->delivery.has_held = false;
    for (struct stream *at = feed->delivery.queue.by_key; at && !error; at = at->by_key.next)
        if (at->names.is_due || (at->n_waiting > 0 && !at->is_ready))
            error = look_up(feed, at, now);
    return error;
}

static int say_done(struct feed *feed)
{
    int error = 0;
    for (struct stream *at = feed->delivery.queue.by_key; at && !error; at = at->by_key.next) {
        struct outlet_done done = {.head = HEAD(OUTLET_DONE, outlet_done),
                                   .stream = at->id,
                                   .number = at->confirmed,
                                   .wall_ms = at->confirmed_ms};
        if (!at->is_moved || at->id == 0)
            continue;
        error = link_put(feed->link, &done.head);
        at->is_moved = error != 0;
    }
    return error;
}

static int say_state(struct feed *feed)
{
    struct outlet_state state = feed->delivery.state;
    if (state.state == 0)
        return 0;
    state.head = HEAD(OUTLET_STATE, outlet_state);
    state.waiting = feed->delivery.queue.n_waiting;
    return link_put(feed->link, &state.head);
}

static bool is_over(const struct feed *feed, const struct stream *stream, uint64_t now_ns)
{
    if (stream->n_waiting > 0 || stream->n_given > 0 || !feed->has_begun ||
        now_ns - feed->begun_ns < NAMES_WAIT_NS)
        return false;
    return stream->id == 0 || (!stream->is_newest && now_ns - stream->came_ns >= FEED_OLD_NS);
}

static void forget_streams(struct feed *feed, uint64_t now_ns)
{
    struct queue *queue = &feed->delivery.queue;
    struct stream *stream, *next;
    HASH_ITER(by_key, queue->by_key, stream, next)
    {
        if (is_over(feed, stream, now_ns))
            queue_remove_stream(queue, stream);
    }
}

static int tick(struct feed *feed, struct moment now)
{
    feed->tick_ns = now.mono_ns + FEED_TICK_NS;
    int error = look_up_all(feed, now);
    if (!error && feed->has_begun)
        error = say_done(feed);
    if (!error)
        error = say_state(feed);
    forget_streams(feed, now.mono_ns);
    return error;
}

/* What has no room in the socket now is asked and told later: dcampd does not listen while it waits
 * to be heard. */
int feed_work(struct feed *feed, struct moment now)
{
    int error = 0;
    if (!feed->is_open)
        return 0;
    delivery_work(&feed->delivery, now);
    if (feed->delivery.is_behind)
        error = read_again(feed);
    if (feed->link->fd < 0)
        return 0;
    if (!error && feed->is_told && !feed->has_begun)
        error = begin(feed, now);
    if (!error && feed->delivery.has_held)
        error = look_up_all(feed, now);
    if (!error && feed->is_told && now.mono_ns >= feed->tick_ns)
        error = tick(feed, now);
    if (!error)
        error = link_flush(feed->link);
    return error == EAGAIN ? 0 : error;
}

uint64_t feed_due(const struct feed *feed, struct moment now)
{
    if (!feed->is_open)
        return DELIVERY_NEVER;
    uint64_t due = delivery_due(&feed->delivery, now);
    return feed->is_told && feed->tick_ns < due ? feed->tick_ns : due;
}
