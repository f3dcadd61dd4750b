#include "tests/week/writer.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publish/chronicle.h"
#include "publish/database.h"
#include "report/report.h"
#include "tests/bench/rounds.h"
#include "tests/week/checker.h"
#include "tests/week/world.h"

#define KEEP (3 * WORLD_CUT_STEPS) /* blocks of a node */
#define BOOTS 64
#define AGAIN 3       /* number of stored blocks that are told again after a restart */
#define READ_STEPS 97 /* steps between questions of a reader */

struct node {
    struct report_ring ring;
    uint32_t boot, told;
    bool is_up;
    struct world_series series[WORLD_SERIES];
    uint32_t stored[BOOTS]; /* the next block of each boot, by the cursors of the store */
    char name[24];
};

struct writer {
    const char *directory;
    size_t n_nodes, n_steps, step;
    struct node *nodes;
    struct chronicle *chronicle;
    struct writer_done *done;
    struct world_words words[WORLD_SERIES];
};

static int64_t now_of(size_t step)
{
    return WORLD_START_MS + (int64_t)(step + 1) * WORLD_STEP_MS;
}

/* -- The nodes measure ----------------------------------------------------------------------- */

static void boot(struct node *node)
{
    if (node->boot > 0)
        report_close(&node->ring);
    node->boot++;
    node->told = 0;
    if (node->boot >= BOOTS || report_open(&node->ring, node->boot, KEEP, 1200) != 0)
        fail("a node does not boot");
    if (node->stored[node->boot] > 0)
        node->told = node->stored[node->boot] - 1;
}

static void measure(struct node *node, size_t number, size_t step)
{
    bool is_up = world_is_up(number, step);
    if (is_up && !node->is_up)
        boot(node);
    node->is_up = is_up;
    int64_t wall_ms = world_wall_ms(number, step);
    for (size_t s = 0; s < WORLD_SERIES; s++) {
        struct result result;
        if (world_step(&node->series[s], step, is_up, &result) &&
            report_add(&node->ring, (uint32_t)s + 1, wall_ms, &result) != 0)
            fail("no memory");
    }
    if (is_up && report_flush(&node->ring) != 0)
        fail("no memory");
}

/* -- They tell ------------------------------------------------------------------------------- */

static const struct sink_words *words_of(const void *context, uint32_t series)
{
    static struct sink_words words;
    const struct world_words *is = (const struct world_words *)context + series - 1;
    words = (struct sink_words){is->sensor, is->instance, is->sensor, is->unit, ""};
    return &words;
}

static void tell(struct writer *writer, struct node *node, int64_t now_ms)
{
    const struct sink_stream stream = {node->boot, node->name, node->name, "", NULL, 0};
    for (uint32_t next = node->told + 1; next <= node->ring.last; next++) {
        const struct report_block *made =
            (const struct report_block *)index_find(&node->ring.index, &next, 1);
        if (!made) {
            if (next < node->stored[node->boot])
                continue; /* a stored block is told again only if it is still there */
            fail("a node has lost a block");
        }
        const struct sink_block block = {.stream = &stream,
                                         .number = next,
                                         .octets = made->bytes,
                                         .len = made->len,
                                         .words = words_of,
                                         .context = writer->words};
        if (chronicle_block(writer->chronicle, &block, now_ms) != 0)
            fail(chronicle_error(writer->chronicle));
        node->told = next;
        writer->done->blocks++;
    }
}

static void tell_all(struct writer *writer)
{
    int64_t now_ms = now_of(writer->step);
    uint64_t before = cpu_ns();
    for (size_t n = 0; n < writer->n_nodes; n++)
        if (writer->nodes[n].is_up && !world_is_cut(n, writer->step))
            tell(writer, &writer->nodes[n], now_ms);
    if (chronicle_commit(writer->chronicle, now_ms) != 0)
        fail(chronicle_error(writer->chronicle));
    for (bool more = true; more;)
        if (chronicle_step(writer->chronicle, now_ms, false, &more) != 0)
            fail(chronicle_error(writer->chronicle));
    writer->done->ns += cpu_ns() - before;
}

/* -- The store ------------------------------------------------------------------------------- */

/* A sink_cursor_fn. The latest blocks that were stored are told again. */
static void take_cursor(void *context, const struct sink_stream *stream, uint32_t next)
{
    struct writer *writer = context;
    size_t number = strtoul(stream->path + strlen("node"), NULL, 10);
    if (number >= writer->n_nodes || stream->boot >= BOOTS)
        fail("the store has a stream that there is not");
    struct node *node = &writer->nodes[number];
    node->stored[stream->boot] = next;
    if (stream->boot == node->boot)
        node->told = next > AGAIN ? next - 1 - AGAIN : 0;
}

static void open_store(struct writer *writer)
{
    char error[CHRONICLE_ERROR_SIZE] = "";
    const struct chronicle_settings settings = {.directory = writer->directory,
                                                .raw_ms = WEEK_RAW_MS,
                                                .minute_ms = 60 * DAY_MS,
                                                .hour_ms = 730 * DAY_MS,
                                                .inbox_octets = CHRONICLE_INBOX_OCTETS,
                                                .inbox_ms = CHRONICLE_INBOX_MS};
    uint64_t before = cpu_ns();
    writer->chronicle = chronicle_open(&settings, now_of(writer->step), error);
    if (!writer->chronicle)
        fail(error);
    writer->done->ns += cpu_ns() - before;
    for (size_t n = 0; n < writer->n_nodes; n++) {
        memset(writer->nodes[n].stored, 0, sizeof writer->nodes[n].stored);
        writer->nodes[n].told = 0;
    }
    chronicle_cursors(writer->chronicle, take_cursor, writer);
}

static void close_store(struct writer *writer)
{
    const struct chronicle_counters *counters = chronicle_counters(writer->chronicle);
    if (counters->bad || counters->broken || counters->broken_rows || counters->nameless ||
        counters->beyond)
        fail("the writer has found something bad");
    writer->done->doubles += counters->doubles;
    uint64_t before = cpu_ns();
    chronicle_close(writer->chronicle);
    writer->done->ns += cpu_ns() - before;
    writer->chronicle = NULL;
}

/* A reader asks for the last hours of a series of a node that is not cut off. */
static void read_meanwhile(struct writer *writer)
{
    uint64_t hash = world_hash(6, writer->step, 0);
    size_t node = hash % writer->n_nodes;
    if (world_is_cut(node, writer->step))
        return;
    size_t first = writer->step > 2 * WORLD_HOUR ? writer->step - 2 * WORLD_HOUR : 0;
    checker_points(writer->directory, node, (hash >> 32) % WORLD_SERIES, first, writer->step + 1);
    writer->done->reads++;
}

/* -- Steps ----------------------------------------------------------------------------------- */

static void run_to(struct writer *writer, size_t end)
{
    open_store(writer);
    for (; writer->step < end; writer->step++) {
        writer->done->step = writer->step;
        for (size_t n = 0; n < writer->n_nodes; n++)
            measure(&writer->nodes[n], n, writer->step);
        tell_all(writer);
        if (writer->step % READ_STEPS == 0)
            read_meanwhile(writer);
    }
    close_store(writer);
}

/* Ends the process after so much CPU time, wherever it is then. */
static void die_after(uint64_t ns)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    const struct itimerspec when = {
        .it_value = {(time_t)(ns / 1000000000), (long)(ns % 1000000000) + 1}};
    timer_t timer;
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 ||
        timer_settime(timer, 0, &when, NULL) != 0)
        fail("no timer");
}

/* A process that writes and is killed at any moment, at the latest when a span has ended. The nodes
 * still have what it has not stored; they have gone on measuring when the next process comes. */
static void write_and_die(struct writer *writer, size_t end, uint64_t within_ns)
{
    int status;
    fflush(stdout);
    writer->done->step = writer->step;
    pid_t pid = fork();
    if (pid < 0)
        fail("no process");
    if (pid == 0) {
        die_after(world_hash(7, writer->step, 0) % within_ns);
        run_to(writer, end);
        raise(SIGKILL);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail("the writer has ended by itself");
    writer->done->kills++;
    for (; writer->step < writer->done->step; writer->step++)
        for (size_t n = 0; n < writer->n_nodes; n++)
            measure(&writer->nodes[n], n, writer->step);
}

void writer_run(const char *directory, size_t nodes, size_t steps, struct writer_done *done)
{
    struct writer writer = {
        .directory = directory, .n_nodes = nodes, .n_steps = steps, .done = done};
    writer.nodes = allocate(nodes, sizeof *writer.nodes);
    for (size_t s = 0; s < WORLD_SERIES; s++)
        writer.words[s] = world_words(s);
    for (size_t n = 0; n < nodes; n++) {
        world_node_name(n, writer.nodes[n].name);
        for (size_t s = 0; s < WORLD_SERIES; s++)
            writer.nodes[n].series[s] = world_series(n, s);
    }
    while (writer.step < steps) {
        size_t left = steps - writer.step;
        size_t span = left < WORLD_CUT_STEPS ? left : WORLD_CUT_STEPS;
        write_and_die(&writer, writer.step + span, span * nodes * WORLD_SERIES * 400);
        left = steps - writer.step;
        span = left < 6 * WORLD_HOUR ? left : 6 * WORLD_HOUR;
        run_to(&writer, writer.step + span);
    }
    for (size_t n = 0; n < nodes; n++)
        report_close(&writer.nodes[n].ring);
    free(writer.nodes);
}
