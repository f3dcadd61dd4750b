#include "publish/lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

struct asked {
    unsigned kinds;
    const char *sensors;
    line_fn *each;
    void *context;
};

const char *line_kind_word(enum line_kind kind)
{
    static const char *const words[] = {"value", "window", "record",
                                        "key",   "alarm",  "alarm-cleared"};
    return words[kind];
}

/* below: the path from the node of the stream down, or "". */
static void name_node(struct line *line, const char *below, size_t len)
{
    const struct sink_stream *stream = line->stream;
    bool is_own = stream->path[0] == '\0';
    if (len == 0)
        text_format(line->node, sizeof line->node, "%s", is_own ? stream->name : stream->path);
    else
        text_format(line->node, sizeof line->node, "%s%s%.*s", stream->path, is_own ? "" : "/",
                    (int)len, below);
}

static int give_value(const struct asked *asked, struct line *line, const struct result *result)
{
    line->kind = LINE_VALUE;
    line->state = result->state == RESULT_VALID ? "valid"
                  : result->state == RESULT_GAP ? "gap"
                                                : "unavailable";
    line->value = result->state == RESULT_VALID ? result->value : NAN;
    return asked->each(asked->context, line);
}

static int give_window(const struct asked *asked, struct line *line,
                       const struct report_window *window)
{
    if (!window->has_moments)
        return 0;
    line->kind = LINE_WINDOW;
    line->state = window->count > 0 ? "valid" : "gap";
    line->window = window;
    struct statistics_window whole = {.count = window->count,
                                      .min = window->min,
                                      .max = window->max,
                                      .mean = window->mean,
                                      .m2 = window->m2};
    line->deviation = statistics_deviation(&whole);
    line->has_quantiles =
        window->count > 0 && window->histogram && window->histogram->count == window->count;
    if (line->has_quantiles) {
        whole.histogram = *window->histogram;
        line->p50 = statistics_quantile(&whole, 0.5);
        line->p90 = statistics_quantile(&whole, 0.9);
        line->p99 = statistics_quantile(&whole, 0.99);
    }
    return asked->each(asked->context, line);
}

static int give_record(const struct asked *asked, struct line *line,
                       const struct report_record *record)
{
    line->kind = LINE_RECORD;
    line->state = "valid";
    line->record = record;
    name_node(line, record->node, record->node_len);
    return asked->each(asked->context, line);
}

static int give_keys(const struct asked *asked, struct line *line, const struct report_keys *keys)
{
    struct top_key key[REPORT_KEYS_MAX];
    int error = 0;
    line->kind = LINE_KEY;
    line->state = "valid";
    report_keys_read(keys, key);
    for (size_t i = 0; i < keys->n && !error; i++, line->line++) {
        line->key = &key[i];
        error = asked->each(asked->context, line);
    }
    line->key = NULL;
    return error;
}

static int give_alarm(const struct asked *asked, struct line *line,
                      const struct report_entry *entry)
{
    static const char *const severities[REPORT_SEVERITIES] = {"info", "warning", "critical"};
    struct report_alarm alarm;
    char sensor[NAME_SIZE], instance[INSTANCE_SIZE];
    report_alarm_read(entry, &alarm);
    text_format(sensor, sizeof sensor, "%.*s", (int)alarm.text[REPORT_ALARM_SENSOR].len,
                alarm.text[REPORT_ALARM_SENSOR].at);
    text_format(instance, sizeof instance, "%.*s", (int)alarm.text[REPORT_ALARM_INSTANCE].len,
                alarm.text[REPORT_ALARM_INSTANCE].at);
    name_node(line, alarm.text[REPORT_ALARM_PATH].at, alarm.text[REPORT_ALARM_PATH].len);
    line->kind = LINE_ALARM;
    line->words = (struct sink_words){sensor, instance, "", "", ""};
    line->state = severities[alarm.severity - REPORT_SEVERITY_MIN];
    line->alarm = &alarm;
    line->alarm_id = alarm.id;
    line->alarm_hash = entry->alarm.hash;
    int error = asked->each(asked->context, line);
    line->alarm = NULL;
    return error;
}

static int give_cleared(const struct asked *asked, struct line *line, uint32_t id)
{
    line->kind = LINE_ALARM_CLEARED;
    line->words = (struct sink_words){"", "", "", "", ""};
    line->state = "cleared";
    line->alarm_id = id;
    return asked->each(asked->context, line);
}

static bool is_wanted(const struct asked *asked, const struct entry *entry)
{
    static const unsigned kinds[] = {[REPORT_VALUE] = 1u << LINE_VALUE,
                                     [REPORT_WINDOW] = 1u << LINE_WINDOW,
                                     [REPORT_RECORD] = 1u << LINE_RECORD,
                                     [REPORT_KEYS] = 1u << LINE_KEY,
                                     [REPORT_ALARM] = 1u << LINE_ALARM,
                                     [REPORT_ALARM_CLEARED] = 1u << LINE_ALARM_CLEARED,
                                     [REPORT_ALARMS] = 0};
    return asked->kinds & kinds[entry->report->kind] &&
           (!entry->words || text_matches(asked->sensors, entry->words->sensor));
}

/* An entry_fn. */
static int give(void *context, const struct entry *entry)
{
    const struct asked *asked = context;
    const struct report_entry *report = entry->report;
    if (!is_wanted(asked, entry))
        return 0;
    struct line line = {.stream = entry->block->stream,
                        .number = entry->block->number,
                        .line = entry->line,
                        .series = entry->words ? report->series : 0,
                        .wall_ms = report->wall_ms,
                        .value = NAN};
    if (entry->words)
        line.words = *entry->words;
    name_node(&line, "", 0);
    switch (report->kind) {
    case REPORT_VALUE:
        return give_value(asked, &line, &report->result);
    case REPORT_WINDOW:
        return give_window(asked, &line, &report->window);
    case REPORT_RECORD:
        return give_record(asked, &line, &report->record);
    case REPORT_KEYS:
        return give_keys(asked, &line, &report->keys);
    case REPORT_ALARM:
        return give_alarm(asked, &line, report);
    case REPORT_ALARM_CLEARED:
        return give_cleared(asked, &line, report->alarm.id);
    case REPORT_ALARMS:
        break;
    }
    return 0;
}

int lines_each(const struct sink_block *block, unsigned kinds, const char *sensors, line_fn *each,
               void *context, uint64_t *nameless)
{
    struct asked asked = {
        .kinds = kinds, .sensors = sensors[0] ? sensors : "*", .each = each, .context = context};
    return entries_each(block, give, &asked, nameless);
}
