/* One sink and its connection to dcampd, which a test plays: whatever fails, whatever ends, each
 * value is in the sink once. The sink is one that fails on order. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "outlets.h"
#include "publish/entries.h"
#include "publish/feed.h"
#include "remove_all.h"
#include "rings.h"
#include "said.h"
#include "unit.h"

#define START_NS (1000 * NS_PER_S)
#define START_MS INT64_C(1795730400000)
#define BOOK_MAX 4096
#define BOOT 7

/* -- A sink: a book, in which everything is written down ------------------------------------- */

struct line {
    char path[ALARM_PATH_SIZE];
    uint32_t boot, number;
    char sensor[NAME_SIZE], instance[INSTANCE_SIZE];
    double value;
};

struct page {
    char path[ALARM_PATH_SIZE];
    uint32_t boot, next;
};

static struct book {
    struct line line[BOOK_MAX];
    size_t n, confirmed; /* lines, and those that are there to stay */
    struct page page[16], confirmed_page[16];
    size_t n_pages, n_confirmed_pages;
    int fail_open, fail_block, fail_commit, fail_step; /* so many calls of it fail */
    int complain;                                      /* so many steps do, and do not fail */
    bool fails_late;                                   /* a commit that fails has been done */
    int64_t wait_ms;                                   /* it wants to be left alone for so long */
    const char *trouble; /* what is wrong all the same; NULL: nothing */
    unsigned opens, closes, commits, steps;
    char location[OUTLET_TEXT_SIZE];
} book;

static int fail_on_order(int *order, const char *what, char error[SINK_ERROR_SIZE])
{
    if (*order == 0)
        return 0;
    --*order;
    snprintf(error, SINK_ERROR_SIZE, "the %s fails", what);
    return EIO;
}

static int book_open(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                     char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    book.opens++;
    book.n = book.confirmed;
    book.n_pages = book.n_confirmed_pages;
    memcpy(book.page, book.confirmed_page, sizeof book.page);
    strcpy(book.location, settings->location);
    *sink = (struct sink *)&book;
    return fail_on_order(&book.fail_open, "opening", error);
}

static void book_close(struct sink *sink)
{
    assert_ptr_equal(sink, &book);
    book.closes++;
}

static int book_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                        char error[SINK_ERROR_SIZE])
{
    (void)sink;
    (void)error;
    for (size_t i = 0; i < book.n_confirmed_pages; i++) {
        const struct page *page = &book.confirmed_page[i];
        const struct sink_stream stream = {.boot = page->boot, .path = page->path};
        each(context, &stream, page->next);
    }
    return 0;
}

static int write_line(void *context, const struct entry *entry)
{
    (void)context;
    assert_true(book.n < BOOK_MAX);
    struct line *line = &book.line[book.n++];
    *line = (struct line){.boot = entry->block->stream->boot,
                          .number = entry->block->number,
                          .value = entry->report->result.value};
    strcpy(line->path, entry->block->stream->path);
    strcpy(line->sensor, entry->words->sensor);
    strcpy(line->instance, entry->words->instance);
    return 0;
}

static void turn_page(const struct sink_block *block)
{
    size_t i = 0;
    while (i < book.n_pages && (strcmp(book.page[i].path, block->stream->path) != 0 ||
                                book.page[i].boot != block->stream->boot))
        i++;
    book.n_pages += i == book.n_pages;
    strcpy(book.page[i].path, block->stream->path);
    book.page[i].boot = block->stream->boot;
    book.page[i].next = block->number + 1;
}

static int book_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    (void)sink;
    (void)now_ms;
    if (fail_on_order(&book.fail_block, "block", error) != 0)
        return EIO;
    turn_page(block);
    return entries_each(block, write_line, NULL, &nameless);
}

static int book_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    (void)sink;
    (void)now_ms;
    int code = fail_on_order(&book.fail_commit, "commit", error);
    book.commits++;
    if (code && !book.fails_late)
        return code;
    book.confirmed = book.n;
    book.n_confirmed_pages = book.n_pages;
    memcpy(book.confirmed_page, book.page, sizeof book.page);
    return code;
}

static int book_step(struct sink *sink, int64_t now_ms, int64_t *again_ms,
                     char error[SINK_ERROR_SIZE])
{
    (void)sink;
    assert_int_equal(book.n, book.confirmed);
    book.steps++;
    *again_ms = now_ms + 5000;
    if (book.complain > 0 && book.complain--)
        snprintf(error, SINK_ERROR_SIZE, "a chore is not done");
    return fail_on_order(&book.fail_step, "step", error);
}

static int64_t book_wait_ms(const struct sink *sink)
{
    assert_ptr_equal(sink, &book);
    return book.wait_ms;
}

static void book_trouble(const struct sink *sink, int64_t now_ms, char text[SINK_ERROR_SIZE])
{
    assert_ptr_equal(sink, &book);
    (void)now_ms;
    snprintf(text, SINK_ERROR_SIZE, "%s", book.trouble ? book.trouble : "");
}

static const struct sink_type book_type = {.abi = SINK_ABI,
                                           .kind = "book",
                                           .open = book_open,
                                           .close = book_close,
                                           .cursors = book_cursors,
                                           .block = book_block,
                                           .commit = book_commit,
                                           .wait_ms = book_wait_ms,
                                           .trouble = book_trouble};
/* One that does not know how far it is; and one that has something to do from time to time. */
static const struct sink_type leaf_type = {.abi = SINK_ABI,
                                           .kind = "leaf",
                                           .directory = "leaves",
                                           .open = book_open,
                                           .close = book_close,
                                           .block = book_block,
                                           .commit = book_commit};
static const struct sink_type step_type = {.abi = SINK_ABI,
                                           .kind = "step",
                                           .directory = "steps",
                                           .has_own = true,
                                           .open = book_open,
                                           .close = book_close,
                                           .cursors = book_cursors,
                                           .block = book_block,
                                           .commit = book_commit,
                                           .step = book_step};

static const struct sink_type *find(const void *context, const char *kind,
                                    char error[SINK_ERROR_SIZE])
{
    static const struct sink_type *const types[] = {&book_type, &leaf_type, &step_type};
    (void)context;
    for (size_t i = 0; i < N_OF(types); i++)
        if (strcmp(types[i]->kind, kind) == 0)
            return types[i];
    snprintf(error, SINK_ERROR_SIZE, "there is no sink of kind %s", kind);
    return NULL;
}

/* -- The world ------------------------------------------------------------------------------- */

struct world {
    char directory[64];
    struct played played;
    struct feed feed;
    struct report_ring *ring[PLAYED_STREAMS];
    size_t n;
    struct moment now;
    int error;       /* what ended the connection */
    bool is_hearing; /* what is said */
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    memset(&book, 0, sizeof book);
    strcpy(world->directory, "/tmp/dcamp-feed.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->now = (struct moment){START_NS, START_MS};
    played_open(&world->played, "book", OUTLET_SYNC);
    *state = world;
    return 0;
}

static void hear(struct world *world, bool is_hearing)
{
    if (is_hearing && !world->is_hearing)
        said_begin();
    if (!is_hearing && world->is_hearing)
        said_end();
    world->is_hearing = is_hearing;
}

static int teardown(void **state)
{
    struct world *world = *state;
    hear(world, false);
    feed_close(&world->feed, world->now);
    played_disconnect(&world->played);
    for (size_t i = 0; i < world->n; i++)
        ring_free(world->ring[i]);
    chmod(world->directory, 0700);
    remove_all(world->directory);
    free(world);
    return 0;
}

static struct report_ring *node(struct world *world, const char *path, uint32_t boot)
{
    struct report_ring *ring = ring_new(boot);
    world->ring[world->n++] = ring;
    played_stream(&world->played, path, boot, ring);
    return ring;
}

static void begin(struct world *world)
{
    const struct delivery_place place = {world->directory, find, NULL};
    assert_int_equal(feed_open(&world->feed, "test", &place), 0);
}

static void join(struct world *world)
{
    world->feed.link->fd = played_connect(&world->played);
    world->error = feed_connected(&world->feed, world->now);
}

static void run_once(struct world *world)
{
    int error = 0;
    if (world->played.fd >= 0)
        played_serve(&world->played);
    if (world->feed.link->fd >= 0)
        error = feed_receive(&world->feed, world->now);
    if (!error)
        error = feed_work(&world->feed, world->now);
    if (error) {
        feed_disconnected(&world->feed, world->now);
        world->error = error;
    }
}

static void pass(struct world *world, uint64_t ms)
{
    world->now.mono_ns += ms * NS_PER_MS;
    world->now.wall_ms += (int64_t)ms;
}

/* Until there is nothing to be said at that moment, and then for a number of seconds. */
static void run(struct world *world, unsigned seconds)
{
    for (unsigned second = 0; second <= seconds; second++) {
        for (int i = 0; i < 40; i++)
            run_once(world);
        if (second < seconds)
            pass(world, 1000);
    }
}

static void put(struct report_ring *ring, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        ring_value(ring, 1 + i % 3, i);
}

static void begin_and_run(struct world *world, unsigned seconds)
{
    begin(world);
    join(world);
    run(world, seconds);
}

/* The node itself has so many values, and the sink is worked for. */
static void feed_values(struct world *world, uint32_t n, unsigned seconds)
{
    put(node(world, "", BOOT), 1, n);
    begin_and_run(world, seconds);
}

/* The sink has the values of the node from one to the other, each once, in their order, and by
 * their names. */
static void assert_values(const char *path, uint32_t boot, uint32_t from, uint32_t to)
{
    uint32_t next = from;
    char sensor[NAME_SIZE];
    for (size_t i = 0; i < book.confirmed; i++) {
        const struct line *line = &book.line[i];
        if (strcmp(line->path, path) != 0 || line->boot != boot)
            continue;
        assert_true(line->value == next);
        snprintf(sensor, sizeof sensor, "s%u", 1 + next % 3);
        assert_string_equal(line->sensor, sensor);
        next++;
    }
    assert_int_equal(next, to + 1);
}

/* -- What comes is there --------------------------------------------------------------------- */

static void values_are_in_the_sink_by_their_names(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 200);
    put(node(world, "collector1/node7", 9), 1, 100);
    begin_and_run(world, 3);
    assert_values("", BOOT, 1, 200);
    assert_values("collector1/node7", 9, 1, 100);
    assert_int_equal(world->played.stream[0].done, 200);
    assert_int_equal(world->played.stream[1].done, 100);
    assert_int_equal(world->played.stream[0].done_ms, INT64_C(1700000000123));
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_int_equal(world->played.state.blocks, 300);
    assert_int_equal(world->played.state.values, 300);
    assert_int_equal(world->played.state.waiting, 0);
    assert_string_equal(world->played.state.error, "");
    assert_int_equal(world->played.n_asked, 6); /* each number once */
    put(world->ring[0], 201, 210);
    run(world, 2);
    assert_values("", BOOT, 1, 210);
    assert_int_equal(world->played.n_asked, 6);
}

static void it_is_confirmed_once_a_second(void **state)
{
    struct world *world = *state;
    feed_values(world, 10, 0);
    assert_int_equal(book.n, 10);
    assert_int_equal(book.commits, 0);
    assert_true(feed_due(&world->feed, world->now) == world->now.mono_ns + NS_PER_S);
    run(world, 1);
    assert_int_equal(book.commits, 1);
    assert_values("", BOOT, 1, 10);
}

static void an_orderly_end_confirms_what_was_given(void **state)
{
    struct world *world = *state;
    feed_values(world, 10, 0);
    feed_close(&world->feed, world->now);
    assert_values("", BOOT, 1, 10);
    assert_int_equal(book.closes, book.opens);
}

static void a_sink_does_what_it_has_to_when_it_says(void **state)
{
    struct world *world = *state;
    strcpy(world->played.sink.kind, "step");
    feed_values(world, 10, 21);
    assert_in_range(book.steps, 4, 5);
    assert_values("", BOOT, 1, 10);
    assert_string_equal(strrchr(book.location, '/'), "/steps-test");
}

/* It is said once, as long as it is the same, and takes nothing of what is given. */
static void what_a_sink_does_besides_may_not_work(void **state)
{
    struct world *world = *state;
    strcpy(world->played.sink.kind, "step");
    put(node(world, "", BOOT), 1, 10);
    book.complain = 3;
    begin(world);
    join(world);
    hear(world, true);
    run(world, 12);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_string_equal(world->played.state.error, "a chore is not done");
    run(world, 10);
    assert_string_equal(world->played.state.error, "");
    assert_string_equal(said_now(), "warning publish: test: a chore is not done\n");
    hear(world, false);
    assert_int_equal(book.opens, 1);
    assert_values("", BOOT, 1, 10);
}

/* -- Names ----------------------------------------------------------------------------------- */

static void a_name_that_is_not_known_yet_holds_up_its_stream_only(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 5);
    ring_value(node(world, "child", 9), 50, 1);
    put(world->ring[1], 2, 5);
    world->played.not_yet = 50;
    begin_and_run(world, 10);
    assert_values("", BOOT, 1, 5);
    assert_int_equal(world->played.stream[1].done, 0);
    assert_int_equal(world->played.state.waiting, 5);
    assert_in_range(world->played.n_asked, 10, 17); /* once a second */
    world->played.not_yet = UINT32_MAX;
    run(world, 3);
    assert_int_equal(world->played.stream[1].done, 5);
    assert_int_equal(book.confirmed, 10);
    assert_string_equal(book.line[5].sensor, "s50");
}

/* The answers are behind all that the socket holds, which is more than the queue may. */
static void names_come_through_whatever_waits_before_them(void **state)
{
    static const char *const paths[] = {"", "a", "b", "c"};
    struct world *world = *state;
    world->played.sink.queue = 1;
    for (size_t i = 0; i < N_OF(paths); i++)
        put(node(world, paths[i], BOOT), 1, 1000);
    world->played.not_yet = 3; /* it is not the first answer that helps */
    begin_and_run(world, 5);
    world->played.not_yet = UINT32_MAX;
    run(world, 65);
    assert_int_equal(world->played.state.nameless, 0);
    for (size_t i = 0; i < N_OF(paths); i++)
        assert_values(paths[i], BOOT, 1, 1000);
}

static void what_has_no_name_for_a_minute_is_left_out_and_counted(void **state)
{
    struct world *world = *state;
    ring_value(node(world, "", BOOT), 50, 1);
    put(world->ring[0], 2, 5);
    world->played.not_yet = 50;
    begin_and_run(world, 58);
    assert_int_equal(book.confirmed, 0);
    run(world, 5);
    assert_values("", BOOT, 2, 5);
    assert_int_equal(world->played.state.nameless, 1);
    assert_int_equal(world->played.stream[0].done, 5);
    world->played.not_yet = UINT32_MAX; /* it is asked for again, and then it is there */
    run(world, 62);
    ring_value(world->ring[0], 50, 6);
    run(world, 2);
    assert_int_equal(book.confirmed, 5);
    assert_string_equal(book.line[4].sensor, "s50");
}

static void what_nobody_knows_is_left_out_and_counted(void **state)
{
    struct world *world = *state;
    ring_value(node(world, "", BOOT), 50, 1);
    put(world->ring[0], 2, 5);
    world->played.nameless = 50;
    begin_and_run(world, 2);
    assert_values("", BOOT, 2, 5);
    assert_int_equal(world->played.state.nameless, 1);
    assert_int_equal(world->played.state.values, 4);
}

static void only_what_is_wanted_is_given(void **state)
{
    struct world *world = *state;
    strcpy(world->played.sink.sensors, "s1 s3");
    feed_values(world, 30, 2);
    assert_int_equal(book.confirmed, 20);
    for (size_t i = 0; i < book.confirmed; i++)
        assert_string_not_equal(book.line[i].sensor, "s2");
    assert_int_equal(world->played.stream[0].done, 30);
    assert_int_equal(world->played.state.nameless, 0);
    assert_int_equal(world->played.state.values, 20);
}

/* -- Sinks that fail ------------------------------------------------------------------------- */

static void what_failed_is_given_again(void **state)
{
    struct world *world = *state;
    feed_values(world, 50, 2);
    book.fail_block = 3;
    put(world->ring[0], 51, 100);
    hear(world, true);
    run(world, 1);
    assert_int_equal(world->played.state.state, OUTLET_SINK_FAILING);
    assert_string_equal(world->played.state.error, "the block fails");
    assert_int_equal(world->played.state.waiting, 50);
    run(world, 10);
    assert_string_equal(said_now(), "error publish: test: the block fails; it is tried again\n"
                                    "info publish: test: the sink takes what comes again\n");
    hear(world, false);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_values("", BOOT, 1, 100);
    assert_int_equal(world->played.state.blocks, 100);
    assert_int_equal(book.opens, 4);
    assert_int_equal(book.closes, 3);
}

static void it_is_tried_ever_later(void **state)
{
    struct world *world = *state;
    unsigned opens[200];
    put(node(world, "", BOOT), 1, 5);
    book.fail_open = 1000;
    begin(world);
    join(world);
    hear(world, true);
    for (int i = 0; i < 200; i++) {
        run(world, 1);
        opens[i] = book.opens;
    }
    hear(world, false);
    /* At 0, 1, 3, 7, 15, 31, 63, 127 and 191. */
    assert_in_range(opens[0], 1, 2);
    assert_int_equal(opens[10], 4);
    assert_int_equal(opens[100], 7);
    assert_int_equal(opens[199], 9);
    assert_false(world->played.has_begun); /* how far it is is not known */
    assert_string_equal(world->played.state.error, "the opening fails");
    book.fail_open = 0;
    run(world, 70);
    assert_values("", BOOT, 1, 5);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
}

/* A server that says when to come again: not sooner, and not later for what has failed before. */
static void it_is_left_alone_as_long_as_it_wants(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 5);
    book.fail_commit = 2;
    book.wait_ms = 30000;
    begin(world);
    join(world);
    hear(world, true);
    run(world, 5);
    assert_int_equal(world->played.state.state, OUTLET_SINK_FAILING);
    assert_int_equal(book.opens, 1);
    run(world, 24);
    assert_int_equal(book.opens, 1);
    run(world, 5);
    assert_int_equal(book.opens, 2);
    book.wait_ms = 0; /* as of an answer that does not say it: the pause counts */
    run(world, 35);
    hear(world, false);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_values("", BOOT, 1, 5);
}

/* It takes what comes, but for something. */
static void what_is_wrong_with_one_that_is_up_is_shown(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 5);
    begin(world);
    join(world);
    book.trouble = "2 were\nrefused";
    run(world, 3);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_string_equal(world->played.state.error, "2 were?refused");
    put(world->ring[0], 6, 9);
    book.trouble = NULL;
    run(world, 3);
    assert_string_equal(world->played.state.error, "");
}

static void a_commit_that_took_place_although_it_failed_is_not_repeated(void **state)
{
    struct world *world = *state;
    feed_values(world, 50, 2);
    book.fail_commit = 1;
    book.fails_late = true;
    put(world->ring[0], 51, 80);
    run(world, 1);
    put(world->ring[0], 81, 100);
    run(world, 5);
    assert_values("", BOOT, 1, 100);
    assert_int_equal(world->played.stream[0].done, 100);
}

static void a_commit_that_failed_is_repeated(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 50);
    book.fail_commit = 2;
    begin_and_run(world, 8);
    assert_values("", BOOT, 1, 50);
}

static void a_sink_that_has_lost_what_it_had_gets_it_again(void **state)
{
    struct world *world = *state;
    feed_values(world, 50, 2);
    book.confirmed = book.n = 0;
    book.n_confirmed_pages = book.n_pages = 0;
    book.fail_block = 1;
    put(world->ring[0], 51, 60);
    run(world, 3);
    assert_int_equal(world->error, ENODATA);
    join(world);
    run(world, 3);
    assert_values("", BOOT, 1, 60);
}

static void a_step_that_fails_is_a_failure_until_it_does_not(void **state)
{
    struct world *world = *state;
    strcpy(world->played.sink.kind, "step");
    put(node(world, "", BOOT), 1, 10);
    book.fail_step = 3;
    begin(world);
    join(world);
    hear(world, true);
    run(world, 4);
    assert_int_equal(world->played.state.state, OUTLET_SINK_FAILING);
    run(world, 30);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_string_equal(said_now(), "error publish: test: the step fails; it is tried again\n"
                                    "info publish: test: the sink takes what comes again\n");
    hear(world, false);
    assert_values("", BOOT, 1, 10);
}

static void there_is_no_such_kind(void **state)
{
    struct world *world = *state;
    strcpy(world->played.sink.kind, "crystal");
    feed_values(world, 10, 3);
    assert_int_equal(world->played.state.state, OUTLET_SINK_FAILING);
    assert_string_equal(world->played.state.error, "there is no sink of kind crystal");
    assert_false(world->played.has_begun);
}

/* -- Too much -------------------------------------------------------------------------------- */

static void a_full_queue_of_mode_sync_leaves_the_rest_to_dcampd(void **state)
{
    struct world *world = *state;
    world->played.sink.queue = DELIVERY_QUEUE_MIN;
    feed_values(world, 5, 2);
    book.fail_block = 3;
    put(world->ring[0], 6, 1000);
    put(node(world, "a", BOOT), 1, 1000);
    put(node(world, "b", BOOT), 1, 1000);
    run(world, 1);
    assert_false(feed_has_room(&world->feed));
    assert_in_range(world->played.state.waiting, 100, 2994); /* a packet is more than the queue */
    run(world, 20);
    assert_values("", BOOT, 1, 1000);
    assert_values("a", BOOT, 1, 1000);
    assert_values("b", BOOT, 1, 1000);
    assert_int_equal(world->played.state.dropped, 0);
}

static void a_full_queue_of_mode_async_drops_the_oldest(void **state)
{
    struct world *world = *state;
    world->played.sink.queue = DELIVERY_QUEUE_MIN;
    world->played.sink.mode = OUTLET_ASYNC;
    feed_values(world, 5, 2);
    book.fail_block = 3;
    put(world->ring[0], 6, 1000);
    run(world, 3);
    assert_int_equal(world->played.stream[0].sent, 1000);
    uint64_t dropped = world->played.state.dropped;
    assert_in_range(dropped, 1, 994);
    run(world, 20);
    assert_int_equal(world->played.state.dropped, dropped);
    assert_int_equal(world->played.state.blocks + dropped, 1000);
    assert_int_equal(book.confirmed, 1000 - dropped);
    assert_true(book.line[4].value == 5);
    assert_true(book.line[5].value == (double)(6 + dropped));
    assert_true(book.line[book.confirmed - 1].value == 1000);
}

/* The names come behind the blocks that wait for them. */
static void a_full_queue_that_waits_for_names_gets_them(void **state)
{
    struct world *world = *state;
    world->played.sink.queue = DELIVERY_QUEUE_MIN;
    put(node(world, "", BOOT), 1, 1000);
    world->played.is_silent = true;
    begin_and_run(world, 2);
    assert_int_equal(book.n, 0);
    world->played.is_silent = false;
    run(world, 5);
    assert_values("", BOOT, 1, 1000);
}

/* -- Connections ----------------------------------------------------------------------------- */

static void a_connection_that_is_made_again_doubles_nothing(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 50);
    put(node(world, "child", 9), 1, 20);
    begin_and_run(world, 2);
    for (uint32_t i = 0; i < 20; i++) {
        put(world->ring[0], 51 + 10 * i, 60 + 10 * i);
        put(world->ring[1], 21 + i, 21 + i);
        for (uint32_t j = 0; j < i; j++) /* at another point each time */
            run_once(world);
        played_disconnect(&world->played);
        while (world->feed.link->fd >= 0)
            run_once(world);
        assert_int_not_equal(world->error, 0);
        join(world);
    }
    run(world, 3);
    assert_values("", BOOT, 1, 250);
    assert_values("child", 9, 1, 40);
}

static void a_process_that_ends_anyhow_goes_on_where_it_was(void **state)
{
    struct world *world = *state;
    put(node(world, "", BOOT), 1, 50);
    for (uint32_t i = 0; i < 20; i++) {
        put(world->ring[0], 51 + 10 * i, 60 + 10 * i);
        begin(world);
        join(world);
        for (uint32_t j = 0; j < 3 * i; j++) {
            run_once(world);
            pass(world, 300);
        }
        /* What it has in memory is gone, and what was not confirmed. */
        book.fail_commit = 1;
        feed_close(&world->feed, world->now);
        book.fail_commit = 0;
    }
    begin_and_run(world, 3);
    assert_int_equal(world->played.n_cursors, 1);
    assert_values("", BOOT, 1, 250);
}

/* What waits when dcampd is killed is what nobody else has. */
static void what_a_dead_dcampd_has_sent_is_given_after_all(void **state)
{
    struct world *world = *state;
    feed_values(world, 50, 2);
    book.fail_block = 4;
    put(world->ring[0], 51, 60);
    run(world, 0);
    ring_value(world->ring[0], 77, 61); /* a new series, of which it could not be asked any more */
    world->played.is_silent = true;
    run(world, 1);
    played_disconnect(&world->played);
    run(world, 1);
    world->played.n = 0;
    put(node(world, "", BOOT + 1), 1, 10);
    world->played.is_silent = false;
    join(world);
    run(world, 80);
    assert_values("", BOOT, 1, 60);
    assert_values("", BOOT + 1, 1, 10);
    assert_int_equal(world->played.state.nameless, 1);
}

static void another_row_ends_the_process(void **state)
{
    struct world *world = *state;
    node(world, "", BOOT);
    begin_and_run(world, 2);
    played_disconnect(&world->played);
    run(world, 1);
    join(world);
    run(world, 1);
    assert_int_equal(world->error, 0); /* the row is the same */
    assert_true(world->played.has_begun);
    played_disconnect(&world->played);
    run(world, 1);
    strcpy(world->played.sink.location, "/elsewhere");
    join(world);
    run(world, 1);
    assert_int_equal(world->error, ESTALE);
}

static void a_node_that_counts_anew_is_read_from_there(void **state)
{
    struct world *world = *state;
    put(node(world, "child", 9), 1, 50);
    begin_and_run(world, 2);
    played_disconnect(&world->played);
    run(world, 1);
    report_close(world->ring[0]);
    assert_int_equal(report_open(world->ring[0], 9, 1000, REPORT_BLOCK_MIN), 0);
    put(world->ring[0], 1, 20);
    join(world);
    world->played.forgets = true;
    run(world, 3);
    assert_int_equal(book.confirmed, 70);
    assert_true(book.line[69].value == 20);
}

/* -- Bad input ------------------------------------------------------------------------------- */

static void garbage_ends_the_connection(void **state)
{
    struct world *world = *state;
    static const char *const garbage[] = {"x", "0123456789abcdef0123456789abcdef",
                                          "\1\0\0\0\x10\0\0\0\0\0\0\0\0\0\0\0"};
    static const size_t len[] = {1, 32, 16};
    put(node(world, "", BOOT), 1, 10);
    begin(world);
    for (size_t i = 0; i < N_OF(garbage); i++) {
        join(world);
        run(world, 1);
        world->error = 0;
        assert_int_equal(send(world->played.fd, garbage[i], len[i], 0), len[i]);
        run_once(world);
        assert_int_equal(world->error, EBADMSG);
    }
    join(world);
    run(world, 2);
    assert_values("", BOOT, 1, 10);
}

static void send_octets(struct world *world, uint32_t number, const void *octets, size_t len)
{
    union {
        struct outlet_block block;
        uint8_t room[sizeof(struct outlet_block) + 64];
    } message = {.block = {.head = {OUTLET_BLOCK, (uint32_t)(sizeof message.block + len)},
                           .stream = world->played.stream[0].id,
                           .number = number}};
    memcpy(message.block.octets, octets, len);
    played_send(&world->played, &message.block.head);
}

static void a_block_that_is_none_is_passed_over(void **state)
{
    struct world *world = *state;
    feed_values(world, 10, 2);
    hear(world, true);
    send_octets(world, 11, "nonsense", 8);
    send_octets(world, 12, "", 0);
    world->played.stream[0].sent = 10;
    run(world, 2);
    assert_int_equal(world->feed.delivery.refused, 2);
    assert_non_null(strstr(said_now(), "warning publish: own: block 11 is left out: "));
    hear(world, false);
    assert_int_equal(world->played.stream[0].done, 12);
    assert_values("", BOOT, 1, 10);
}

/* -- Cursors of sinks that do not know theirs ------------------------------------------------ */

static void a_file_keeps_the_cursors(void **state)
{
    struct world *world = *state;
    strcpy(world->played.sink.kind, "leaf");
    put(node(world, "", BOOT), 1, 50);
    put(node(world, "a/b", 9), 1, 20);
    begin_and_run(world, 2);
    feed_close(&world->feed, world->now);
    char expected[96];
    snprintf(expected, sizeof expected, "%s/leaves", world->directory);
    assert_string_equal(book.location, expected);
    put(world->ring[0], 51, 60);
    begin_and_run(world, 2);
    assert_int_equal(world->played.n_cursors, 2);
    assert_values("", BOOT, 1, 60);
    assert_values("a/b", 9, 1, 20);
}

/* Where the sink is quiet, too: nothing that it has is given again by another process. */
static void cursors_that_could_not_be_saved_are_saved_later(void **state)
{
    struct world *world = *state;
    char path[128], below[160];
    strcpy(world->played.sink.kind, "leaf");
    feed_values(world, 5, 2);
    snprintf(path, sizeof path, "%s/sinks/test/cursors", world->directory);
    snprintf(below, sizeof below, "%s/below", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0); /* which no file replaces */
    assert_int_equal(mkdir(below, 0700), 0);
    put(world->ring[0], 6, 10);
    hear(world, true);
    run(world, 3);
    assert_int_equal(world->played.state.state, OUTLET_SINK_FAILING);
    assert_non_null(strstr(world->played.state.error, "/cursors: "));
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(rmdir(path), 0);
    run(world, 10);
    hear(world, false);
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
    assert_string_equal(world->played.state.error, "");
    assert_int_equal(access(path, F_OK), 0);
    assert_values("", BOOT, 1, 10);
}

static void a_broken_file_of_cursors_is_kept_aside(void **state)
{
    struct world *world = *state;
    char path[128], other[160];
    strcpy(world->played.sink.kind, "leaf");
    feed_values(world, 5, 2);
    feed_close(&world->feed, world->now);
    snprintf(path, sizeof path, "%s/sinks/test/cursors", world->directory);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs("7 x", file);
    fclose(file);
    hear(world, true);
    begin_and_run(world, 2);
    snprintf(other, sizeof other, "%s:3: this is no cursor", path);
    assert_non_null(strstr(said_now(), other));
    hear(world, false);
    snprintf(other, sizeof other, "%s.broken", path);
    assert_int_equal(access(other, F_OK), 0);
    assert_int_equal(book.confirmed, 10); /* once more */
    assert_int_equal(world->played.state.state, OUTLET_SINK_UP);
}

static void two_processes_do_not_work_for_one_sink(void **state)
{
    struct world *world = *state;
    struct world *other = NULL;
    void *second = NULL;
    node(world, "", BOOT);
    begin_and_run(world, 1);
    setup(&second);
    other = second;
    begin(other);
    other->feed.place.state = world->directory;
    join(other);
    run(other, 1);
    assert_non_null(strstr(other->played.state.error, "works for this sink already"));
    feed_close(&world->feed, world->now);
    run(other, 3);
    assert_int_equal(other->played.has_begun, true);
    teardown(&second);
}

static void a_state_directory_that_is_not_there_is_said(void **state)
{
    struct world *world = *state;
    struct delivery_place place = {"/tmp/dcamp-feed.none/at/all", find, NULL};
    node(world, "", BOOT);
    assert_int_equal(feed_open(&world->feed, "test", &place), 0);
    join(world);
    run(world, 2);
    assert_string_equal(world->played.state.error,
                        "/tmp/dcamp-feed.none/at/all/sinks: No such file or directory");
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(values_are_in_the_sink_by_their_names),
        T(it_is_confirmed_once_a_second),
        T(an_orderly_end_confirms_what_was_given),
        T(a_sink_does_what_it_has_to_when_it_says),
        T(what_a_sink_does_besides_may_not_work),
        T(a_name_that_is_not_known_yet_holds_up_its_stream_only),
        T(names_come_through_whatever_waits_before_them),
        T(what_has_no_name_for_a_minute_is_left_out_and_counted),
        T(what_nobody_knows_is_left_out_and_counted),
        T(only_what_is_wanted_is_given),
        T(what_failed_is_given_again),
        T(it_is_tried_ever_later),
        T(it_is_left_alone_as_long_as_it_wants),
        T(what_is_wrong_with_one_that_is_up_is_shown),
        T(a_commit_that_took_place_although_it_failed_is_not_repeated),
        T(a_commit_that_failed_is_repeated),
        T(a_sink_that_has_lost_what_it_had_gets_it_again),
        T(a_step_that_fails_is_a_failure_until_it_does_not),
        T(there_is_no_such_kind),
        T(a_full_queue_of_mode_sync_leaves_the_rest_to_dcampd),
        T(a_full_queue_of_mode_async_drops_the_oldest),
        T(a_full_queue_that_waits_for_names_gets_them),
        T(a_connection_that_is_made_again_doubles_nothing),
        T(a_process_that_ends_anyhow_goes_on_where_it_was),
        T(what_a_dead_dcampd_has_sent_is_given_after_all),
        T(another_row_ends_the_process),
        T(a_node_that_counts_anew_is_read_from_there),
        T(garbage_ends_the_connection),
        T(a_block_that_is_none_is_passed_over),
        T(a_file_keeps_the_cursors),
        T(cursors_that_could_not_be_saved_are_saved_later),
        T(a_broken_file_of_cursors_is_kept_aside),
        T(two_processes_do_not_work_for_one_sink),
        T(a_state_directory_that_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
