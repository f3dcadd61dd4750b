#include "publish/delivery.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/log.h"
#include "base/text.h"

#define WORK_BLOCKS 256     /* that are given before other work has its turn */
#define CLOCK_STEP_MS 10000 /* a wall clock that is set back by more does not delay a step */

/* -- Failures -------------------------------------------------------------------------------- */

/* How long the sink itself asks to wait. */
static uint64_t wait_of(const struct delivery *delivery)
{
    int64_t ms =
        delivery->sink && delivery->type->wait_ms ? delivery->type->wait_ms(delivery->sink) : 0;
    return ms > 0 ? (uint64_t)ms * NS_PER_MS : 0;
}

static void fail(struct delivery *delivery, const char *error, struct moment now)
{
    bool is_new = delivery->state.state != OUTLET_SINK_FAILING;
    uint64_t wait_ns = wait_of(delivery);
    if (delivery->sink)
        delivery->type->close(delivery->sink);
    delivery->sink = NULL;
    queue_take_back(&delivery->queue);
    delivery->pause_ns = is_new || delivery->pause_ns == 0            ? DELIVERY_AGAIN_NS
                         : delivery->pause_ns < DELIVERY_AGAIN_MAX_NS ? 2 * delivery->pause_ns
                                                                      : DELIVERY_AGAIN_MAX_NS;
    delivery->again_ns =
        now.mono_ns + (wait_ns > delivery->pause_ns ? wait_ns : delivery->pause_ns);
    text_format(delivery->state.error, sizeof delivery->state.error, "%s", error);
    text_clean(delivery->state.error, sizeof delivery->state.error, '?');
    delivery->state.state = OUTLET_SINK_FAILING;
    if (is_new)
        log_error("publish", "%s: %s; it is tried again", delivery->settings.name,
                  delivery->state.error);
}

/* The sink takes what comes, but something may be wrong all the same. */
static void show_trouble(struct delivery *delivery, struct moment now)
{
    char text[SINK_ERROR_SIZE] = "";
    if (!delivery->type->trouble || delivery->state.state != OUTLET_SINK_UP)
        return;
    delivery->type->trouble(delivery->sink, now.wall_ms, text);
    text_format(delivery->state.error, sizeof delivery->state.error, "%s", text);
    text_clean(delivery->state.error, sizeof delivery->state.error, '?');
}

/* The sink is up once it has confirmed something, and done its step if it has one: that it could be
 * opened is not enough. */
static void be_well(struct delivery *delivery)
{
    if (delivery->state.state == OUTLET_SINK_UP || !delivery->has_confirmed ||
        (delivery->type->step && !delivery->has_stepped))
        return;
    if (delivery->state.error[0])
        log_info("publish", "%s: the sink takes what comes again", delivery->settings.name);
    delivery->state.state = OUTLET_SINK_UP;
    delivery->state.error[0] = '\0';
    delivery->pause_ns = 0;
}

/* -- Cursors of a sink that does not know its own --------------------------------------------- */

/* The sink has the blocks: they are not given again, even if the cursors cannot be written. */
static int write_cursors(struct delivery *delivery, struct moment now)
{
    int error = 0;
    for (struct stream *at = delivery->queue.by_key; at; at = at->by_key.next) {
        if (at->is_to_save &&
            cursor_file_set(delivery->cursors, &at->key, at->confirmed + 1, now.wall_ms) != 0)
            error = ENOMEM;
        else
            at->is_to_save = false;
    }
    return error ? error : cursor_file_save(delivery->cursors, now.wall_ms);
}

/* False: the delivery has failed; this is tried again when the sink is opened again. */
static bool save_cursors(struct delivery *delivery, struct moment now)
{
    char error[SINK_ERROR_SIZE];
    int code = delivery->cursors ? write_cursors(delivery, now) : 0;
    delivery->is_unsaved = code != 0;
    if (!code)
        return true;
    text_format(error, sizeof error, "%s/" CURSOR_FILE ": %s", delivery->directory, strerror(code));
    fail(delivery, error, now);
    return false;
}

/* -- Opening --------------------------------------------------------------------------------- */

void delivery_open(struct delivery *delivery, const struct outlet_sink *settings,
                   const struct delivery_place *place)
{
    *delivery = (struct delivery){.settings = *settings, .place = *place, .lock = -1};
    queue_open(&delivery->queue);
    if (delivery->settings.queue == 0)
        delivery->settings.queue = DELIVERY_QUEUE;
    if (delivery->settings.queue < DELIVERY_QUEUE_MIN)
        delivery->settings.queue = DELIVERY_QUEUE_MIN;
    text_format(delivery->directory, sizeof delivery->directory, "%s/sinks/%s", place->state,
                settings->name);
}

void delivery_close(struct delivery *delivery, struct moment now)
{
    delivery_commit(delivery, now);
    if (delivery->is_unsaved)
        save_cursors(delivery, now);
    if (delivery->sink)
        delivery->type->close(delivery->sink);
    delivery->sink = NULL;
    cursor_file_close(delivery->cursors);
    queue_close(&delivery->queue);
    if (delivery->lock >= 0)
        close(delivery->lock);
}

static int make_directory(const char *path, char error[SINK_ERROR_SIZE])
{
    if (mkdir(path, 0750) == 0 || errno == EEXIST)
        return 0;
    int code = errno;
    text_format(error, SINK_ERROR_SIZE, "%s: %s", path, strerror(code));
    return code;
}

/* Takes the directory of this sink, so that no other process has it. */
static int take_directory(struct delivery *delivery, char error[SINK_ERROR_SIZE])
{
    char all[DELIVERY_PATH_SIZE];
    pid_t holder = 0;
    if (delivery->lock >= 0)
        return 0;
    text_format(all, sizeof all, "%s/sinks", delivery->place.state);
    int code = make_directory(all, error);
    if (!code)
        code = make_directory(delivery->directory, error);
    if (code)
        return code;
    code = directory_lock(delivery->directory, &delivery->lock, &holder);
    if (code)
        delivery->lock = -1;
    if (code == EBUSY)
        text_format(error, SINK_ERROR_SIZE, "%s: process %d works for this sink already",
                    delivery->directory, (int)holder);
    else if (code)
        text_format(error, SINK_ERROR_SIZE, "%s: %s", delivery->directory, strerror(code));
    return code;
}

/* Finds the kind of the sink, its default location, and the file of its cursors, if it needs one.
 */
static int prepare_sink(struct delivery *delivery, char error[SINK_ERROR_SIZE])
{
    const struct delivery_place *place = &delivery->place;
    struct outlet_sink *settings = &delivery->settings;
    if (!delivery->type)
        delivery->type = place->find(place->context, settings->kind, error);
    if (!delivery->type)
        return ENOENT;
    int code = take_directory(delivery, error);
    if (!code && delivery->type->directory && !settings->location[0])
        text_format(settings->location, sizeof settings->location, "%s/%s%s%s", place->state,
                    delivery->type->directory, delivery->type->has_own ? "-" : "",
                    delivery->type->has_own ? settings->name : "");
    if (!code && !delivery->type->cursors && !delivery->cursors) {
        delivery->cursors = cursor_file_open(delivery->directory, &code);
        if (code)
            text_format(error, SINK_ERROR_SIZE, "%s/" CURSOR_FILE ": %s", delivery->directory,
                        strerror(code));
    }
    return code;
}

struct shown {
    cursor_file_fn *each;
    void *context;
};

static void show_cursor(void *context, const struct sink_stream *stream, uint32_t next)
{
    const struct shown *shown = context;
    struct stream_key key;
    if (stream->engine_id_len > ENGINE_ID_MAX || strlen(stream->path) >= ALARM_PATH_SIZE)
        return;
    stream_key_set(&key, stream->path, stream->boot, stream->engine_id, stream->engine_id_len);
    shown->each(shown->context, &key, next);
}

int delivery_cursors(struct delivery *delivery, cursor_file_fn *each, void *context,
                     struct moment now)
{
    struct shown shown = {each, context};
    char error[SINK_ERROR_SIZE] = "";
    if (delivery->cursors) {
        cursor_file_each(delivery->cursors, each, context);
        return 0;
    }
    int code = delivery->type->cursors(delivery->sink, show_cursor, &shown, error);
    if (code)
        fail(delivery, error[0] ? error : strerror(code), now);
    return code;
}

struct comparison {
    struct delivery *delivery;
    bool is_behind;
};

/* Blocks that the sink has after all, although it could not confirm them, are not given again. */
static void compare(void *context, const struct stream_key *key, uint32_t next)
{
    struct comparison *comparison = context;
    struct queue *queue = &comparison->delivery->queue;
    struct stream *stream = queue_find(queue, key);
    struct queue_block *block;
    if (!stream)
        return;
    while ((block = TAILQ_FIRST(&stream->waiting)) && block->number < next) {
        comparison->delivery->state.blocks++;
        queue_drop(queue, block);
    }
    if (stream->confirmed + 1 < next) {
        stream->confirmed = next - 1;
        stream->is_moved = true;
    }
    comparison->is_behind = comparison->is_behind || next < stream->confirmed + 1;
    stream->is_compared = true;
}

/* Whether something was confirmed of a stream of which the sink knows nothing now. */
static bool has_lost_streams(struct delivery *delivery)
{
    bool has = false;
    for (struct stream *at = delivery->queue.by_key; at; at = at->by_key.next) {
        has = has || (at->confirmed > 0 && !at->is_compared);
        at->is_compared = false;
    }
    return has;
}

static void open_sink(struct delivery *delivery, struct moment now)
{
    char error[SINK_ERROR_SIZE] = "";
    struct comparison comparison = {.delivery = delivery};
    bool is_first = delivery->state.state == 0;
    int code = prepare_sink(delivery, error);
    if (!code)
        code = delivery->type->open(&delivery->settings, now.wall_ms, &delivery->sink, error);
    if (code) {
        delivery->sink = NULL;
        fail(delivery, error[0] ? error : strerror(code), now);
        return;
    }
    delivery->step_ms = now.wall_ms;
    delivery->has_confirmed = delivery->has_stepped = false;
    if (is_first)
        delivery->state.state = OUTLET_SINK_UP;
    if (delivery->is_unsaved && save_cursors(delivery, now)) {
        delivery->has_confirmed = true; /* it had confirmed before that failed */
        be_well(delivery);
    }
    if (delivery->cursors || !delivery->queue.by_key ||
        delivery_cursors(delivery, compare, &comparison, now) != 0)
        return;
    delivery->is_behind = has_lost_streams(delivery) || comparison.is_behind;
}

/* -- Giving ---------------------------------------------------------------------------------- */

/* What is found out about a block before it is given. */
struct scan {
    struct stream *stream;
    uint64_t now_ns;
    uint64_t values, nameless;
    bool is_waiting;
    int error;
};

/* A report_entry_fn. */
static int scan_entry(void *context, const struct report_entry *entry)
{
    struct scan *scan = context;
    enum names_meaning meaning = NAMES_KNOWN;
    if (entry->kind == REPORT_VALUE || entry->kind == REPORT_WINDOW ||
        entry->kind == REPORT_RECORD || entry->kind == REPORT_KEYS)
        scan->error = names_want(&scan->stream->names, entry->series, scan->now_ns, &meaning);
    scan->is_waiting = scan->is_waiting || meaning == NAMES_AWAITED;
    scan->values += meaning == NAMES_KNOWN;
    scan->nameless += meaning == NAMES_NAMELESS;
    return scan->error;
}

/* 0; EBADMSG: it is no valid block of its stream; EAGAIN: it has to wait for names; ENOMEM. */
static int prepare(struct queue_block *block, uint64_t now_ns)
{
    struct stream *stream = block->stream;
    struct scan scan = {.stream = stream, .now_ns = now_ns};
    struct report_header header = {0};
    const char *why = "";
    names_begin(&stream->names);
    int error = report_decode(block->octets, block->len, &header, scan_entry, &scan, &why);
    if (!error && (header.boot != stream->key.boot || header.sequence != block->number)) {
        error = EBADMSG;
        why = "its numbers are others";
    }
    if (error == EBADMSG && !stream->has_refused)
        log_warning("publish", "%s: block %u is left out: %s",
                    stream->key.path[0] ? stream->key.path : stream->name, block->number, why);
    stream->has_refused = stream->has_refused || error == EBADMSG;
    block->values = scan.values;
    block->nameless = scan.nameless;
    block->wall_ms = header.wall_ms;
    return error ? error : scan.error ? scan.error : scan.is_waiting ? EAGAIN : 0;
}

static const struct sink_words *words_of(const void *context, uint32_t series)
{
    return names_words(context, series);
}

/* False: the sink has failed. */
static bool give(struct delivery *delivery, struct queue_block *block, struct moment now)
{
    char error[SINK_ERROR_SIZE] = "";
    struct stream *stream = block->stream;
    struct sink_block given = {.stream = &stream->shown,
                               .number = block->number,
                               .octets = block->octets,
                               .len = block->len,
                               .words = words_of,
                               .context = &stream->names};
    int code = delivery->type->block(delivery->sink, &given, now.wall_ms, error);
    if (delivery->queue.n_given == 0)
        delivery->given_ns = now.mono_ns;
    queue_give(&delivery->queue, block);
    if (code)
        fail(delivery, error[0] ? error : strerror(code), now);
    return code == 0;
}

/* A block that is not valid is passed over as if the sink had been given it. */
static void refuse(struct delivery *delivery, struct queue_block *block, struct moment now)
{
    delivery->refused++;
    block->values = block->nameless = 0;
    if (delivery->queue.n_given == 0)
        delivery->given_ns = now.mono_ns;
    queue_give(&delivery->queue, block);
}

static void give_next(struct delivery *delivery, struct queue_block *block, struct moment now)
{
    int error = prepare(block, now.mono_ns);
    bool was_short = delivery->is_short;
    delivery->is_short = error == ENOMEM;
    if (!error) {
        give(delivery, block, now);
    } else if (error == EBADMSG) {
        refuse(delivery, block, now);
    } else {
        queue_hold(&delivery->queue, block->stream);
        delivery->has_held = true;
        if (error == ENOMEM && !was_short)
            log_error("publish", "%s: no memory for names; it is tried again",
                      delivery->settings.name);
    }
}

/* -- Confirming ------------------------------------------------------------------------------ */

static void count(struct delivery *delivery, const struct queue_block *block)
{
    struct stream *stream = block->stream;
    delivery->state.blocks++;
    delivery->state.values += block->values;
    delivery->state.nameless += block->nameless;
    stream->confirmed = block->number;
    stream->confirmed_ms = block->wall_ms;
    stream->is_moved = stream->is_to_save = true;
}

void delivery_commit(struct delivery *delivery, struct moment now)
{
    char error[SINK_ERROR_SIZE] = "";
    struct queue_block *block;
    if (!delivery->sink || delivery->queue.n_given == 0)
        return;
    int code = delivery->type->commit(delivery->sink, now.wall_ms, error);
    if (code) {
        fail(delivery, error[0] ? error : strerror(code), now);
        return;
    }
    while ((block = TAILQ_FIRST(&delivery->queue.given))) {
        count(delivery, block);
        queue_confirm(&delivery->queue, block);
    }
    if (!save_cursors(delivery, now))
        return;
    delivery->has_confirmed = true;
    be_well(delivery);
    show_trouble(delivery, now);
}

static bool is_commit_due(const struct delivery *delivery, struct moment now)
{
    const struct queue *queue = &delivery->queue;
    return queue->n_given > 0 && (now.mono_ns - delivery->given_ns >= DELIVERY_COMMIT_NS ||
                                  queue->given_octets >= DELIVERY_COMMIT_OCTETS ||
                                  queue->given_octets >= delivery->settings.queue / 4);
}

/* -- All of it ------------------------------------------------------------------------------- */

static bool is_step_due(const struct delivery *delivery, int64_t now_ms)
{
    return delivery->type->step && delivery->queue.n_given == 0 &&
           (now_ms >= delivery->step_ms || delivery->step_ms - now_ms > CLOCK_STEP_MS);
}

/* Something that the sink does besides taking blocks did not work; "": it works. */
static void complain(struct delivery *delivery, const char *complaint)
{
    char *known = delivery->complaint;
    if (complaint[0] && strcmp(known, complaint) != 0)
        log_warning("publish", "%s: %s", delivery->settings.name, complaint);
    text_format(known, sizeof delivery->complaint, "%s", complaint);
    if (delivery->state.state == OUTLET_SINK_UP)
        text_format(delivery->state.error, sizeof delivery->state.error, "%s", complaint);
}

static void step(struct delivery *delivery, struct moment now)
{
    char error[SINK_ERROR_SIZE] = "";
    int64_t again_ms = now.wall_ms + 1000;
    int code = delivery->type->step(delivery->sink, now.wall_ms, &again_ms, error);
    delivery->step_ms = again_ms;
    delivery->has_stepped = true;
    if (code) {
        fail(delivery, error[0] ? error : strerror(code), now);
        return;
    }
    be_well(delivery);
    text_clean(error, sizeof error, '?');
    complain(delivery, error);
}

void delivery_work(struct delivery *delivery, struct moment now)
{
    struct queue_block *block;
    if (!delivery->sink && now.mono_ns >= delivery->again_ns)
        open_sink(delivery, now);
    for (int i = 0; i < WORK_BLOCKS && delivery->sink && !delivery->is_behind &&
                    (block = queue_next(&delivery->queue));
         i++) {
        give_next(delivery, block, now);
        if (is_commit_due(delivery, now))
            delivery_commit(delivery, now);
    }
    if (delivery->sink && is_commit_due(delivery, now))
        delivery_commit(delivery, now);
    if (delivery->sink && is_step_due(delivery, now.wall_ms))
        step(delivery, now);
}

uint64_t delivery_due(const struct delivery *delivery, struct moment now)
{
    const struct queue *queue = &delivery->queue;
    if (!delivery->sink)
        return delivery->again_ns;
    if (queue_next(queue) && !delivery->is_behind)
        return 0;
    if (queue->n_given > 0)
        return delivery->given_ns + DELIVERY_COMMIT_NS;
    if (!delivery->type->step)
        return DELIVERY_NEVER;
    int64_t wait_ms = delivery->step_ms - now.wall_ms;
    if (wait_ms > CLOCK_STEP_MS)
        wait_ms = CLOCK_STEP_MS;
    return wait_ms <= 0 ? 0 : now.mono_ns + (uint64_t)wait_ms * NS_PER_MS;
}

void delivery_count_anew(struct delivery *delivery, const struct stream *stream, struct moment now)
{
    char error[SINK_ERROR_SIZE] = "";
    delivery_commit(delivery, now);
    if (!delivery->sink || !delivery->type->count_anew)
        return;
    int code = delivery->type->count_anew(delivery->sink, &stream->shown, now.wall_ms, error);
    if (code)
        fail(delivery, error[0] ? error : strerror(code), now);
}

/* -- Room ------------------------------------------------------------------------------------ */

static void drop_oldest(struct delivery *delivery)
{
    struct queue *queue = &delivery->queue;
    struct queue_block *block;
    while (queue->octets >= delivery->settings.queue && (block = TAILQ_FIRST(&queue->waiting))) {
        if (delivery->state.dropped == 0)
            log_warning("publish", "%s: the sink is too slow: blocks are dropped, and counted",
                        delivery->settings.name);
        delivery->state.dropped++;
        queue_drop(queue, block);
    }
}

/* Names come on the same connection as blocks. So while all waiting blocks wait for names, more is
 * taken: up to twice as much; and beyond that, all that comes before an answer, which is as much as
 * a socket holds, however small the queue is. No block waits for names for longer than
 * NAMES_WAIT_NS, so that this has an end. */
bool delivery_has_room(struct delivery *delivery, bool is_asked)
{
    const struct queue *queue = &delivery->queue;
    if (delivery->settings.mode == OUTLET_ASYNC)
        drop_oldest(delivery);
    if (queue->octets < delivery->settings.queue)
        return true;
    bool waits_for_names = delivery->sink && queue->n_given == 0 && !queue_next(queue);
    return waits_for_names && (is_asked || queue->octets < 2 * delivery->settings.queue);
}
