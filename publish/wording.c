#include "publish/wording.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <syslog.h>

#include "base/text.h"

static void add(struct wording *wording, const char *name, const char *text, size_t len)
{
    if (len > 0 && wording->n < WORDING_FIELDS_MAX)
        wording->field[wording->n++] = (struct wording_field){name, text, len};
}

static void add_text(struct wording *wording, const char *name, const char *text)
{
    add(wording, name, text, strlen(text));
}

static void add_alarm_text(struct wording *wording, const char *name,
                           const struct report_alarm *alarm, enum report_alarm_text which)
{
    add(wording, name, alarm->text[which].at, alarm->text[which].len);
}

static void add_value(struct wording *wording, const struct line *line)
{
    if (line->kind == LINE_ALARM)
        add_alarm_text(wording, "value", line->alarm, REPORT_ALARM_VALUE);
    if (line->kind == LINE_VALUE && isfinite(line->value))
        add(wording, "value", wording->value, octets_from_double(wording->value, line->value));
}

void wording_of(struct wording *wording, const struct line *line)
{
    wording->n = 0;
    add_text(wording, "node", line->node);
    add_text(wording, "group", line->stream->group);
    add_text(wording, "sensor", line->words.sensor);
    add_text(wording, "instance", line->words.instance);
    add_text(wording, "metric", line->words.metric);
    add_value(wording, line);
    add_text(wording, "unit", line->words.unit);
    add_text(wording, "state", line->state);
    if (line->kind == LINE_ALARM) {
        add_alarm_text(wording, "limit", line->alarm, REPORT_ALARM_LIMIT);
        add_alarm_text(wording, "threshold", line->alarm, REPORT_ALARM_THRESHOLD);
        add_alarm_text(wording, "acknowledged", line->alarm, REPORT_ALARM_ACKNOWLEDGED);
    }
    if (line->kind == LINE_ALARM || line->kind == LINE_ALARM_CLEARED) {
        text_format(wording->id, sizeof wording->id, "%" PRIu32, line->alarm_id);
        add_text(wording, "id", wording->id);
    }
    if (line->kind == LINE_ALARM)
        add_alarm_text(wording, "message", line->alarm, REPORT_ALARM_MESSAGE);
}

static bool needs_quotes(const struct wording_field *field)
{
    return memchr(field->text, ' ', field->len) || memchr(field->text, '"', field->len) ||
           memchr(field->text, '=', field->len) || memchr(field->text, '\\', field->len);
}

static void add_quoted(struct octets *text, const struct wording_field *field)
{
    const char *at = field->text, *end = field->text + field->len;
    octets_add(text, "\"", 1);
    while (at < end) {
        size_t n = 0;
        while (at + n < end && at[n] != '"' && at[n] != '\\')
            n++;
        octets_add_clean(text, at, n, false);
        if (at + n < end) {
            octets_add(text, "\\", 1);
            octets_add(text, at + n, 1);
            n++;
        }
        at += n;
    }
    octets_add(text, "\"", 1);
}

void wording_add(struct octets *text, const struct line *line, const struct wording *wording)
{
    octets_add_text(text, line_kind_word(line->kind));
    for (size_t i = 0; i < wording->n; i++) {
        const struct wording_field *field = &wording->field[i];
        octets_add(text, " ", 1);
        octets_add_text(text, field->name);
        octets_add(text, "=", 1);
        if (needs_quotes(field))
            add_quoted(text, field);
        else
            octets_add_clean(text, field->text, field->len, false);
    }
}

int wording_severity(const struct line *line)
{
    static const int alarms[] = {LOG_NOTICE, LOG_WARNING, LOG_CRIT};
    if (line->kind == LINE_ALARM)
        return alarms[line->alarm->severity - REPORT_SEVERITY_MIN];
    return line->kind == LINE_ALARM_CLEARED ? LOG_NOTICE : LOG_INFO;
}
