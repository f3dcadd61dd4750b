#include "publish/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"

/* An object that is being made, and room for cleaning texts. */
struct maker {
    json_t *object;
    struct octets clean;
    bool failed;
};

static void set(struct maker *maker, const char *name, json_t *value)
{
    if (json_object_set_new_nocheck(maker->object, name, value) < 0)
        maker->failed = true;
}

static void set_text(struct maker *maker, const char *name, const char *text, size_t len)
{
    octets_cut(&maker->clean, 0);
    octets_add_clean(&maker->clean, text, len, true);
    if (maker->clean.failed)
        maker->failed = true;
    else
        set(maker, name, json_stringn_nocheck(len > 0 ? maker->clean.at : "", maker->clean.len));
}

static void set_word(struct maker *maker, const char *name, const char *text)
{
    set_text(maker, name, text, strlen(text));
}

static void set_number(struct maker *maker, const char *name, double value)
{
    set(maker, name, isfinite(value) ? json_real(value) : json_null());
}

/* Integers of jansson are signed: larger unsigned ones become the nearest double. */
static void set_unsigned(struct maker *maker, const char *name, uint64_t value)
{
    set(maker, name,
        value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value));
}

/* 0 becomes null. */
static void set_time(struct maker *maker, const char *name, int64_t wall_ms)
{
    octets_cut(&maker->clean, 0);
    octets_add_time(&maker->clean, wall_ms);
    if (maker->clean.failed)
        maker->failed = true;
    else
        set(maker, name,
            wall_ms == 0 ? json_null() : json_stringn_nocheck(maker->clean.at, maker->clean.len));
}

static void set_window(struct maker *maker, const struct line *line)
{
    const struct report_window *window = line->window;
    set_unsigned(maker, "window_ms", window->window_ms);
    set_unsigned(maker, "count", window->count);
    if (window->count > 0) {
        set_number(maker, "min", window->min);
        set_number(maker, "max", window->max);
        set_number(maker, "mean", window->mean);
        set_number(maker, "stddev", line->deviation);
        set_number(maker, "p50", line->has_quantiles ? line->p50 : NAN);
        set_number(maker, "p90", line->has_quantiles ? line->p90 : NAN);
        set_number(maker, "p99", line->has_quantiles ? line->p99 : NAN);
    }
    if (window->has_totals) {
        set_number(maker, "sum", window->totals.sum);
        set_unsigned(maker, "expected", window->totals.expected);
        set_unsigned(maker, "oldest_ms", window->totals.oldest_ms);
    }
}

static void set_record(struct maker *maker, const struct report_record *record)
{
    set_unsigned(maker, "start_ns", record->start_ns);
    set_unsigned(maker, "duration_ns", record->duration_ns);
    set_unsigned(maker, "sequence", record->sequence);
    set(maker, "result", json_integer(record->result));
    if (record->has_cpu)
        set_unsigned(maker, "cpu_ns", record->cpu_ns);
    if (record->has_allocated)
        set_unsigned(maker, "allocated", record->allocated);
}

static void set_key(struct maker *maker, const struct top_key *key)
{
    set_text(maker, "key", key->octets, strnlen(key->octets, sizeof key->octets));
    set_unsigned(maker, "count", key->count);
    set_unsigned(maker, "error", key->error);
}

static void set_alarm(struct maker *maker, const struct report_alarm *alarm)
{
    static const struct {
        const char *name;
        enum report_alarm_text text;
    } texts[] = {{"threshold", REPORT_ALARM_THRESHOLD},
                 {"value", REPORT_ALARM_VALUE},
                 {"limit", REPORT_ALARM_LIMIT},
                 {"message", REPORT_ALARM_MESSAGE},
                 {"by", REPORT_ALARM_ACKNOWLEDGED}};
    set_unsigned(maker, "index", alarm->index);
    set_unsigned(maker, "severity", alarm->severity);
    set_time(maker, "since", alarm->since_ms);
    set_time(maker, "unconfirmed", alarm->unconfirmed_ms);
    set_time(maker, "acknowledged", alarm->acknowledged_ms);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        set_text(maker, texts[i].name, alarm->text[texts[i].text].at,
                 alarm->text[texts[i].text].len);
}

static void set_common(struct maker *maker, const struct line *line)
{
    set_time(maker, "time", line->wall_ms);
    set(maker, "t", json_integer(line->wall_ms));
    set_word(maker, "node", line->node);
    if (line->stream->group[0])
        set_word(maker, "group", line->stream->group);
    set_word(maker, "kind", line_kind_word(line->kind));
    if (line->kind != LINE_ALARM_CLEARED) {
        set_word(maker, "sensor", line->words.sensor);
        set_word(maker, "instance", line->words.instance);
    }
    if (line->kind < LINE_ALARM) {
        set_word(maker, "metric", line->words.metric);
        set_word(maker, "unit", line->words.unit);
    }
    set_word(maker, "state", line->state);
    if (line->kind >= LINE_ALARM)
        set_unsigned(maker, "id", line->alarm_id);
}

static void set_all(struct maker *maker, const struct line *line)
{
    set_common(maker, line);
    switch (line->kind) {
    case LINE_VALUE:
        set_number(maker, "value", line->value);
        break;
    case LINE_WINDOW:
        set_window(maker, line);
        break;
    case LINE_RECORD:
        set_record(maker, line->record);
        break;
    case LINE_KEY:
        set_key(maker, line->key);
        break;
    case LINE_ALARM:
        set_alarm(maker, line->alarm);
        break;
    case LINE_ALARM_CLEARED:
        break;
    }
}

/* A json_dump_callback_t. */
static int take(const char *text, size_t len, void *context)
{
    struct octets *octets = context;
    octets_add(octets, text, len);
    return octets->failed ? -1 : 0;
}

/* Tells which line of which block of which stream it is. */
static void set_numbers(struct maker *maker, const struct line *line)
{
    const struct sink_stream *stream = line->stream;
    char engine[2 * ENGINE_ID_MAX + 1], text[sizeof engine + LINE_NODE_SIZE + 16];
    size_t len = stream->engine_id_len < ENGINE_ID_MAX ? stream->engine_id_len : ENGINE_ID_MAX;
    hex_from_octets(engine, stream->engine_id, len, HEX_LOWER);
    text_format(text, sizeof text, "%" PRIu32 ":%s:%s", stream->boot, engine,
                stream->path[0] ? stream->path : stream->name);
    set_word(maker, "stream", text);
    set_unsigned(maker, "block", line->number);
    set_unsigned(maker, "line", line->line);
}

static void add(struct octets *text, const struct line *line, bool is_numbered)
{
    struct maker maker = {.object = json_object()};
    set_all(&maker, line);
    if (is_numbered)
        set_numbers(&maker, line);
    if (maker.failed || json_dump_callback(maker.object, take, text, JSON_COMPACT) < 0)
        text->failed = true;
    octets_add(text, "\n", 1);
    json_decref(maker.object);
    octets_release(&maker.clean);
}

void json_add(struct octets *text, const struct line *line)
{
    add(text, line, false);
}

void json_add_numbered(struct octets *text, const struct line *line)
{
    add(text, line, true);
}
