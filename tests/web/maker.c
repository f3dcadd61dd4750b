/* Makes a history of nodes that behave in a way that is known, for tests of who shows it.
 *
 *   maker DIR NODES MINUTES [--live]
 *
 * Writes, by publish/chronicle.h, what NODES nodes have told in the last MINUTES minutes: each has
 * ten series with a value every ten seconds, that of the own node has the path "", the others are
 * below two collectors. 20 minutes before now the disk of node7 gets slow: disk.util goes up, and
 * so does load.1; an alarm on disk.util is raised a minute later, and is active still. One of node3
 * is over. node5 has names that mean no good, and node9 fell silent an hour ago. With --live it
 * goes on, with a block of each node in each second, until it is ended; "live" is printed once it
 * does. proc.count has a season of ten minutes, and a little noise. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "publish/chronicle.h"
#include "report/report.h"

#define SERIES 10
#define PI 3.14159265358979323846
#define STEP_MS INT64_C(10000)
#define SLOW_MS (20 * INT64_C(60000)) /* before now */

static const struct sink_words words[SERIES] = {
    {"cpu.busy", "total", "cpu.busy", "%", ""},
    {"mem.used", "total", "mem.used", "%", ""},
    {"load.1", "total", "load.1", "processes", ""},
    {"disk.util", "sda", "disk.util", "%", ""},
    {"disk.reads", "sda", "disk.reads", "1/s", ""},
    {"disk.writes", "sda", "disk.writes", "1/s", ""},
    {"net.rx.bytes", "eth0", "net.rx", "B/s", ""},
    {"net.tx.bytes", "eth0", "net.tx", "B/s", ""},
    {"mem.free", "total", "mem.free", "B", ""},
    {"proc.count", "total", "proc.count", "processes", ""},
};
static const struct sink_words hostile[SERIES] = {
    {"cpu.busy", "<script>document.title='hurt'</script>", "cpu.busy", "%", ""},
    {"mem.used", "=cmd|' /C calc'!A0", "mem.used", "%", ""},
    {"load.1", "\"><img src=x onerror=alert(1)>", "load.1", "processes", ""},
    {"disk.util", "\xff\xfe not UTF-8", "disk.util", "%", ""},
    {"disk.reads", "a/b&c=d#e%20f", "disk.reads", "1/s", ""},
    {"disk.writes",
     "\xe2\x80\xae"
     "dehctiws",
     "disk.writes", "1/s", ""},
    {"net.rx.bytes", "eth0", "net.rx", "<b>B</b>/s", ""},
    {"net.tx.bytes", "', ''); DROP TABLE series; --", "net.tx", "B/s", ""},
    {"mem.free", "total", "mem.free", "B", ""},
    {"proc.count", "total", "proc.count", "processes", ""},
};

struct node {
    struct report_ring ring;
    struct sink_stream stream;
    uint32_t told;
    char path[ALARM_PATH_SIZE], name[NAME_SIZE];
    bool has_told, has_cleared; /* of its alarm */
};

struct maker {
    struct chronicle *chronicle;
    struct node *nodes;
    size_t n;
    int64_t now_ms;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "maker: %s\n", what);
    exit(1);
}

static const struct sink_words *words_of(const void *context, uint32_t series)
{
    const struct node *node = context;
    if (series == 0 || series > SERIES)
        return NULL;
    return strcmp(node->name, "node5") == 0 ? &hostile[series - 1] : &words[series - 1];
}

static void begin_node(struct node *node, size_t i)
{
    snprintf(node->name, sizeof node->name,
             i == 0  ? "root"
             : i < 3 ? "collector%zu"
                     : "node%zu",
             i < 3 ? i : i - 2);
    if (i > 0 && i < 3)
        snprintf(node->path, sizeof node->path, "%s", node->name);
    else if (i >= 3)
        snprintf(node->path, sizeof node->path, "collector%zu/%s", 1 + i % 2, node->name);
    node->stream = (struct sink_stream){1, node->path, node->name, "lab", NULL, 0};
    if (report_open(&node->ring, 1, 8, 1200) != 0)
        fail("no memory");
}

static void give_blocks(struct maker *maker, struct node *node, int64_t now_ms)
{
    for (uint32_t number = node->told + 1; number <= node->ring.last; number++) {
        const struct report_block *block =
            (const struct report_block *)index_find(&node->ring.index, &number, 1);
        struct sink_block given = {&node->stream, number, block->bytes, block->len, words_of, node};
        if (chronicle_block(maker->chronicle, &given, now_ms) != 0)
            fail(chronicle_error(maker->chronicle));
    }
    node->told = node->ring.last;
}

/* The same value at the same time, and another one than its neighbours. */
static double wave(size_t node, size_t series, int64_t wall_ms)
{
    double hours = (double)wall_ms / 3600000;
    return 50 + 30 * sin(hours + (double)node) + 8 * sin(23 * hours + (double)(series * node)) +
           4 * sin(211 * hours + (double)series);
}

/* Noise that looks like chance, and is the same each time. */
static double seasonal(size_t node, int64_t wall_ms)
{
    double noise = sin((double)(wall_ms / 1000 % 1000003) * 12.9898 + (double)node) * 43758.5453;
    return 50 + 20 * sin((double)(wall_ms % 600000) * 2 * PI / 600000) +
           2 * (noise - floor(noise) - 0.5);
}

static double value_of(const struct maker *maker, const struct node *node, size_t series,
                       int64_t wall_ms)
{
    size_t i = (size_t)(node - maker->nodes);
    double value = wave(i, series, wall_ms);
    bool is_slow = strcmp(node->name, "node7") == 0 && wall_ms >= maker->now_ms - SLOW_MS;
    switch (series) {
    case 2:
        return round(value + (is_slow ? 600 : 0)) / 50;
    case 3:
        return is_slow ? 97 + value / 50 : value / 4;
    case 8:
        return 4096 * round(100000 * value);
    case 9:
        return seasonal(i, wall_ms);
    default:
        return value;
    }
}

static void set_text(struct report_alarm *alarm, enum report_alarm_text place, const char *text)
{
    alarm->text[place].at = text;
    alarm->text[place].len = strlen(text);
}

/* Raises an alarm as the rule of a node does. */
static void tell_alarm(struct node *node, int64_t wall_ms, uint32_t severity, const char *message)
{
    struct report_alarm alarm = {.id = 1, .index = 1, .severity = severity, .since_ms = wall_ms};
    struct report_written written;
    for (int i = 0; i < REPORT_ALARM_TEXTS; i++)
        set_text(&alarm, i, "");
    set_text(&alarm, REPORT_ALARM_KEY, "disk-full:sda");
    set_text(&alarm, REPORT_ALARM_NODE, node->name);
    set_text(&alarm, REPORT_ALARM_THRESHOLD, "disk-busy");
    set_text(&alarm, REPORT_ALARM_SENSOR, "disk.util");
    set_text(&alarm, REPORT_ALARM_INSTANCE, "sda");
    set_text(&alarm, REPORT_ALARM_VALUE, "98");
    set_text(&alarm, REPORT_ALARM_LIMIT, "90");
    set_text(&alarm, REPORT_ALARM_MESSAGE, message);
    if (report_add_alarm(&node->ring, wall_ms, &alarm, &written) != 0)
        fail("no memory");
}

static void tell_alarms(struct maker *maker, struct node *node, int64_t wall_ms)
{
    int64_t age_ms = maker->now_ms - wall_ms;
    if (strcmp(node->name, "node7") == 0 && age_ms <= SLOW_MS - 60000 && !node->has_told) {
        tell_alarm(node, wall_ms, 4, "disk.util of sda is 98 %, above 90 <b>now</b>");
        node->has_told = true;
    }
    if (strcmp(node->name, "node3") == 0 && age_ms <= 3 * SLOW_MS && !node->has_told) {
        tell_alarm(node, wall_ms, 3, "disk.util of sda is 98 %, above 90");
        node->has_told = true;
    } else if (strcmp(node->name, "node3") == 0 && node->has_told && !node->has_cleared &&
               age_ms <= 2 * SLOW_MS) {
        node->has_cleared = true;
        if (report_add_alarm_cleared(&node->ring, wall_ms, 1) != 0)
            fail("no memory");
    }
}

static bool is_silent(const struct maker *maker, const struct node *node, int64_t wall_ms)
{
    return strcmp(node->name, "node9") == 0 && wall_ms > maker->now_ms - 3600000;
}

static void tell_node(struct maker *maker, struct node *node, int64_t wall_ms)
{
    if (is_silent(maker, node, wall_ms))
        return;
    for (size_t i = 0; i < SERIES; i++) {
        struct result result = {RESULT_VALID, value_of(maker, node, i, wall_ms)};
        if (report_add(&node->ring, (uint32_t)i + 1, wall_ms, &result) != 0)
            fail("no memory");
    }
    tell_alarms(maker, node, wall_ms);
    if (report_flush(&node->ring) != 0)
        fail("no memory");
    give_blocks(maker, node, wall_ms);
}

static void tell_all(struct maker *maker, int64_t wall_ms)
{
    for (size_t i = 0; i < maker->n; i++)
        tell_node(maker, &maker->nodes[i], wall_ms);
    if (chronicle_commit(maker->chronicle, wall_ms) != 0)
        fail(chronicle_error(maker->chronicle));
}

static void step(struct maker *maker, int64_t wall_ms, bool all)
{
    for (bool more = true; more;)
        if (chronicle_step(maker->chronicle, wall_ms, all, &more) != 0)
            fail(chronicle_error(maker->chronicle));
}

static void live(struct maker *maker)
{
    puts("live");
    fflush(stdout);
    for (;;) {
        int64_t now_ms = clock_now().wall_ms;
        tell_all(maker, now_ms);
        step(maker, now_ms, false);
        nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    }
}

int main(int argc, char **argv)
{
    char error[CHRONICLE_ERROR_SIZE];
    if (argc < 4)
        fail("usage: maker DIR NODES MINUTES [--live]");
    struct chronicle_settings settings = {.directory = argv[1],
                                          .raw_ms = INT64_C(172800000),
                                          .minute_ms = INT64_C(5184000000),
                                          .hour_ms = INT64_C(63072000000),
                                          .inbox_octets = 65536,
                                          .inbox_ms = 3600000};
    struct maker maker = {.n = strtoul(argv[2], NULL, 10), .now_ms = clock_now().wall_ms};
    int64_t begin_ms = maker.now_ms - 60000 * strtoll(argv[3], NULL, 10);
    maker.nodes = calloc(maker.n, sizeof *maker.nodes);
    maker.chronicle = chronicle_open(&settings, begin_ms, error);
    if (!maker.chronicle || !maker.nodes)
        fail(maker.chronicle ? "no memory" : error);
    for (size_t i = 0; i < maker.n; i++)
        begin_node(&maker.nodes[i], i);
    for (int64_t wall_ms = begin_ms; wall_ms <= maker.now_ms; wall_ms += STEP_MS) {
        tell_all(&maker, wall_ms);
        if ((wall_ms - begin_ms) / STEP_MS % 60 == 0)
            step(&maker, wall_ms, false);
    }
    step(&maker, maker.now_ms, false);
    if (argc > 4)
        live(&maker);
    for (size_t i = 0; i < maker.n; i++)
        report_close(&maker.nodes[i].ring);
    chronicle_close(maker.chronicle);
    free(maker.nodes);
    return 0;
}
