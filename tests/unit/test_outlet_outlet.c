/* The outlet, with the test as the processes of dcamp-publish: real sockets, children that answer
 * and report as nodes do. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text.h"
#include "daemon/handout.h"
#include "outlet/publisher.h"
#include "polled.h"
#include "tree.h"

#define BOOT 9
#define CHILD_BOOT 7
#define KEEP 600

/* What a packet had of each kind, in the order of its messages. */
#define SEEN_MAX 4000
struct seen {
    uint32_t kind, stream, number, last, answer;
    char text[INSTANCE_SIZE], group[NAME_SIZE];
};

struct desk {
    struct polled *polled;
    struct tree tree;
    pthread_mutex_t lock;
    struct outlet outlet;
    struct handout handout;
    struct report_ring *own;
    struct dictionary dictionary;
    struct outlet_sink sink;
    char path[PATH_MAX];
    struct seen seen[SEEN_MAX];
    size_t n;
};

static struct outlet_sink sink_named(const char *name)
{
    struct outlet_sink sink = {.mode = OUTLET_SYNC};
    snprintf(sink.name, sizeof sink.name, "%s", name);
    snprintf(sink.kind, sizeof sink.kind, "csv");
    return sink;
}

static void set_sinks(struct desk *desk, const struct outlet_sink *sinks, size_t n)
{
    assert_true(outlet_sync(&desk->outlet, sinks, n));
    handout_sync(&desk->handout);
}

static void listen_at(struct desk *desk)
{
    assert_int_equal(
        outlet_listen(&desk->outlet, desk->path, BOOT, "me", "here", desk->polled->now.mono_ns), 0);
}

static int set_up(void **state)
{
    struct desk *desk = calloc(1, sizeof *desk);
    desk->polled = polled_new();
    tree_new(&desk->tree);
    tree_path(&desk->tree, "publish", desk->path);
    pthread_mutex_init(&desk->lock, NULL);
    desk->own = calloc(1, sizeof *desk->own);
    assert_int_equal(report_open(desk->own, BOOT, KEEP, REPORT_BLOCK_MAX), 0);
    dictionary_open(&desk->dictionary);
    handout_open(&desk->handout, &desk->outlet, &desk->polled->children, desk->own,
                 &desk->dictionary, &desk->lock);
    desk->sink = sink_named("out");
    set_sinks(desk, &desk->sink, 1);
    listen_at(desk);
    *state = desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    handout_close(&desk->handout);
    assert_int_equal(access(desk->path, F_OK), -1);
    dictionary_close(&desk->dictionary);
    ring_free(desk->own);
    polled_free(desk->polled);
    tree_remove(&desk->tree, "");
    pthread_mutex_destroy(&desk->lock);
    free(desk);
    return 0;
}

/* -- As a publisher --------------------------------------------------------------------------- */

static int dial(const struct desk *desk)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    text_format(address.sun_path, sizeof address.sun_path, "%s", desk->path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static uint64_t step(struct desk *desk)
{
    desk->outlet.is_ready = true;
    return outlet_step(&desk->outlet, desk->polled->now.mono_ns);
}

static void say_octets(int fd, const void *octets, size_t len)
{
    assert_int_equal(send(fd, octets, len, 0), len);
}

static void say(int fd, void *message, uint32_t kind, size_t size)
{
    *(struct message *)message = (struct message){kind, (uint32_t)size};
    size_t used = 0;
    static uint8_t packet[MESSAGE_PACKET_MAX] __attribute__((aligned(8)));
    assert_true(message_put(packet, &used, message));
    say_octets(fd, packet, used);
}

static void say_hello(int fd, const char *sink)
{
    struct outlet_hello hello = {.version = OUTLET_VERSION};
    snprintf(hello.sink, sizeof hello.sink, "%s", sink);
    say(fd, &hello, OUTLET_HELLO, sizeof hello);
}

static void say_cursor(int fd, const char *path, const struct child *child, uint32_t boot,
                       uint32_t next)
{
    struct outlet_cursor cursor = {.boot = boot, .next = next};
    snprintf(cursor.path, sizeof cursor.path, "%s", path);
    if (child) {
        cursor.engine_id_len = child->identity.engine_id_len;
        memcpy(cursor.engine_id, child->identity.engine_id, sizeof cursor.engine_id);
    }
    say(fd, &cursor, OUTLET_CURSOR, sizeof cursor);
}

static void say_begin(int fd)
{
    struct message begin;
    say(fd, &begin, OUTLET_BEGIN, sizeof begin);
}

static void see(struct desk *desk, const struct message *message)
{
    assert_true(desk->n < SEEN_MAX);
    struct seen *seen = &desk->seen[desk->n++];
    *seen = (struct seen){.kind = message->kind};
    switch (message->kind) {
    case OUTLET_SINK:
        snprintf(seen->text, sizeof seen->text, "%s", ((const struct outlet_sink *)message)->name);
        break;
    case OUTLET_STREAM: {
        const struct outlet_stream *stream = (const void *)message;
        seen->stream = stream->stream;
        seen->number = stream->first;
        snprintf(seen->text, sizeof seen->text, "%s", stream->name);
        snprintf(seen->group, sizeof seen->group, "%s", stream->group);
        break;
    }
    case OUTLET_BLOCK: {
        const struct outlet_block *block = (const void *)message;
        seen->stream = block->stream;
        seen->number = block->number;
        break;
    }
    case OUTLET_LOST: {
        const struct outlet_lost *lost = (const void *)message;
        *seen = (struct seen){OUTLET_LOST, lost->stream, lost->first, lost->last, 0, "", ""};
        break;
    }
    case OUTLET_NAME: {
        const struct outlet_name *name = (const void *)message;
        seen->stream = name->stream;
        seen->number = name->series;
        seen->answer = name->answer;
        snprintf(seen->text, sizeof seen->text, "%s", name->sensor);
        break;
    }
    default:
        assert_int_equal(message->kind, OUTLET_SINKS_END);
    }
}

/* One packet. False: none; *ended: and there will be none any more. */
static bool hear_packet(struct desk *desk, int fd, bool *ended)
{
    static uint8_t packet[MESSAGE_PACKET_MAX] __attribute__((aligned(8)));
    ssize_t n = recv(fd, packet, sizeof packet, 0);
    *ended = n == 0 || (n < 0 && errno == ECONNRESET);
    if (n <= 0)
        return false;
    const struct message *message;
    size_t at = 0;
    while ((message = outlet_next_from_daemon(packet, (size_t)n, &at)))
        see(desk, message);
    assert_int_equal(at, n);
    return true;
}

/* All that comes in a step and those that follow at once; what it was is in desk->seen. */
static void hear(struct desk *desk, int fd)
{
    bool ended, any = true;
    desk->n = 0;
    while (any) {
        uint64_t due = step(desk);
        any = due <= desk->polled->now.mono_ns;
        while (hear_packet(desk, fd, &ended))
            any = true;
        assert_false(ended);
    }
}

static void assert_ended(struct desk *desk, int fd)
{
    bool ended = false;
    step(desk);
    while (hear_packet(desk, fd, &ended))
        ;
    assert_true(ended);
    close(fd);
}

/* Blocks of a stream, from one to another, in this order, and nothing else of it. */
static void assert_blocks(const struct desk *desk, uint32_t stream, uint32_t first, uint32_t last)
{
    uint32_t next = first;
    for (size_t i = 0; i < desk->n; i++) {
        const struct seen *seen = &desk->seen[i];
        if (seen->kind != OUTLET_BLOCK || seen->stream != stream)
            continue;
        assert_int_equal(seen->number, next);
        next++;
    }
    assert_int_equal(next, last + 1);
}

static const struct seen *find(const struct desk *desk, uint32_t kind, const char *text)
{
    for (size_t i = 0; i < desk->n; i++)
        if (desk->seen[i].kind == kind && (!text || strcmp(desk->seen[i].text, text) == 0))
            return &desk->seen[i];
    return NULL;
}

/* The stream of a node that was told of; its first block as it says. */
static uint32_t stream_of(const struct desk *desk, const char *name, uint32_t first)
{
    const struct seen *seen = find(desk, OUTLET_STREAM, name);
    assert_non_null(seen);
    assert_int_equal(seen->number, first);
    return seen->stream;
}

/* Connected, with all that there is. */
static int begun(struct desk *desk)
{
    int fd = dial(desk);
    say_hello(fd, "out");
    say_begin(fd);
    hear(desk, fd);
    return fd;
}

static struct outlet_sink_row *row(const struct desk *desk)
{
    return (struct outlet_sink_row *)index_first(&desk->outlet.sinks);
}

/* -- Children --------------------------------------------------------------------------------- */

/* One block with so many octets, more or less. */
static void ring_octets(struct report_ring *ring, size_t octets)
{
    for (size_t i = 0; i < octets / 10; i++)
        assert_int_equal(
            report_add(ring, (uint32_t)(1 + i), 1700000000000,
                       &(struct result){.state = RESULT_VALID, .value = 0.1 * (double)(i + 1)}),
            0);
    assert_int_equal(report_flush(ring), 0);
}

static void poll_child(struct desk *desk, const struct child *child, const struct report_ring *ring)
{
    polled_answer(desk->polled, child, CHILD_BOOT, ring, child->cursor.next_block);
}

/* -- Own blocks ------------------------------------------------------------------------------- */

static void own_blocks_come_in_their_order(void **state)
{
    struct desk *desk = *state;
    for (int i = 0; i < 3; i++)
        ring_value(desk->own, 1, i);
    int fd = begun(desk);
    assert_non_null(find(desk, OUTLET_SINK, "out"));
    assert_blocks(desk, stream_of(desk, "me", 1), 1, 3);
    assert_true(row(desk)->connected);
    for (uint32_t i = 4; i < 50; i++) {
        ring_value(desk->own, 1, i);
        hear(desk, fd);
        assert_int_equal(desk->n, 1);
        assert_blocks(desk, 1, i, i);
    }
    close(fd);
    step(desk);
    assert_false(row(desk)->connected);
    assert_int_equal(row(desk)->state.state, OUTLET_SINK_ABSENT);
    assert_int_equal(row(desk)->lost, 0);
}

/* As after a SIGHUP: nobody waits for the next boot to hear of it. */
static void another_group_is_told(void **state)
{
    struct desk *desk = *state;
    ring_value(desk->own, 1, 1);
    int fd = begun(desk);
    outlet_regroup(&desk->outlet, "another");
    ring_value(desk->own, 1, 2);
    hear(desk, fd);
    assert_int_equal(stream_of(desk, "me", 2), 1);
    assert_string_equal(find(desk, OUTLET_STREAM, "me")->group, "another");
    assert_blocks(desk, 1, 2, 2);
    outlet_regroup(&desk->outlet, "another");
    ring_value(desk->own, 1, 3);
    hear(desk, fd);
    assert_int_equal(desk->n, 1);
    close(fd);
}

static void own_blocks_begin_at_the_cursor(void **state)
{
    static const struct {
        uint32_t boot, next, first;
    } cases[] = {{BOOT, 3, 3}, {BOOT, 5, 5},     {BOOT, 6, 1}, {BOOT, 4711, 1},
                 {BOOT, 0, 1}, {BOOT - 1, 3, 1}, {BOOT, 1, 1}};
    struct desk *desk = *state;
    for (int i = 0; i < 4; i++)
        ring_value(desk->own, 1, i);
    for (size_t i = 0; i < N_OF(cases); i++) {
        int fd = dial(desk);
        say_hello(fd, "out");
        say_cursor(fd, "", NULL, cases[i].boot, cases[i].next);
        say_begin(fd);
        hear(desk, fd);
        if (cases[i].first <= 4)
            assert_blocks(desk, stream_of(desk, "me", cases[i].first), cases[i].first, 4);
        else
            assert_null(find(desk, OUTLET_BLOCK, NULL));
        close(fd);
        step(desk);
    }
}

static void a_slow_reader_gets_all(void **state)
{
    struct desk *desk = *state;
    for (int i = 0; i < 500; i++)
        ring_octets(desk->own, 3000);
    int fd = dial(desk);
    say_hello(fd, "out");
    say_begin(fd);
    while (step(desk) <= desk->polled->now.mono_ns)
        ;
    const struct outlet_publisher *publisher = TAILQ_FIRST(&desk->outlet.publishers);
    assert_true(publisher->out_used > 0); /* the socket is full */
    assert_false(publisher->writable);
    struct pollfd wakes = {.fd = outlet_fd(&desk->outlet), .events = POLLIN};
    assert_int_equal(poll(&wakes, 1, 0), 0);
    bool ended;
    desk->n = 0;
    while (hear_packet(desk, fd, &ended)) {
    }
    assert_int_equal(poll(&wakes, 1, 0), 1);
    size_t before = desk->n;
    assert_true(before < 500);
    struct seen *seen = malloc(before * sizeof *seen);
    memcpy(seen, desk->seen, before * sizeof *seen);
    hear(desk, fd);
    memmove(desk->seen + before, desk->seen, desk->n * sizeof *seen);
    memcpy(desk->seen, seen, before * sizeof *seen);
    desk->n += before;
    assert_blocks(desk, 1, 1, 500);
    free(seen);
    close(fd);
}

static void own_blocks_that_are_gone_are_lost(void **state)
{
    struct desk *desk = *state;
    uint32_t keep = report_keep(desk->own);
    int fd = begun(desk);
    for (uint32_t i = 0; i < keep + 5; i++)
        ring_value(desk->own, 1, i);
    hear(desk, fd);
    const struct seen *lost = find(desk, OUTLET_LOST, NULL);
    assert_non_null(lost);
    assert_int_equal(lost->number, 1);
    assert_int_equal(lost->last, 5);
    assert_blocks(desk, 1, 6, keep + 5);
    assert_int_equal(row(desk)->lost, 5);
    close(fd);
}

/* -- Blocks of children ----------------------------------------------------------------------- */

static void blocks_of_children_come_in_their_order(void **state)
{
    struct desk *desk = *state;
    struct report_ring *ring = ring_new(CHILD_BOOT);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    int fd = begun(desk);
    uint32_t stream = stream_of(desk, "leaf", 1);
    assert_blocks(desk, stream, 1, ring->last);
    for (int i = 0; i < 20; i++) {
        uint32_t first = ring->last + 1;
        ring_value(ring, 1, i);
        ring_value(ring, 1, i);
        poll_child(desk, child, ring);
        hear(desk, fd);
        assert_blocks(desk, stream, first, ring->last);
    }
    assert_null(find(desk, OUTLET_LOST, NULL));
    /* Another publisher later has all that is kept. */
    close(fd);
    step(desk);
    fd = begun(desk);
    assert_blocks(desk, stream_of(desk, "leaf", 1), 1, ring->last);
    close(fd);
    ring_free(ring);
}

static void children_begin_at_the_cursor(void **state)
{
    struct desk *desk = *state;
    struct report_ring *ring = ring_new(CHILD_BOOT);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    for (int i = 0; i < 9; i++)
        ring_value(ring, 1, i);
    poll_child(desk, child, ring);
    int fd = dial(desk);
    say_hello(fd, "out");
    say_cursor(fd, "leaf", child, CHILD_BOOT - 1, 9);
    say_cursor(fd, "leaf", child, CHILD_BOOT, 8);
    say_begin(fd);
    hear(desk, fd);
    assert_blocks(desk, stream_of(desk, "leaf", 8), 8, ring->last);
    close(fd);
    step(desk);
    fd = dial(desk);
    say_hello(fd, "out");
    say_cursor(fd, "leaf", child, CHILD_BOOT, ring->last + 2); /* it has lost its state */
    say_begin(fd);
    hear(desk, fd);
    assert_blocks(desk, stream_of(desk, "leaf", 1), 1, ring->last);
    close(fd);
    ring_free(ring);
}

static void what_fell_out_is_read_again(void **state)
{
    struct desk *desk = *state;
    struct report_ring *ring = ring_new(CHILD_BOOT);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    int fd = begun(desk);
    uint32_t stream = stream_of(desk, "leaf", 1), next = ring->last + 1;
    size_t asked, most = desk->outlet.backlog.most;
    desk->outlet.backlog.most = 1; /* there is room for one block */
    for (int i = 0; i < 9; i++)
        ring_value(ring, 1, i);
    poll_child(desk, child, ring);
    desk->outlet.backlog.most = most;
    polled_forget_sent(desk->polled);
    hear(desk, fd);
    assert_null(find(desk, OUTLET_BLOCK, NULL));
    assert_null(find(desk, OUTLET_LOST, NULL));
    const struct message_move *move = polled_sent(desk->polled, MESSAGE_MOVE, &asked);
    assert_int_equal(asked, 1);
    assert_int_equal(move->id, child->id);
    assert_true(move->again);
    hear(desk, fd);
    polled_sent(desk->polled, MESSAGE_MOVE, &asked);
    assert_int_equal(asked, 1); /* once a minute */
    assert_int_equal(child->cursor.again_until, ring->last + 1);
    /* What was read before is not what the node knows of the child. */
    uint64_t blocks = child->cursor.blocks, series = child->series.n_named;
    struct answer *again = answer_of_ring(child, CHILD_BOOT, ring, 1);
    answer_give(desk->polled, again);
    assert_true(child->cursor.blocks > blocks);
    assert_int_equal(child->series.n_named, series);
    assert_int_equal(child->cursor.again_until, 0);
    hear(desk, fd);
    assert_blocks(desk, stream, next, ring->last);
    assert_int_equal(row(desk)->lost, 0);
    close(fd);
    ring_free(ring);
}

static void what_nobody_has_is_lost(void **state)
{
    struct desk *desk = *state;
    struct report_ring *ring = ring_new(CHILD_BOOT);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    uint32_t keep = report_keep(ring);
    int fd = begun(desk);
    uint32_t next = ring->last + 1, stream = stream_of(desk, "leaf", 1);
    for (uint32_t i = 0; i < keep + 3; i++)
        ring_value(ring, 1, i);
    struct answer *answer = answer_of_ring(child, CHILD_BOOT, ring, ring->first);
    answer->head.first = ring->first;
    answer_give(desk->polled, answer);
    hear(desk, fd);
    const struct seen *lost = find(desk, OUTLET_LOST, NULL);
    assert_non_null(lost);
    assert_int_equal(lost->stream, stream);
    assert_int_equal(lost->number, next);
    assert_int_equal(lost->last, ring->first - 1);
    assert_blocks(desk, stream, ring->first, ring->last);
    assert_int_equal(row(desk)->lost, ring->first - next);
    close(fd);
    ring_free(ring);
}

static void another_boot_is_another_stream(void **state)
{
    struct desk *desk = *state;
    struct report_ring *ring = ring_new(CHILD_BOOT), *later = ring_new(CHILD_BOOT + 1);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    int fd = begun(desk);
    uint32_t stream = stream_of(desk, "leaf", 1);
    ring_value(later, 1, 3);
    polled_answer(desk->polled, child, CHILD_BOOT + 1, later, 0);
    hear(desk, fd);
    uint32_t other = stream_of(desk, "leaf", 1);
    assert_int_not_equal(other, stream);
    assert_blocks(desk, other, 1, 1);
    assert_int_equal(desk->outlet.backlog.n_over, 1); /* its block is kept for others */
    close(fd);
    ring_free(ring);
    ring_free(later);
}

static void without_sinks_nothing_is_kept(void **state)
{
    struct desk *desk = *state;
    struct report_ring *ring = ring_new(CHILD_BOOT);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    assert_true(desk->outlet.backlog.octets > 0);
    set_sinks(desk, NULL, 0);
    ring_value(ring, 1, 2);
    poll_child(desk, child, ring);
    assert_int_equal(desk->outlet.backlog.octets, 0);
    assert_int_equal(desk->outlet.backlog.numbers.count, 0);
    assert_null(desk->polled->children.blocks);
    ring_free(ring);
}

/* -- Names ------------------------------------------------------------------------------------ */

static void ask(int fd, uint32_t stream, uint32_t series)
{
    struct outlet_look_up ask = {.stream = stream, .n = 1, .series = {series}};
    say(fd, &ask, OUTLET_LOOK_UP, sizeof ask);
}

static void names_of_all(void **state)
{
    struct desk *desk = *state;
    struct dictionary_entry entry = {
        .sensor = "cpu", .instance = "total", .metric = "cpu.user", .unit = "%"};
    dictionary_add(&desk->dictionary, &entry);
    struct report_ring *ring = ring_new(CHILD_BOOT);
    struct child *child = reporting_child(desk->polled, "leaf", ring);
    ring_value(ring, 2, 5);
    poll_child(desk, child, ring);
    int fd = begun(desk);
    uint32_t stream = stream_of(desk, "leaf", 1);
    const struct {
        uint32_t stream, series, answer;
        const char *sensor;
    } cases[] = {
        {1, entry.number, OUTLET_NAMED, "cpu"}, {1, entry.number + 1, OUTLET_NAMELESS, ""},
        {stream, 1, OUTLET_NAMED, "load"},      {stream, 2, OUTLET_NOT_YET, ""},
        {stream, 3, OUTLET_NAMELESS, ""},       {4711, 1, OUTLET_NAMELESS, ""},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        ask(fd, cases[i].stream, cases[i].series);
        hear(desk, fd);
        assert_int_equal(desk->n, 1);
        assert_int_equal(desk->seen[0].kind, OUTLET_NAME);
        assert_int_equal(desk->seen[0].stream, cases[i].stream);
        assert_int_equal(desk->seen[0].number, cases[i].series);
        assert_int_equal(desk->seen[0].answer, cases[i].answer);
        assert_string_equal(desk->seen[0].text, cases[i].sensor);
    }
    close(fd);
    dictionary_remove(&desk->dictionary, &entry);
    ring_free(ring);
}

static void many_questions_are_all_answered(void **state)
{
    struct desk *desk = *state;
    int fd = begun(desk);
    struct outlet_look_up ask = {.stream = 1, .n = OUTLET_LOOK_UP_MAX};
    static uint8_t packet[MESSAGE_PACKET_MAX] __attribute__((aligned(8)));
    size_t used = 0;
    ask.head = (struct message){OUTLET_LOOK_UP, sizeof ask};
    for (int i = 0; i < 8; i++)
        assert_true(message_put(packet, &used, &ask.head));
    say_octets(fd, packet, used);
    hear(desk, fd);
    assert_int_equal(desk->n, 8 * OUTLET_LOOK_UP_MAX);
    close(fd);
}

/* -- What a sink says of itself --------------------------------------------------------------- */

static void rows_have_what_sinks_say(void **state)
{
    struct desk *desk = *state;
    int fd = begun(desk);
    struct outlet_state told = {
        .state = OUTLET_SINK_FAILING, .error = "disk\x1b[2J full", .blocks = 4, .dropped = 2};
    struct outlet_done done = {.stream = 1, .number = 3, .wall_ms = 1234};
    assert_int_equal(row(desk)->state.state, OUTLET_SINK_ABSENT); /* it has said nothing yet */
    say(fd, &told, OUTLET_STATE, sizeof told);
    say(fd, &done, OUTLET_DONE, sizeof done);
    done.wall_ms = 1000;
    say(fd, &done, OUTLET_DONE, sizeof done);
    hear(desk, fd);
    assert_int_equal(row(desk)->state.state, OUTLET_SINK_FAILING);
    assert_string_equal(row(desk)->state.error, "disk?[2J full");
    assert_int_equal(row(desk)->state.blocks, 4);
    assert_int_equal(row(desk)->confirmed_ms, 1234);
    close(fd);
}

static void a_sink_that_changes_is_left(void **state)
{
    struct desk *desk = *state;
    int fd = begun(desk), all = dial(desk);
    say_hello(all, "");
    hear(desk, all);
    assert_int_equal(desk->n, 2);
    assert_non_null(find(desk, OUTLET_SINK, "out"));
    set_sinks(desk, &desk->sink, 1); /* as it was */
    hear(desk, all);
    assert_int_equal(desk->n, 0);
    struct outlet_sink sinks[2] = {desk->sink, sink_named("two")};
    sinks[0].queue = 5;
    set_sinks(desk, sinks, 2);
    assert_ended(desk, fd);
    desk->n = 0;
    bool ended;
    while (hear_packet(desk, all, &ended)) {
    }
    hear(desk, all);
    assert_int_equal(row(desk)->settings.queue, 5);
    assert_false(row(desk)->connected);
    set_sinks(desk, sinks + 1, 1);
    hear(desk, all);
    assert_int_equal(desk->n, 2);
    assert_non_null(find(desk, OUTLET_SINK, "two"));
    close(all);
}

static void nobody_works_for_two(void **state)
{
    struct desk *desk = *state;
    int fd = begun(desk), other = dial(desk);
    say_hello(other, "out");
    assert_ended(desk, other);
    other = dial(desk);
    say_hello(other, "nothing");
    assert_ended(desk, other);
    close(fd); /* and one that comes in the same moment may */
    other = dial(desk);
    say_hello(other, "out");
    say_begin(other);
    hear(desk, other);
    assert_true(row(desk)->connected);
    close(other);
}

/* -- Who is refused --------------------------------------------------------------------------- */

static void another_version_is_refused(void **state)
{
    struct desk *desk = *state;
    int fd = dial(desk);
    struct outlet_hello hello = {.version = OUTLET_VERSION + 1};
    say(fd, &hello, OUTLET_HELLO, sizeof hello);
    assert_ended(desk, fd);
}

static void garbage_ends_one_connection_only(void **state)
{
    struct desk *desk = *state;
    int fd = begun(desk), all = dial(desk);
    static const uint64_t garbage[] = {0x1234567890abcdef, 0, 77};
    say_hello(all, "");
    hear(desk, all);
    for (size_t len = 1; len <= sizeof garbage; len++) {
        int other = dial(desk);
        say_octets(other, garbage, len);
        assert_ended(desk, other);
    }
    int other = dial(desk);
    say_begin(other); /* before it has said who it is */
    assert_ended(desk, other);
    other = dial(desk);
    say_octets(other, (uint8_t[MESSAGE_PACKET_MAX + 8]){0}, MESSAGE_PACKET_MAX + 8);
    assert_ended(desk, other);
    say_begin(all);
    assert_ended(desk, all);
    ring_value(desk->own, 1, 1);
    hear(desk, fd);
    assert_non_null(find(desk, OUTLET_BLOCK, NULL));
    close(fd);
}

static void there_are_sixteen(void **state)
{
    struct desk *desk = *state;
    int fd[OUTLET_PUBLISHERS_MAX];
    for (size_t i = 0; i < N_OF(fd); i++)
        fd[i] = dial(desk);
    step(desk);
    assert_int_equal(desk->outlet.n_publishers, OUTLET_PUBLISHERS_MAX);
    int another = dial(desk);
    assert_ended(desk, another);
    say_hello(fd[15], "out");
    say_begin(fd[15]);
    hear(desk, fd[15]);
    for (size_t i = 0; i < N_OF(fd); i++)
        close(fd[i]);
    step(desk);
    assert_int_equal(desk->outlet.n_publishers, 0);
}

static void who_says_nothing_keeps_no_place(void **state)
{
    struct desk *desk = *state;
    int fd[OUTLET_PUBLISHERS_MAX];
    for (size_t i = 0; i < N_OF(fd); i++)
        fd[i] = dial(desk);
    uint64_t due = step(desk);
    assert_int_equal(desk->outlet.n_publishers, OUTLET_PUBLISHERS_MAX);
    say_hello(fd[0], "out"); /* how far its sink is may take as long as that takes */
    step(desk);
    assert_true(due > desk->polled->now.mono_ns);
    assert_true(due <= desk->polled->now.mono_ns + 10 * NS_PER_S);
    desk->polled->now.mono_ns = due;
    for (size_t i = 1; i < N_OF(fd); i++)
        assert_ended(desk, fd[i]);
    assert_int_equal(desk->outlet.n_publishers, 1);
    assert_true(row(desk)->connected);
    assert_int_equal(step(desk), UINT64_MAX);
    close(fd[0]);
    close(begun(desk));
}

/* -- The socket ------------------------------------------------------------------------------- */

static void the_socket_is_for_its_group(void **state)
{
    struct desk *desk = *state;
    struct stat is;
    assert_int_equal(stat(desk->path, &is), 0);
    assert_int_equal(is.st_mode, S_IFSOCK | 0660);
}

static void a_socket_of_the_dead_is_replaced(void **state)
{
    struct desk *desk = *state;
    struct listener listener;
    char path[PATH_MAX];
    tree_path(&desk->tree, "other", path);
    assert_int_equal(listener_open(&listener, path, 1), 0);
    struct listener second;
    assert_int_equal(listener_open(&second, path, 1), EADDRINUSE);
    close(listener.fd); /* as if it had died */
    assert_int_equal(listener_open(&second, path, 1), 0);
    listener.fd = dup(second.fd);
    listener_close(&listener, path); /* not its own any more */
    assert_int_equal(access(path, F_OK), 0);
    listener_close(&second, path);
    assert_int_equal(access(path, F_OK), -1);
    tree_write(&desk->tree, "other", "text");
    assert_int_equal(listener_open(&second, path, 1), EEXIST);
    memset(path + strlen(path), 'x', 200);
    path[sizeof path - 1] = '\0';
    assert_int_equal(listener_open(&second, path, 1), ENAMETOOLONG);
}

/* Several daemons that begin at once. */
#define RIVALS 4
struct rival {
    pthread_t thread;
    pthread_barrier_t *barrier;
    const char *path;
    struct listener listener;
    int error;
};

static void *compete(void *context)
{
    struct rival *rival = context;
    pthread_barrier_wait(rival->barrier);
    rival->error = listener_open(&rival->listener, rival->path, 1);
    return NULL;
}

static void one_of_many_gets_the_socket_of_the_dead(void **state)
{
    struct desk *desk = *state;
    struct rival rivals[RIVALS];
    pthread_barrier_t barrier;
    char path[PATH_MAX];
    tree_path(&desk->tree, "other", path);
    pthread_barrier_init(&barrier, NULL, RIVALS);
    for (int round = 0; round < 500; round++) {
        struct listener dead;
        size_t winners = 0;
        assert_int_equal(listener_open(&dead, path, 1), 0);
        close(dead.fd);
        for (size_t i = 0; i < RIVALS; i++) {
            rivals[i] = (struct rival){.barrier = &barrier, .path = path, .listener.fd = -1};
            assert_int_equal(pthread_create(&rivals[i].thread, NULL, compete, &rivals[i]), 0);
        }
        for (size_t i = 0; i < RIVALS; i++)
            pthread_join(rivals[i].thread, NULL);
        for (size_t i = 0; i < RIVALS; i++) {
            winners += rivals[i].error == 0;
            assert_true(rivals[i].error == 0 || rivals[i].error == EADDRINUSE);
            if (rivals[i].error == 0)
                close(rivals[i].listener.fd);
        }
        assert_int_equal(winners, 1);
    }
    pthread_barrier_destroy(&barrier);
}

static void nobody_there_costs_nothing(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(outlet_step(&desk->outlet, 1), UINT64_MAX);
    int fd = dial(desk);
    assert_int_equal(outlet_step(&desk->outlet, 1), UINT64_MAX);
    assert_int_equal(desk->outlet.n_publishers, 0); /* nobody has told it */
    struct pollfd wakes = {.fd = outlet_fd(&desk->outlet), .events = POLLIN};
    assert_int_equal(poll(&wakes, 1, 0), 1);
    step(desk);
    assert_int_equal(desk->outlet.n_publishers, 1);
    close(fd);
}

static void the_end_hands_out_what_there_is(void **state)
{
    struct desk *desk = *state;
    int fd = begun(desk);
    for (int i = 0; i < 100; i++)
        ring_octets(desk->own, 1000);
    outlet_finish(&desk->outlet, desk->polled->now.mono_ns);
    desk->n = 0;
    bool ended;
    while (hear_packet(desk, fd, &ended)) {
    }
    assert_blocks(desk, 1, 1, 100);
    close(fd);
}

/* A process that takes and asks more each time that the outlet turns to it. */
struct asking {
    struct outlet_neighbours neighbours; /* as they were */
    int fd;
};

static void ask_more(void *context)
{
    struct asking *asking = context;
    const struct outlet_look_up ask = {.head = {OUTLET_LOOK_UP, sizeof ask}, .stream = 1, .n = 64};
    static uint8_t answer[MESSAGE_PACKET_MAX];
    while (recv(asking->fd, answer, sizeof answer, MSG_DONTWAIT) > 0)
        ;
    ssize_t refused = send(asking->fd, &ask, sizeof ask, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)refused; /* many wait already */
    asking->neighbours.lock(asking->neighbours.context);
}

static void lock_no_more(void *context)
{
    const struct asking *asking = context;
    asking->neighbours.unlock(asking->neighbours.context);
}

static void the_end_does_not_wait_for_who_asks_for_ever(void **state)
{
    struct desk *desk = *state;
    struct asking asking = {.neighbours = desk->outlet.neighbours, .fd = begun(desk)};
    desk->outlet.neighbours =
        (struct outlet_neighbours){.lock = ask_more, .unlock = lock_no_more, .context = &asking};
    say(asking.fd, &(struct outlet_look_up){.stream = 1, .n = 1}, OUTLET_LOOK_UP,
        sizeof(struct outlet_look_up));
    outlet_finish(&desk->outlet, desk->polled->now.mono_ns);
    desk->outlet.neighbours = asking.neighbours;
    close(asking.fd);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(own_blocks_come_in_their_order),
        DESK_TEST(own_blocks_begin_at_the_cursor),
        DESK_TEST(another_group_is_told),
        DESK_TEST(a_slow_reader_gets_all),
        DESK_TEST(own_blocks_that_are_gone_are_lost),
        DESK_TEST(blocks_of_children_come_in_their_order),
        DESK_TEST(children_begin_at_the_cursor),
        DESK_TEST(what_fell_out_is_read_again),
        DESK_TEST(what_nobody_has_is_lost),
        DESK_TEST(another_boot_is_another_stream),
        DESK_TEST(without_sinks_nothing_is_kept),
        DESK_TEST(names_of_all),
        DESK_TEST(many_questions_are_all_answered),
        DESK_TEST(rows_have_what_sinks_say),
        DESK_TEST(a_sink_that_changes_is_left),
        DESK_TEST(nobody_works_for_two),
        DESK_TEST(another_version_is_refused),
        DESK_TEST(garbage_ends_one_connection_only),
        DESK_TEST(there_are_sixteen),
        DESK_TEST(who_says_nothing_keeps_no_place),
        DESK_TEST(the_socket_is_for_its_group),
        DESK_TEST(a_socket_of_the_dead_is_replaced),
        DESK_TEST(one_of_many_gets_the_socket_of_the_dead),
        DESK_TEST(nobody_there_costs_nothing),
        DESK_TEST(the_end_hands_out_what_there_is),
        DESK_TEST(the_end_does_not_wait_for_who_asks_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
