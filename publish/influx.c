#include "publish/influx.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

#define NS_PER_MS INT64_C(1000000)

/* -- Names ----------------------------------------------------------------------------------- */

/* Adds a name that is clean already. */
static void escape_name(struct octets *text, const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char next = i + 1 < len ? name[i + 1] : ',';
        if (strchr(", =", name[i]))
            octets_add(text, "\\", 1);
        if (name[i] == '\\' && strchr(",= \\tnfr", next))
            octets_add(text, "?", 1);
        else
            octets_add(text, &name[i], 1);
    }
}

static void add_name(struct octets *text, const char *name, size_t len)
{
    struct octets clean = {0};
    octets_add_clean(&clean, name, len, false);
    if (clean.failed)
        text->failed = true;
    else
        escape_name(text, clean.at, clean.len);
    octets_release(&clean);
}

static void add_tag(struct octets *text, const char *tag, const char *value, size_t len)
{
    if (len == 0)
        return;
    octets_add_text(text, ",");
    octets_add_text(text, tag);
    octets_add_text(text, "=");
    add_name(text, value, len);
}

static void add_word(struct octets *text, const char *tag, const char *value)
{
    add_tag(text, tag, value, strlen(value));
}

/* In a measurement, "=" has no escape and is taken as it is: to escape it would put a backslash
 * into the name. */
static void add_measurement(struct octets *text, const char *name)
{
    struct octets clean = {0};
    octets_add_clean(&clean, name, strlen(name), false);
    if (clean.failed)
        text->failed = true;
    if (clean.len > 0 && clean.at[0] == '#')
        clean.at[0] = '?';
    for (size_t i = 0, from = 0; i <= clean.len; i++) {
        if (i < clean.len && clean.at[i] != '=')
            continue;
        /* The backslash before "=" is left out of the name, and becomes '?'. */
        bool before = i < clean.len && i > from && clean.at[i - 1] == '\\';
        escape_name(text, clean.at + from, i - from - before);
        if (before)
            octets_add(text, "?", 1);
        if (i < clean.len)
            octets_add(text, "=", 1);
        from = i + 1;
    }
    octets_release(&clean);
}

static void add_tags(struct octets *text, const struct line *line)
{
    bool alarm = line->kind >= LINE_ALARM;
    add_word(text, "group", line->stream->group);
    if (alarm) {
        octets_add_text(text, ",id=");
        octets_add_unsigned(text, line->alarm_id);
    }
    add_word(text, "instance", line->words.instance);
    if (line->kind == LINE_KEY)
        add_tag(text, "key", line->key->octets,
                strnlen(line->key->octets, sizeof line->key->octets));
    add_word(text, "metric", line->words.metric);
    add_word(text, "node", line->node);
    if (alarm)
        add_word(text, "sensor", line->words.sensor);
    add_word(text, "unit", line->words.unit);
}

/* -- Fields ---------------------------------------------------------------------------------- */

static void begin_field(struct octets *text, const char *name)
{
    if (text->len > 0 && text->at[text->len - 1] != ' ')
        octets_add_text(text, ",");
    octets_add_text(text, name);
    octets_add_text(text, "=");
}

static void add_integer(struct octets *text, const char *name, int64_t value)
{
    begin_field(text, name);
    octets_add_signed(text, value);
    octets_add_text(text, "i");
}

static void add_unsigned(struct octets *text, const char *name, uint64_t value)
{
    add_integer(text, name, value <= INT64_MAX ? (int64_t)value : INT64_MAX);
}

static void add_number(struct octets *text, const char *name, double value)
{
    if (!isfinite(value))
        return;
    begin_field(text, name);
    octets_add_double(text, value);
}

static void add_string(struct octets *text, const char *name, const char *value, size_t len)
{
    struct octets clean = {0};
    octets_add_clean(&clean, value, len, false);
    if (clean.failed)
        text->failed = true;
    begin_field(text, name);
    octets_add_text(text, "\"");
    for (size_t i = 0; i < clean.len; i++) {
        if (clean.at[i] == '"' || clean.at[i] == '\\')
            octets_add(text, "\\", 1);
        octets_add(text, &clean.at[i], 1);
    }
    octets_add_text(text, "\"");
    octets_release(&clean);
}

static void add_window(struct octets *text, const struct line *line)
{
    add_unsigned(text, "count", line->window->count);
    add_unsigned(text, "window_ms", line->window->window_ms);
    if (line->window->count == 0)
        return;
    add_number(text, "min", line->window->min);
    add_number(text, "max", line->window->max);
    add_number(text, "mean", line->window->mean);
    add_number(text, "stddev", line->deviation);
    if (!line->has_quantiles)
        return;
    add_number(text, "p50", line->p50);
    add_number(text, "p90", line->p90);
    add_number(text, "p99", line->p99);
}

static void add_record(struct octets *text, const struct report_record *record)
{
    add_unsigned(text, "duration_ns", record->duration_ns);
    add_integer(text, "result", record->result);
    add_unsigned(text, "sequence", record->sequence);
    if (record->has_cpu)
        add_unsigned(text, "cpu_ns", record->cpu_ns);
    if (record->has_allocated)
        add_unsigned(text, "allocated", record->allocated);
}

static void add_alarm(struct octets *text, const struct line *line)
{
    add_string(text, "state", line->state, strlen(line->state));
    if (line->kind == LINE_ALARM_CLEARED)
        return;
    const struct report_alarm *alarm = line->alarm;
    double value;
    add_string(text, "message", alarm->text[REPORT_ALARM_MESSAGE].at,
               alarm->text[REPORT_ALARM_MESSAGE].len);
    if (text_to_decimal(alarm->text[REPORT_ALARM_VALUE].at, alarm->text[REPORT_ALARM_VALUE].len,
                        &value))
        add_number(text, "value", value);
}

static void add_fields(struct octets *text, const struct line *line)
{
    switch (line->kind) {
    case LINE_VALUE:
        add_number(text, "value", line->value);
        break;
    case LINE_WINDOW:
        add_window(text, line);
        break;
    case LINE_RECORD:
        add_record(text, line->record);
        break;
    case LINE_KEY:
        add_unsigned(text, "keycount", line->key->count);
        add_unsigned(text, "keyerror", line->key->error);
        break;
    case LINE_ALARM:
    case LINE_ALARM_CLEARED:
        add_alarm(text, line);
        break;
    }
}

/* -- Points ---------------------------------------------------------------------------------- */

static bool time_of(const struct line *line, int64_t *ns)
{
    if (line->kind == LINE_RECORD && line->record->start_ns > INT64_MAX)
        return false;
    if (line->kind == LINE_RECORD)
        *ns = (int64_t)line->record->start_ns;
    else
        return !__builtin_mul_overflow(line->wall_ms, NS_PER_MS, ns);
    return true;
}

bool influx_add(struct octets *text, const struct line *line)
{
    int64_t ns;
    if (!time_of(line, &ns) || (line->kind == LINE_VALUE && !isfinite(line->value)))
        return false;
    add_measurement(text, line->kind >= LINE_ALARM ? "dcamp.alarm" : line->words.sensor);
    add_tags(text, line);
    octets_add_text(text, " ");
    add_fields(text, line);
    octets_add_text(text, " ");
    octets_add_signed(text, ns);
    octets_add_text(text, "\n");
    return true;
}
