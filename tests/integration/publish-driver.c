/* For tests of sinks: gives a sink the blocks of several nodes, as dcamp-publish would, and may be
 * killed at any point and started again: the same seed makes the same blocks.
 *
 *   publish-driver --expect [OPTION...]      prints all entries of all blocks, and gives nothing
 *   publish-driver --kind KIND [OPTION...]   gives them to a kind that is linked
 *   publish-driver --module PATH [OPTION...] to that of a module
 *
 * --seed N, --streams N, --blocks N    what is made: so many blocks of so many boots of nodes, of
 *                                      which two each are of one node
 * --entries KINDS                      only these: of the letters v(alues) w(indows) r(ecords)
 *                                      k(eys) a(larms)
 * --plain                              only words and texts that a sensible person would choose
 * --start MS, --step MS                the time of the first entry, since 1970, and what is
 *                                      between two of a stream
 * --batch N                            commit after so many blocks
 * --name, --location, --credentials, --sensors TEXT, --mode sync|async, --queue, --limit,
 * --rotate, --raw N                           the settings of the sink
 * --cursors FILE                       for kinds that keep none
 * --kill-after US                      kill -9 of itself so many microseconds after it has begun
 *                                      to open the sink
 * --retry N                            a failure is tried again so many times, every 100 ms, as
 *                                      dcamp-publish does: by a sink that is opened anew
 * --hold                               at the end, step() is called until standard input ends
 * --time                               says how long giving took
 *
 * Standard output, of --expect: an object of JSON a line and entry; its octets beyond ASCII are
 * \u0080 to \u00ff, so that Python has them by .encode('latin-1'). The buckets of a histogram are
 * [value that it stands for, count]. Else: "cursor STREAM NEXT" of what the sink has already,
 * "committed STREAM NUMBER" after each commit and for each stream in it, "done". Standard error:
 * what the sink says. Exit status 3: the sink failed. */
#include <dlfcn.h>
#include <errno.h>
#include <float.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/atomicfile.h"
#include "base/text.h"
#include "publish/sinks.h"
#include "report/report.h"

#define BLOCK_BYTES 1200
#define STREAMS_MAX 64
#define RETRY_US 100000
#define START_MS INT64_C(1795737598000) /* 2026-11-26 23:59:58 UTC: a midnight comes soon */

static void die(const char *what, const char *why)
{
    fprintf(stderr, "publish-driver: %s: %s\n", what, why);
    exit(2);
}

/* -- Options --------------------------------------------------------------------------------- */

struct options {
    bool expect, plain, hold, time;
    const char *kind, *module, *cursors;
    const char *entries;
    uint64_t seed;
    uint32_t streams, blocks, batch, retry;
    uint64_t kill_us;
    int64_t start_ms, step_ms;
    struct outlet_sink settings;
};

static uint64_t number_of(const char *text)
{
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10);
    if (errno || end == text || *end)
        die(text, "no number");
    return n;
}

static void set_text(char *text, size_t size, const char *value)
{
    if (strlen(value) >= size)
        die(value, "too long");
    strcpy(text, value);
}

static void set_setting(struct outlet_sink *settings, int option, const char *value)
{
    switch (option) {
    case 'N':
        set_text(settings->name, sizeof settings->name, value);
        break;
    case 'L':
        set_text(settings->location, sizeof settings->location, value);
        break;
    case 'C':
        set_text(settings->credentials, sizeof settings->credentials, value);
        break;
    case 'S':
        set_text(settings->sensors, sizeof settings->sensors, value);
        break;
    case 'Q':
        settings->queue = number_of(value);
        break;
    case 'M':
        settings->limit = number_of(value);
        break;
    case 'R':
        settings->rotate = number_of(value);
        break;
    case 'W':
        settings->raw_s = (uint32_t)number_of(value);
        break;
    case 'O':
        settings->mode = strcmp(value, "async") == 0 ? OUTLET_ASYNC : OUTLET_SYNC;
        break;
    default:
        exit(2);
    }
}

static void set_option(struct options *options, int option, const char *value)
{
    switch (option) {
    case 'x':
        options->expect = true;
        break;
    case 'p':
        options->plain = true;
        break;
    case 'h':
        options->hold = true;
        break;
    case 't':
        options->time = true;
        break;
    case 'k':
        options->kind = value;
        break;
    case 'm':
        options->module = value;
        break;
    case 'c':
        options->cursors = value;
        break;
    case 'e':
        options->entries = value;
        break;
    case 's':
        options->seed = number_of(value);
        break;
    case 'n':
        options->streams = (uint32_t)number_of(value);
        break;
    case 'b':
        options->blocks = (uint32_t)number_of(value);
        break;
    case 'a':
        options->batch = (uint32_t)number_of(value);
        break;
    case 'r':
        options->retry = (uint32_t)number_of(value);
        break;
    case 'K':
        options->kill_us = number_of(value);
        break;
    case 'B':
        options->start_ms = (int64_t)number_of(value);
        break;
    case 'T':
        options->step_ms = (int64_t)number_of(value);
        break;
    default:
        set_setting(&options->settings, option, value);
    }
}

static const struct option names[] = {
    {"expect", 0, NULL, 'x'},  {"plain", 0, NULL, 'p'},
    {"hold", 0, NULL, 'h'},    {"time", 0, NULL, 't'},
    {"kind", 1, NULL, 'k'},    {"module", 1, NULL, 'm'},
    {"cursors", 1, NULL, 'c'}, {"entries", 1, NULL, 'e'},
    {"seed", 1, NULL, 's'},    {"streams", 1, NULL, 'n'},
    {"blocks", 1, NULL, 'b'},  {"batch", 1, NULL, 'a'},
    {"retry", 1, NULL, 'r'},   {"kill-after", 1, NULL, 'K'},
    {"start", 1, NULL, 'B'},   {"step", 1, NULL, 'T'},
    {"name", 1, NULL, 'N'},    {"location", 1, NULL, 'L'},
    {"sensors", 1, NULL, 'S'}, {"credentials", 1, NULL, 'C'},
    {"queue", 1, NULL, 'Q'},   {"limit", 1, NULL, 'M'},
    {"rotate", 1, NULL, 'R'},  {"mode", 1, NULL, 'O'},
    {"raw", 1, NULL, 'W'},     {NULL, 0, NULL, 0},
};

static struct options read_options(int argc, char **argv)
{
    struct options options = {.entries = "vwrka",
                              .seed = 1,
                              .streams = 4,
                              .blocks = 20,
                              .batch = 7,
                              .start_ms = START_MS,
                              .step_ms = 100,
                              .settings = {.name = "test", .sensors = "*", .mode = OUTLET_SYNC}};
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1)
        set_option(&options, option, optarg);
    if (options.streams == 0 || options.streams > STREAMS_MAX || options.batch == 0)
        die("--streams, --batch", "out of range");
    if (options.kind)
        set_text(options.settings.kind, sizeof options.settings.kind, options.kind);
    return options;
}

/* -- What is made ---------------------------------------------------------------------------- */

/* Their octets are what somebody may have chosen who means no good. */
static const struct sink_words hostile[] = {
    {"cpu", "total", "cpu.busy", "%", ""},
    {"=cmd|' /C calc'!A0", "@SUM(1+1)", "+1", "-2", ""},
    {"a,b\"c\"", "one\ntwo\r\nthree", "tab\there", "'quoted'", ""},
    {"<script>alert(1)</script>", "&amp;\"><img src=x onerror=alert(1)>", "m", "</td>", ""},
    {"\033[31mred\033[0m", "\033]0;title\007",
     "\x9b"
     "31m",
     "\x7f\x01\x02", ""},
    {"%s%n%d%%", "%2$s", "{}${HOME}`id`$(id)", "\\n\\x41\\", ""},
    {"Gr\xc3\xb6\xc3\x9f"
     "e",
     "\xe6\xb8\xa9\xe5\xba\xa6 \xf0\x9f\x8c\xa1", "m",
     "\xc2\xb0"
     "C",
     ""},
    {"bad\xff\xfe", "\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", ""},
    {"'; DROP TABLE x; --", "a\\'b", "m=1,n=2 3", "a/b#+", ""},
    {" blank ", "", "m", "", ""},
    {"\t=1+1", "\r=1+1", "\n=1+1",
     "\xe2\x80\xae"
     "reverse\xe2\x80\xa8",
     ""},
    {"12.5", "NaN", "null", "-", ""},
};
static const struct sink_words plain[] = {
    {"cpu", "total", "cpu.busy", "%", ""},
    {"memory", "", "memory.available", "bytes", ""},
    {"disk", "sda", "disk.read.octets", "bytes/s", ""},
    {"network", "eth0", "if.in.octets", "bytes/s", ""},
    {"load", "", "load.1", "", ""},
};
/* Texts of alarms are printable, or a block is none. */
static const struct sink_words alarming[] = {
    {"=cmd!A0", "@SUM(1+1)", "+1", "-2", ""},
    {"a,b\"c\"", "'quoted'", "a=b", " blank ", ""},
    {"<script>alert(1)</script>", "&amp\"><img src=x onerror=alert(1)>", "m", "</td>", ""},
    {"%s%n%d%%", "%2$s", "{}${HOME}`id`$(id)", "\\n\\x41\\", ""},
    {"Gr\xc3\xb6\xc3\x9f"
     "e",
     "\xe6\xb8\xa9\xe5\xba\xa6 \xf0\x9f\x8c\xa1", "m",
     "\xc2\xb0"
     "C",
     ""},
};
#define ALARMINGS (sizeof alarming / sizeof *alarming)
#define HOSTILES (sizeof hostile / sizeof *hostile)
#define PLAINS (sizeof plain / sizeof *plain)
#define SERIES_PER_STREAM 13 /* with plain words, several series have the same */

struct stream {
    struct sink_stream sink;
    char path[ALARM_PATH_SIZE], name[NAME_SIZE];
    uint8_t engine_id[12];
    struct report_ring ring;
    uint32_t next;      /* the number of the block that is given next */
    uint32_t committed; /* that of the first one that is not */
    uint64_t random;
    uint32_t alarm;
    bool plain;
};

struct world {
    struct options options;
    struct stream stream[STREAMS_MAX];
    const struct sink_type *type;
    struct sink *sink;
    int64_t now_ms;
};

/* xorshift64*: S. Vigna, An experimental exploration of Marsaglia's xorshift generators,
 * scrambled. ACM Transactions on Mathematical Software 42(4), 2016. */
static uint64_t random_of(struct stream *stream)
{
    uint64_t x = stream->random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    stream->random = x;
    return x * UINT64_C(2685821657736338717);
}

static uint32_t random_below(struct stream *stream, uint32_t n)
{
    return (uint32_t)(random_of(stream) >> 33) % n;
}

/* The context of a block is its stream. */
static const struct sink_words *words_of(const void *context, uint32_t series)
{
    const struct stream *stream = context;
    if (series % SERIES_PER_STREAM == 12)
        return NULL; /* nobody knows its name */
    return stream->plain ? &plain[series % SERIES_PER_STREAM % PLAINS]
                         : &hostile[series % SERIES_PER_STREAM % HOSTILES];
}

static double any_value(struct stream *stream)
{
    static const double special[] = {0,
                                     -0.0,
                                     0.1,
                                     -1,
                                     1.0 / 3,
                                     1e300,
                                     DBL_MAX,
                                     -DBL_MAX,
                                     DBL_MIN,
                                     4.9406564584124654e-324,
                                     9007199254740993.0,
                                     18446744073709551616.0,
                                     1e15,
                                     123456789.125};
    uint64_t bits = random_of(stream);
    double value;
    switch (random_below(stream, 4)) {
    case 0:
        return special[random_below(stream, sizeof special / sizeof *special)];
    case 1:
        return (double)(int)random_below(stream, 20001) / 100 - 50;
    case 2:
        return (double)random_below(stream, 1000000);
    default:
        memcpy(&value, &bits, sizeof value);
        return isfinite(value) ? value : 0.5;
    }
}

static int add_value(struct stream *stream, uint32_t series, int64_t wall_ms)
{
    struct result result = {.state = RESULT_VALID};
    uint32_t n = random_below(stream, 12);
    if (n == 0)
        result.state = RESULT_GAP;
    else if (n == 1)
        result.state = RESULT_UNAVAILABLE;
    else
        result.value = any_value(stream);
    return report_add(&stream->ring, series, wall_ms, &result);
}

/* Now and then one of so many buckets that it is cut. */
static int fill_window(struct stream *stream, struct statistics_window *window)
{
    bool is_wide = random_below(stream, 40) == 0;
    unsigned n = is_wide ? 2500 : random_below(stream, 30);
    int error = 0;
    for (unsigned i = 0; i < n && !error; i++) {
        double value = is_wide ? pow(1.02, (double)i) * (i % 2 ? 1 : -1) / 1e6
                               : (double)random_below(stream, 100000) / 8 - 100;
        error = statistics_window_add(window, value);
    }
    return error;
}

static int add_window(struct stream *stream, uint32_t series, int64_t wall_ms)
{
    struct statistics_window window = {0};
    int error = fill_window(stream, &window);
    uint32_t kind = random_below(stream, 3);
    struct report_totals totals = {.sum = window.mean * (double)window.count,
                                   .expected = (uint32_t)window.count + kind,
                                   .oldest_ms = random_below(stream, 100000)};
    if (!error && kind == 0)
        error = report_add_window(&stream->ring, series, wall_ms, 10000, &window);
    else if (!error && kind == 1)
        error = report_add_moments(&stream->ring, series, wall_ms, 60000, &window);
    else if (!error)
        error = report_add_aggregate(&stream->ring, series, wall_ms, 30000, &window, &totals);
    statistics_window_release(&window);
    return error;
}

static int add_record(struct stream *stream, uint32_t series, int64_t wall_ms)
{
    static const char *const below[] = {"", "node7", "a/b", "-1"};
    static const int32_t results[] = {0, 0, 0, 1, -5, INT32_MIN, INT32_MAX};
    const char *node = stream->plain ? "node7" : below[random_below(stream, 4)];
    struct report_record record = {
        .start_ns = (uint64_t)wall_ms * 1000000 + random_below(stream, 1000000),
        .duration_ns = random_of(stream) >> random_below(stream, 63),
        .sequence = random_of(stream) >> random_below(stream, 63),
        .result = results[random_below(stream, 7)],
        .has_cpu = random_below(stream, 2),
        .has_allocated = random_below(stream, 2),
        .cpu_ns = random_below(stream, 1000000),
        .allocated = random_of(stream) >> 20,
        .node = node,
        .node_len = strlen(node),
    };
    if (!record.has_cpu)
        record.cpu_ns = 0;
    if (!record.has_allocated)
        record.allocated = 0;
    return report_add_record(&stream->ring, series, wall_ms, &record);
}

/* Their octets are the program's own. */
static int add_keys(struct stream *stream, uint32_t series, int64_t wall_ms)
{
    static const char *const octets[] = {"\xff\xfe", "\033[0m", "/index", "=1+1", "a\nb", "<b>"};
    struct top_key key[6] = {0};
    size_t n = random_below(stream, 7);
    for (size_t i = 0; i < n; i++) {
        size_t which = stream->plain ? 2 : i;
        text_format(key[i].octets, sizeof key[i].octets, "%s%zu", octets[which], i);
        key[i].count = random_of(stream) >> random_below(stream, 60);
        key[i].error = key[i].count >> 3;
    }
    n = keys_sort(key, n);
    struct top_keys keys = {.key = key, .size = n, .absent = random_below(stream, 100)};
    return report_add_keys(&stream->ring, series, wall_ms, &keys);
}

static void put_text(struct report_alarm *alarm, enum report_alarm_text which, const char *text)
{
    alarm->text[which].at = text;
    alarm->text[which].len = strlen(text);
}

static int add_alarm(struct stream *stream, int64_t wall_ms)
{
    struct report_written written;
    uint32_t n = random_below(stream, 4);
    if (n == 0 && stream->alarm > 0)
        return report_add_alarm_cleared(&stream->ring, wall_ms, stream->alarm);
    if (n == 1)
        return report_add_alarms(
            &stream->ring, wall_ms,
            &(struct report_alarms){.complete = true, .digest = 7, .told = stream->alarm},
            &written);
    const struct sink_words *words = stream->plain ? &plain[random_below(stream, PLAINS)]
                                                   : &alarming[random_below(stream, ALARMINGS)];
    struct report_alarm alarm = {.id = ++stream->alarm,
                                 .index = stream->alarm + 10,
                                 .severity = REPORT_SEVERITY_MIN + random_below(stream, 3),
                                 .since_ms = wall_ms - random_below(stream, 5000)};
    bool is_below = random_below(stream, 2);
    put_text(&alarm, REPORT_ALARM_PATH, is_below ? "node7" : "");
    put_text(&alarm, REPORT_ALARM_KEY, stream->plain ? "busy:cpu.total" : words->metric);
    put_text(&alarm, REPORT_ALARM_NODE, is_below ? "node7" : "node0");
    put_text(&alarm, REPORT_ALARM_THRESHOLD, stream->plain ? "busy" : words->unit);
    put_text(&alarm, REPORT_ALARM_SENSOR, words->sensor);
    put_text(&alarm, REPORT_ALARM_INSTANCE, words->instance);
    put_text(&alarm, REPORT_ALARM_VALUE, "97.5");
    put_text(&alarm, REPORT_ALARM_LIMIT, "90");
    put_text(&alarm, REPORT_ALARM_MESSAGE, stream->plain ? "cpu total is 97.5 %" : words->instance);
    put_text(&alarm, REPORT_ALARM_ACKNOWLEDGED, random_below(stream, 3) ? "" : words->sensor);
    if (alarm.text[REPORT_ALARM_ACKNOWLEDGED].len > 0)
        alarm.acknowledged_ms = wall_ms;
    return report_add_alarm(&stream->ring, wall_ms, &alarm, &written);
}

static int add_entry(struct stream *stream, const char *kinds, int64_t wall_ms)
{
    size_t n = strlen(kinds);
    /* Values are most of it, as they are in life. */
    char kind = random_below(stream, 2) ? kinds[0] : kinds[random_below(stream, (uint32_t)n)];
    uint32_t series = 1 + random_below(stream, 2 * SERIES_PER_STREAM);
    switch (kind) {
    case 'v':
        return add_value(stream, series, wall_ms);
    case 'w':
        return add_window(stream, series, wall_ms);
    case 'r':
        return add_record(stream, series, wall_ms);
    case 'k':
        return add_keys(stream, series, wall_ms);
    default:
        return add_alarm(stream, wall_ms);
    }
}

static void name_stream(struct stream *stream, uint32_t i, bool is_plain)
{
    uint32_t node = i / 2;
    text_format(stream->name, sizeof stream->name, "node%u", node);
    if (node > 0)
        text_format(stream->path, sizeof stream->path, "collector1/node%u", node);
    if (!is_plain && node == 1) {
        strcpy(stream->name, "=1+1\"<b>\n\033[0m");
        text_format(stream->path, sizeof stream->path, "col\tlector/%s", stream->name);
    }
    for (size_t k = 0; node > 0 && k < sizeof stream->engine_id; k++)
        stream->engine_id[k] = (uint8_t)(0x80 + k * 7 + node);
    stream->sink = (struct sink_stream){.boot = 5 + i % 2,
                                        .path = stream->path,
                                        .name = stream->name,
                                        .group = node == 2 ? "web" : "",
                                        .engine_id = stream->engine_id,
                                        .engine_id_len = node > 0 ? sizeof stream->engine_id : 0};
}

static void make_stream(struct stream *stream, uint32_t i, const struct options *options)
{
    stream->plain = options->plain;
    stream->random = (options->seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + i;
    stream->next = stream->committed = 1;
    name_stream(stream, i, options->plain);
    int error = report_open(&stream->ring, stream->sink.boot, options->blocks + 100, BLOCK_BYTES);
    int64_t wall_ms = options->start_ms;
    while (!error && stream->ring.last < options->blocks) {
        error = add_entry(stream, options->entries, wall_ms);
        wall_ms += random_below(stream, (uint32_t)(2 * options->step_ms + 1));
    }
    if (error)
        die("making blocks", strerror(error));
}

static const struct report_block *block_of(const struct stream *stream, uint32_t number)
{
    return (const struct report_block *)index_find(&stream->ring.index, &number, 1);
}

/* -- What is expected, as JSON --------------------------------------------------------------- */

static void print_text(const char *name, const char *text, size_t len)
{
    printf(",\"%s\":\"", name);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void print_side(const struct histogram_side *side, int sign)
{
    for (int i = side->low; i < side->end; i++) {
        uint32_t count = histogram_side_count(side, i);
        if (count > 0)
            printf("[%.17g,%" PRIu32 "],", sign * histogram_value(i), count);
    }
}

static void print_window(const struct report_window *window)
{
    printf(",\"window_ms\":%" PRIu32, window->window_ms);
    if (window->has_moments)
        printf(",\"count\":%" PRIu64 ",\"min\":%.17g,\"max\":%.17g,\"mean\":%.17g,\"m2\":%.17g",
               window->count, window->min, window->max, window->mean, window->m2);
    if (window->has_totals)
        printf(",\"sum\":%.17g,\"expected\":%" PRIu32 ",\"oldest_ms\":%" PRIu32, window->totals.sum,
               window->totals.expected, window->totals.oldest_ms);
    if (!window->histogram)
        return;
    printf(",\"histogram\":[");
    print_side(&window->histogram->negative, -1);
    print_side(&window->histogram->positive, 1);
    printf("[0,%" PRIu32 "]]", window->histogram->zero);
}

static void print_record(const struct report_record *record)
{
    printf(",\"start_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 ",\"sequence\":%" PRIu64
           ",\"result\":%" PRId32,
           record->start_ns, record->duration_ns, record->sequence, record->result);
    if (record->has_cpu)
        printf(",\"cpu_ns\":%" PRIu64, record->cpu_ns);
    if (record->has_allocated)
        printf(",\"allocated\":%" PRIu64, record->allocated);
    print_text("below", record->node, record->node_len);
}

static void print_keys(const struct report_keys *keys)
{
    struct top_key key[REPORT_KEYS_MAX];
    report_keys_read(keys, key);
    printf(",\"absent\":%" PRIu64 ",\"size\":%zu,\"keys\":[", keys->absent, keys->size);
    for (size_t i = 0; i < keys->n; i++) {
        printf("%s{\"count\":%" PRIu64 ",\"error\":%" PRIu64, i ? "," : "", key[i].count,
               key[i].error);
        print_text("key", key[i].octets, strnlen(key[i].octets, sizeof key[i].octets));
        putchar('}');
    }
    putchar(']');
}

static void print_alarm(const struct report_entry *entry)
{
    static const char *const text[REPORT_ALARM_TEXTS] = {
        "below",          "key",   "alarm_node", "threshold", "alarm_sensor",
        "alarm_instance", "value", "limit",      "message",   "acknowledged"};
    struct report_alarm alarm;
    report_alarm_read(entry, &alarm);
    printf(",\"id\":%" PRIu32 ",\"index\":%" PRIu32 ",\"severity\":%" PRIu32
           ",\"since_ms\":%" PRId64 ",\"unconfirmed_ms\":%" PRId64 ",\"acknowledged_ms\":%" PRId64,
           alarm.id, alarm.index, alarm.severity, alarm.since_ms, alarm.unconfirmed_ms,
           alarm.acknowledged_ms);
    for (int i = 0; i < REPORT_ALARM_TEXTS; i++)
        print_text(text[i], alarm.text[i].at, alarm.text[i].len);
}

static void print_content(const struct report_entry *entry)
{
    static const char *const states[] = {"", "valid", "waiting", "gap", "unavailable"};
    switch (entry->kind) {
    case REPORT_VALUE:
        printf(",\"state\":\"%s\"", states[entry->result.state]);
        if (entry->result.state == RESULT_VALID)
            printf(",\"value\":%.17g", entry->result.value);
        break;
    case REPORT_WINDOW:
        print_window(&entry->window);
        break;
    case REPORT_RECORD:
        print_record(&entry->record);
        break;
    case REPORT_KEYS:
        print_keys(&entry->keys);
        break;
    case REPORT_ALARM:
        print_alarm(entry);
        break;
    case REPORT_ALARM_CLEARED:
        printf(",\"id\":%" PRIu32, entry->alarm.id);
        break;
    case REPORT_ALARMS:
        printf(",\"told\":%" PRIu32, entry->alarms.told);
        break;
    }
}

struct printing {
    const struct stream *stream;
    uint32_t number;
};

/* A report_entry_fn. */
static int print_entry(void *context, const struct report_entry *entry)
{
    static const char *const kinds[] = {"value", "window",        "record", "keys",
                                        "alarm", "alarm-cleared", "alarms"};
    const struct printing *printing = context;
    const struct stream *stream = printing->stream;
    printf("{\"kind\":\"%s\",\"boot\":%" PRIu32 ",\"block\":%" PRIu32 ",\"t\":%" PRId64,
           kinds[entry->kind], stream->sink.boot, printing->number, entry->wall_ms);
    print_text("path", stream->path, strlen(stream->path));
    print_text("node", stream->name, strlen(stream->name));
    print_text("group", stream->sink.group, strlen(stream->sink.group));
    if (entry->kind <= REPORT_KEYS) {
        const struct sink_words *words = words_of(stream, entry->series);
        printf(",\"series\":%" PRIu32 ",\"nameless\":%s", entry->series, words ? "false" : "true");
        print_text("sensor", words ? words->sensor : "", words ? strlen(words->sensor) : 0);
        print_text("instance", words ? words->instance : "", words ? strlen(words->instance) : 0);
        print_text("metric", words ? words->metric : "", words ? strlen(words->metric) : 0);
        print_text("unit", words ? words->unit : "", words ? strlen(words->unit) : 0);
    }
    print_content(entry);
    printf("}\n");
    return 0;
}

static int expect(const struct world *world)
{
    for (uint32_t i = 0; i < world->options.streams; i++) {
        struct printing printing = {.stream = &world->stream[i]};
        for (printing.number = 1; printing.number <= world->options.blocks; printing.number++) {
            const struct report_block *block = block_of(&world->stream[i], printing.number);
            struct report_header header;
            const char *why;
            if (report_decode(block->bytes, block->len, &header, print_entry, &printing, &why))
                die("report_decode", why);
        }
    }
    return fflush(stdout) ? 2 : 0;
}

/* -- Where it goes on ------------------------------------------------------------------------ */

/* A sink_cursor_fn. */
static void take_cursor(void *context, const struct sink_stream *sink, uint32_t next)
{
    struct world *world = context;
    for (uint32_t i = 0; i < world->options.streams; i++) {
        struct stream *stream = &world->stream[i];
        if (stream->sink.boot != sink->boot || strcmp(stream->path, sink->path) != 0 ||
            stream->sink.engine_id_len != sink->engine_id_len ||
            memcmp(stream->engine_id, sink->engine_id, sink->engine_id_len) != 0)
            continue;
        stream->next = stream->committed = next;
        printf("cursor %" PRIu32 " %" PRIu32 "\n", i, next);
    }
}

static void read_cursors(struct world *world)
{
    FILE *file = fopen(world->options.cursors, "re");
    uint32_t i, next;
    while (file && fscanf(file, "%" SCNu32 " %" SCNu32, &i, &next) == 2)
        if (i < world->options.streams)
            world->stream[i].next = world->stream[i].committed = next;
    if (file)
        fclose(file);
}

static void write_cursors(const struct world *world)
{
    char text[STREAMS_MAX * 24];
    size_t len = 0;
    for (uint32_t i = 0; i < world->options.streams; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "%" PRIu32 " %" PRIu32 "\n", i,
                                world->stream[i].committed);
    int error = atomicfile_replace(world->options.cursors, text, len, 0600);
    if (error)
        die(world->options.cursors, strerror(error));
}

/* -- Giving ---------------------------------------------------------------------------------- */

static void find_type(struct world *world)
{
    const struct options *options = &world->options;
    if (options->kind)
        world->type = sinks_find(options->kind);
    if (options->module) {
        void *library = dlopen(options->module, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            die("dlopen", dlerror());
        world->type = dlsym(library, "dcamp_sink_type");
    }
    if (!world->type)
        die(options->kind ? options->kind : "--kind, --module", "no such sink");
    if (world->type->abi != SINK_ABI)
        die(world->type->kind, "another SINK_ABI");
    if (!options->kind)
        set_text(world->options.settings.kind, NAME_SIZE, world->type->kind);
}

static void arm_kill(uint64_t after_us)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
    struct itimerspec when = {.it_value = {.tv_sec = (time_t)(after_us / 1000000),
                                           .tv_nsec = (long)(after_us % 1000000 * 1000)}};
    timer_t timer;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &when, NULL))
        die("timer_create", strerror(errno));
}

static int open_sink(struct world *world)
{
    char error[SINK_ERROR_SIZE] = "";
    int failed = world->type->open(&world->options.settings, world->now_ms, &world->sink, error);
    if (!failed && world->type->cursors)
        failed = world->type->cursors(world->sink, take_cursor, world, error);
    else if (!failed && world->options.cursors)
        read_cursors(world);
    fflush(stdout); /* who kills it is to know how far it had come */
    if (failed)
        fprintf(stderr, "%s: %s\n", strerror(failed), error);
    return failed;
}

static void close_sink(struct world *world)
{
    if (world->sink)
        world->type->close(world->sink);
    world->sink = NULL;
}

static int give(struct world *world, struct stream *stream, char error[SINK_ERROR_SIZE])
{
    const struct report_block *block = block_of(stream, stream->next);
    struct sink_block given = {.stream = &stream->sink,
                               .number = block->sequence,
                               .octets = block->bytes,
                               .len = block->len,
                               .words = words_of,
                               .context = stream};
    world->now_ms = block->wall_ms > world->now_ms ? block->wall_ms : world->now_ms;
    int failed = world->type->block(world->sink, &given, world->now_ms, error);
    if (!failed)
        stream->next++;
    return failed;
}

/* One block of each stream after the other. */
static int give_batch(struct world *world, bool *done, char error[SINK_ERROR_SIZE])
{
    const struct options *options = &world->options;
    int failed = 0;
    uint32_t given = 0, idle = 0;
    for (uint32_t i = 0; idle < options->streams && given < options->batch && !failed;
         i = (i + 1) % options->streams) {
        struct stream *stream = &world->stream[i];
        if (stream->next > options->blocks) {
            idle++;
            continue;
        }
        idle = 0;
        failed = give(world, stream, error);
        given++;
    }
    *done = given == 0;
    return failed || *done ? failed : world->type->commit(world->sink, world->now_ms, error);
}

static void tell_committed(struct world *world)
{
    for (uint32_t i = 0; i < world->options.streams; i++) {
        struct stream *stream = &world->stream[i];
        if (stream->committed == stream->next)
            continue;
        stream->committed = stream->next;
        printf("committed %" PRIu32 " %" PRIu32 "\n", i, stream->next - 1);
    }
    fflush(stdout);
    if (!world->type->cursors && world->options.cursors)
        write_cursors(world);
}

/* What it has not confirmed is given again. False: it has failed often enough. */
static bool try_again(struct world *world, uint32_t *failures)
{
    do {
        close_sink(world);
        for (uint32_t i = 0; i < world->options.streams; i++)
            world->stream[i].next = world->stream[i].committed;
        if ((*failures)++ >= world->options.retry)
            return false;
        usleep(RETRY_US);
    } while (open_sink(world));
    return true;
}

static int give_all(struct world *world)
{
    uint32_t failures = 0;
    for (bool done = false; !done;) {
        char error[SINK_ERROR_SIZE] = "";
        int failed = give_batch(world, &done, error);
        if (!failed) {
            tell_committed(world);
            continue;
        }
        fprintf(stderr, "%s: %s\n", strerror(failed), error);
        if (!try_again(world, &failures))
            return 3;
        done = false;
    }
    printf("done\n");
    fflush(stdout);
    return 0;
}

static int64_t monotonic_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Until standard input ends. */
static void hold(struct world *world)
{
    int64_t offset = world->now_ms - monotonic_ms();
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    char text[256];
    for (;;) {
        int64_t again_ms = offset + monotonic_ms() + 1000;
        char error[SINK_ERROR_SIZE] = "";
        if (world->type->step)
            world->type->step(world->sink, offset + monotonic_ms(), &again_ms, error);
        if (error[0])
            fprintf(stderr, "%s\n", error);
        int64_t left = again_ms - offset - monotonic_ms();
        if (poll(&input, 1,
                 left < 0      ? 0
                 : left > 1000 ? 1000
                               : (int)left) > 0 &&
            read(STDIN_FILENO, text, sizeof text) <= 0)
            return;
    }
}

static uint64_t octets_of(const struct world *world)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < world->options.streams; i++)
        octets += world->stream[i].ring.bytes;
    return octets;
}

int main(int argc, char **argv)
{
    static struct world world;
    world.options = read_options(argc, argv);
    world.now_ms = world.options.start_ms;
    for (uint32_t i = 0; i < world.options.streams; i++)
        make_stream(&world.stream[i], i, &world.options);
    if (world.options.expect)
        return expect(&world);
    find_type(&world);
    if (world.options.kill_us)
        arm_kill(world.options.kill_us);
    if (open_sink(&world)) {
        close_sink(&world);
        return 3;
    }
    int64_t begin_ms = monotonic_ms();
    int status = give_all(&world);
    if (world.options.time)
        printf("took %" PRId64 " ms for %" PRIu64 " octets of blocks\n", monotonic_ms() - begin_ms,
               octets_of(&world));
    fflush(stdout);
    if (world.options.hold && status == 0)
        hold(&world);
    close_sink(&world);
    for (uint32_t i = 0; i < world.options.streams; i++)
        report_close(&world.stream[i].ring);
    return status;
}
