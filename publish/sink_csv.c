#include "publish/sink_csv.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "publish/sink_file.h"

const char csv_header[] = "time,node,group,sensor,instance,metric,unit,kind,value,count,min,max,"
                          "mean,stddev,p50,p90,p99,state,id,text\r\n";

/* Full-width forms count, too, since some spreadsheets take them for the same. */
static bool is_formula(const char *cell, size_t len)
{
    static const char *const begins[] = {"=",
                                         "+",
                                         "-",
                                         "@",
                                         "\t",
                                         "\r",
                                         "\n",
                                         "\xef\xbc\x9d",
                                         "\xef\xbc\x8b",
                                         "\xef\xbc\x8d",
                                         "\xef\xbc\xa0"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
        if (len >= strlen(begins[i]) && memcmp(cell, begins[i], strlen(begins[i])) == 0)
            return true;
    return false;
}

static bool needs_quotes(const char *cell, size_t len)
{
    return len > 0 && (cell[0] == ' ' || cell[len - 1] == ' ' || memchr(cell, ',', len) ||
                       memchr(cell, '"', len));
}

static void double_quotes(struct octets *text, const char *cell, size_t len)
{
    const char *quote;
    for (; (quote = memchr(cell, '"', len)); len -= (size_t)(quote + 1 - cell), cell = quote + 1) {
        octets_add(text, cell, (size_t)(quote + 1 - cell));
        octets_add(text, "\"", 1);
    }
    octets_add(text, cell, len);
}

void csv_add_cell(struct octets *text, const char *cell, size_t len)
{
    bool quoted = needs_quotes(cell, len);
    size_t begin = text->len;
    if (quoted)
        octets_add(text, "\"", 1);
    if (is_formula(cell, len))
        octets_add(text, "'", 1);
    size_t from = text->len;
    octets_add_clean(text, cell, len, false);
    if (text->failed || !memchr(text->at + from, '"', text->len - from))
        goto end;
    /* This is rare enough to be done twice. */
    struct octets clean = {0};
    octets_add(&clean, text->at + from, text->len - from);
    octets_cut(text, clean.failed ? begin : from);
    double_quotes(text, clean.at, clean.len);
    text->failed = text->failed || clean.failed;
    octets_release(&clean);
end:
    if (quoted)
        octets_add(text, "\"", 1);
}

static void add_text(struct octets *text, const char *cell)
{
    csv_add_cell(text, cell, strlen(cell));
    octets_add(text, ",", 1);
}

/* A number that is not finite is an empty cell. */
static void add_number(struct octets *text, double value)
{
    if (isfinite(value))
        octets_add_double(text, value);
    octets_add(text, ",", 1);
}

/* The value of an alarm is a text, which is a decimal if the alarm is about a number. */
static double alarm_value(const struct report_alarm *alarm)
{
    double value;
    return text_to_decimal(alarm->text[REPORT_ALARM_VALUE].at, alarm->text[REPORT_ALARM_VALUE].len,
                           &value)
               ? value
               : NAN;
}

static void add_value(struct octets *text, const struct line *line)
{
    if (line->kind == LINE_RECORD)
        octets_add_unsigned(text, line->record->duration_ns);
    else if (line->kind == LINE_KEY)
        octets_add_unsigned(text, line->key->count);
    else {
        add_number(text, line->kind == LINE_ALARM ? alarm_value(line->alarm) : line->value);
        return;
    }
    octets_add(text, ",", 1);
}

static void add_window(struct octets *text, const struct line *line)
{
    if (line->kind != LINE_WINDOW) {
        octets_add_text(text, ",,,,,,,,");
        return;
    }
    const struct report_window *window = line->window;
    bool has_moments = window->count > 0;
    octets_add_unsigned(text, window->count);
    octets_add(text, ",", 1);
    add_number(text, has_moments ? window->min : NAN);
    add_number(text, has_moments ? window->max : NAN);
    add_number(text, has_moments ? window->mean : NAN);
    add_number(text, has_moments ? line->deviation : NAN);
    add_number(text, line->has_quantiles ? line->p50 : NAN);
    add_number(text, line->has_quantiles ? line->p90 : NAN);
    add_number(text, line->has_quantiles ? line->p99 : NAN);
}

static void add_end(struct octets *text, const struct line *line)
{
    if (line->kind == LINE_RECORD)
        octets_add_signed(text, line->record->result);
    else
        octets_add_text(text, line->state);
    octets_add(text, ",", 1);
    if (line->kind == LINE_ALARM || line->kind == LINE_ALARM_CLEARED)
        octets_add_unsigned(text, line->alarm_id);
    octets_add(text, ",", 1);
    if (line->kind == LINE_ALARM)
        csv_add_cell(text, line->alarm->text[REPORT_ALARM_MESSAGE].at,
                     line->alarm->text[REPORT_ALARM_MESSAGE].len);
    else if (line->kind == LINE_KEY)
        csv_add_cell(text, line->key->octets, strnlen(line->key->octets, sizeof line->key->octets));
    octets_add(text, "\r\n", 2);
}

void csv_add(struct octets *text, const struct line *line)
{
    octets_add_time(text, line->wall_ms);
    octets_add(text, ",", 1);
    add_text(text, line->node);
    add_text(text, line->stream->group);
    add_text(text, line->words.sensor);
    add_text(text, line->words.instance);
    add_text(text, line->words.metric);
    add_text(text, line->kind == LINE_RECORD ? "ns" : line->words.unit);
    add_text(text, line_kind_word(line->kind));
    add_value(text, line);
    add_window(text, line);
    add_end(text, line);
}

static const struct file_format format = {.suffix = "csv", .header = csv_header, .add = csv_add};

static int open_csv(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                    char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    return sink_file_open(&format, settings, sink, error);
}

const struct sink_type sink_csv = {.abi = SINK_ABI,
                                   .kind = "csv",
                                   .directory = "csv",
                                   .has_own = true,
                                   .open = open_csv,
                                   .close = sink_file_close,
                                   .cursors = sink_file_cursors,
                                   .block = sink_file_block,
                                   .commit = sink_file_commit};
