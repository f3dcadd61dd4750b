#include "publish/otlp.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/protobuf.h"
#include "publish/ucum.h"

#define NS_PER_MS UINT64_C(1000000)
#define NAME_ROOM (NAME_SIZE + 32)

/* Numbers of fields. */
enum { REQUEST_RESOURCE = 1 };
enum { RESOURCE_RESOURCE = 1, RESOURCE_SCOPE };
enum { SCOPE_SCOPE = 1, SCOPE_PARTS };
enum { ATTRIBUTES_OF_RESOURCE = 1 };
enum { SCOPE_NAME = 1 };
enum { METRIC_NAME = 1, METRIC_UNIT = 3, METRIC_GAUGE_DATA = 5, METRIC_SUMMARY_DATA = 11 };
enum { DATA_POINTS = 1 };
enum {
    POINT_START = 2,
    POINT_TIME,
    POINT_DOUBLE,
    POINT_INTEGER = 6,
    POINT_ATTRIBUTES,
    POINT_FLAGS
};
enum { SUMMARY_COUNT = 4, SUMMARY_SUM, SUMMARY_QUANTILES };
enum { QUANTILE_QUANTILE = 1, QUANTILE_VALUE };
enum {
    LOG_TIME = 1,
    LOG_SEVERITY,
    LOG_SEVERITY_TEXT,
    LOG_BODY = 5,
    LOG_ATTRIBUTES,
    LOG_OBSERVED = 11,
    LOG_EVENT
};
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE };
enum { ANY_STRING = 1, ANY_INTEGER = 3 };

#define FLAG_NO_RECORDED_VALUE 1
enum { SEVERITY_INFO = 9, SEVERITY_WARN = 13, SEVERITY_ERROR2 = 18 };

/* In the text, one behind the other: the fields of its resource, those of its metric, and its own.
 */
struct otlp_part {
    size_t at;
    size_t resource, metric, own; /* their lengths */
    unsigned data;                /* the field of Metric; 0: it is a log record */
};

void otlp_release(struct otlp_batch *batch)
{
    octets_release(&batch->text);
    free(batch->parts);
    *batch = (struct otlp_batch){.signal = batch->signal};
}

void otlp_clear(struct otlp_batch *batch)
{
    octets_cut(&batch->text, 0);
    batch->n = 0;
}

/* -- Attributes ------------------------------------------------------------------------------ */

static void add_attribute(struct octets *text, unsigned field, const char *key, const char *value,
                          size_t len)
{
    size_t attribute = protobuf_begin(text, field);
    protobuf_add_text(text, ATTRIBUTE_KEY, key, strlen(key));
    size_t any = protobuf_begin(text, ATTRIBUTE_VALUE);
    protobuf_add_text(text, ANY_STRING, value, len);
    protobuf_end(text, any);
    protobuf_end(text, attribute);
}

/* Adds a word, unless it is empty. */
static void add_word(struct octets *text, unsigned field, const char *key, const char *value)
{
    if (value[0])
        add_attribute(text, field, key, value, strlen(value));
}

static void add_number(struct octets *text, unsigned field, const char *key, int64_t value)
{
    size_t attribute = protobuf_begin(text, field);
    protobuf_add_text(text, ATTRIBUTE_KEY, key, strlen(key));
    size_t any = protobuf_begin(text, ATTRIBUTE_VALUE);
    protobuf_add_integer(text, ANY_INTEGER, (uint64_t)value);
    protobuf_end(text, any);
    protobuf_end(text, attribute);
}

/* Integers of OTLP are signed. */
static int64_t with_sign(uint64_t value)
{
    return value <= INT64_MAX ? (int64_t)value : INT64_MAX;
}

static void add_resource(struct octets *text, const struct line *line)
{
    const char *last = strrchr(line->node, '/');
    add_word(text, ATTRIBUTES_OF_RESOURCE, "service.name", "dcamp");
    add_word(text, ATTRIBUTES_OF_RESOURCE, "service.instance.id", line->node);
    add_word(text, ATTRIBUTES_OF_RESOURCE, "host.name", last ? last + 1 : line->node);
    add_word(text, ATTRIBUTES_OF_RESOURCE, "dcamp.group", line->stream->group);
}

/* -- Parts ----------------------------------------------------------------------------------- */

static struct otlp_part *begin_part(struct otlp_batch *batch, const struct line *line)
{
    if (batch->n == batch->size) {
        size_t size = batch->size ? 2 * batch->size : 256;
        struct otlp_part *more = reallocarray(batch->parts, size, sizeof *more);
        if (!more) {
            batch->text.failed = true;
            return NULL;
        }
        batch->parts = more;
        batch->size = size;
    }
    struct otlp_part *part = &batch->parts[batch->n++];
    *part = (struct otlp_part){.at = batch->text.len};
    add_resource(&batch->text, line);
    part->resource = batch->text.len - part->at;
    return part;
}

static void end_part(struct otlp_batch *batch, struct otlp_part *part)
{
    part->own = batch->text.len - part->at - part->resource - part->metric;
}

/* Begins a point; its metric is named by the sensor, with something behind it. */
static struct otlp_part *begin_point(struct otlp_batch *batch, const struct line *line,
                                     const char *behind, unsigned data)
{
    char name[NAME_ROOM], unit[UCUM_SIZE];
    struct otlp_part *part = begin_part(batch, line);
    if (!part)
        return NULL;
    size_t begun = batch->text.len;
    text_format(name, sizeof name, "%s%s", line->words.sensor, behind);
    ucum_from_unit(unit, line->words.unit);
    protobuf_add_text(&batch->text, METRIC_NAME, name, strlen(name));
    if (unit[0])
        protobuf_add_text(&batch->text, METRIC_UNIT, unit, strlen(unit));
    part->metric = batch->text.len - begun;
    part->data = data;
    add_word(&batch->text, POINT_ATTRIBUTES, "dcamp.instance", line->words.instance);
    add_word(&batch->text, POINT_ATTRIBUTES, "dcamp.metric", line->words.metric);
    return part;
}

/* -- Metrics --------------------------------------------------------------------------------- */

static size_t add_value(struct otlp_batch *batch, const struct line *line, uint64_t ns)
{
    struct otlp_part *part = begin_point(batch, line, "", METRIC_GAUGE_DATA);
    if (!part)
        return 0;
    protobuf_add_fixed(&batch->text, POINT_TIME, ns);
    if (strcmp(line->state, "valid") == 0)
        protobuf_add_double(&batch->text, POINT_DOUBLE, line->value);
    else
        protobuf_add_integer(&batch->text, POINT_FLAGS, FLAG_NO_RECORDED_VALUE);
    end_part(batch, part);
    return 1;
}

static void add_quantile(struct octets *text, double quantile, double value)
{
    size_t begun = protobuf_begin(text, SUMMARY_QUANTILES);
    protobuf_add_double(text, QUANTILE_QUANTILE, quantile);
    protobuf_add_double(text, QUANTILE_VALUE, value);
    protobuf_end(text, begun);
}

static void add_quantiles(struct octets *text, const struct line *line)
{
    add_quantile(text, 0, line->window->min);
    if (line->has_quantiles) {
        add_quantile(text, 0.5, line->p50);
        add_quantile(text, 0.9, line->p90);
        add_quantile(text, 0.99, line->p99);
    }
    add_quantile(text, 1, line->window->max);
}

static size_t add_window(struct otlp_batch *batch, const struct line *line, uint64_t ns)
{
    const struct report_window *window = line->window;
    uint64_t length_ns = window->window_ms * NS_PER_MS;
    struct otlp_part *part = begin_point(batch, line, ".window", METRIC_SUMMARY_DATA);
    if (!part)
        return 0;
    protobuf_add_fixed(&batch->text, POINT_START, length_ns < ns ? ns - length_ns : 0);
    protobuf_add_fixed(&batch->text, POINT_TIME, ns);
    if (window->count > 0) {
        protobuf_add_fixed(&batch->text, SUMMARY_COUNT, window->count);
        protobuf_add_double(&batch->text, SUMMARY_SUM,
                            window->has_totals ? window->totals.sum
                                               : window->mean * (double)window->count);
        add_quantiles(&batch->text, line);
    } else {
        protobuf_add_integer(&batch->text, POINT_FLAGS, FLAG_NO_RECORDED_VALUE);
    }
    end_part(batch, part);
    return 1;
}

static size_t add_count(struct otlp_batch *batch, const struct line *line, uint64_t ns,
                        const char *behind, uint64_t count)
{
    const char *key = line->key->octets;
    struct otlp_part *part = begin_point(batch, line, behind, METRIC_GAUGE_DATA);
    if (!part)
        return 0;
    add_attribute(&batch->text, POINT_ATTRIBUTES, "dcamp.key", key,
                  strnlen(key, sizeof line->key->octets));
    protobuf_add_fixed(&batch->text, POINT_TIME, ns);
    protobuf_add_fixed(&batch->text, POINT_INTEGER, (uint64_t)with_sign(count));
    end_part(batch, part);
    return 1;
}

static size_t add_key(struct otlp_batch *batch, const struct line *line, uint64_t ns)
{
    return add_count(batch, line, ns, ".top", line->key->count) +
           add_count(batch, line, ns, ".top.error", line->key->error);
}

/* -- Logs ------------------------------------------------------------------------------------ */

static struct otlp_part *begin_record(struct otlp_batch *batch, const struct line *line,
                                      uint64_t ns, const char *event, int severity)
{
    struct otlp_part *part = begin_part(batch, line);
    if (!part)
        return NULL;
    protobuf_add_fixed(&batch->text, LOG_TIME, ns);
    protobuf_add_integer(&batch->text, LOG_SEVERITY, (uint64_t)severity);
    protobuf_add_text(&batch->text, LOG_EVENT, event, strlen(event));
    add_word(&batch->text, LOG_ATTRIBUTES, "dcamp.sensor", line->words.sensor);
    add_word(&batch->text, LOG_ATTRIBUTES, "dcamp.instance", line->words.instance);
    return part;
}

static size_t add_record(struct otlp_batch *batch, const struct line *line, uint64_t observed_ns)
{
    const struct report_record *record = line->record;
    struct octets *text = &batch->text;
    struct otlp_part *part = begin_record(batch, line, record->start_ns, "dcamp.step",
                                          record->result ? SEVERITY_WARN : SEVERITY_INFO);
    if (!part)
        return 0;
    protobuf_add_fixed(text, LOG_OBSERVED, observed_ns);
    add_number(text, LOG_ATTRIBUTES, "dcamp.duration_ns", with_sign(record->duration_ns));
    add_number(text, LOG_ATTRIBUTES, "dcamp.result", record->result);
    add_number(text, LOG_ATTRIBUTES, "dcamp.sequence", with_sign(record->sequence));
    if (record->has_cpu)
        add_number(text, LOG_ATTRIBUTES, "dcamp.cpu_ns", with_sign(record->cpu_ns));
    if (record->has_allocated)
        add_number(text, LOG_ATTRIBUTES, "dcamp.allocated", with_sign(record->allocated));
    end_part(batch, part);
    return 1;
}

static void add_texts(struct octets *text, const struct report_alarm *alarm)
{
    static const struct {
        const char *key;
        enum report_alarm_text text;
    } texts[] = {{"dcamp.alarm.threshold", REPORT_ALARM_THRESHOLD},
                 {"dcamp.alarm.value", REPORT_ALARM_VALUE},
                 {"dcamp.alarm.limit", REPORT_ALARM_LIMIT}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (alarm->text[texts[i].text].len > 0)
            add_attribute(text, LOG_ATTRIBUTES, texts[i].key, alarm->text[texts[i].text].at,
                          alarm->text[texts[i].text].len);
    size_t body = protobuf_begin(text, LOG_BODY);
    protobuf_add_text(text, ANY_STRING, alarm->text[REPORT_ALARM_MESSAGE].at,
                      alarm->text[REPORT_ALARM_MESSAGE].len);
    protobuf_end(text, body);
}

static size_t add_alarm(struct otlp_batch *batch, const struct line *line, uint64_t ns)
{
    struct octets *text = &batch->text;
    int severity = strcmp(line->state, "critical") == 0  ? SEVERITY_ERROR2
                   : strcmp(line->state, "warning") == 0 ? SEVERITY_WARN
                                                         : SEVERITY_INFO;
    struct otlp_part *part = begin_record(batch, line, ns, "dcamp.alarm", severity);
    if (!part)
        return 0;
    protobuf_add_fixed(text, LOG_OBSERVED, ns);
    protobuf_add_text(text, LOG_SEVERITY_TEXT, line->state, strlen(line->state));
    add_number(text, LOG_ATTRIBUTES, "dcamp.alarm.id", line->alarm_id);
    add_word(text, LOG_ATTRIBUTES, "dcamp.alarm.state", line->state);
    if (line->kind == LINE_ALARM)
        add_texts(text, line->alarm);
    end_part(batch, part);
    return 1;
}

size_t otlp_add(struct otlp_batch *batch, const struct line *line)
{
    uint64_t ns;
    if (line->wall_ms < 0 || __builtin_mul_overflow((uint64_t)line->wall_ms, NS_PER_MS, &ns))
        return 0;
    switch (line->kind) {
    case LINE_VALUE:
        return add_value(batch, line, ns);
    case LINE_WINDOW:
        return add_window(batch, line, ns);
    case LINE_KEY:
        return add_key(batch, line, ns);
    case LINE_RECORD:
        return add_record(batch, line, ns);
    case LINE_ALARM:
    case LINE_ALARM_CLEARED:
        return add_alarm(batch, line, ns);
    }
    return 0;
}

/* -- Requests -------------------------------------------------------------------------------- */

static int compare_octets(const char *a, size_t a_len, const char *b, size_t b_len)
{
    if (a_len != b_len)
        return a_len < b_len ? -1 : 1;
    return memcmp(a, b, a_len);
}

static int compare_resources(const struct otlp_part *a, const struct otlp_part *b, const char *text)
{
    return compare_octets(text + a->at, a->resource, text + b->at, b->resource);
}

static int compare_metrics(const struct otlp_part *a, const struct otlp_part *b, const char *text)
{
    if (a->data != b->data)
        return a->data < b->data ? -1 : 1;
    return compare_octets(text + a->at + a->resource, a->metric, text + b->at + b->resource,
                          b->metric);
}

static int compare(const void *left, const void *right, void *context)
{
    const struct otlp_part *a = left, *b = right;
    int order = compare_resources(a, b, context);
    if (order == 0)
        order = compare_metrics(a, b, context);
    return order ? order : a->at < b->at ? -1 : 1;
}

void otlp_sort(struct otlp_batch *batch)
{
    if (batch->n > 1)
        qsort_r(batch->parts, batch->n, sizeof *batch->parts, compare, batch->text.at);
}

/* The messages that are open in a request that is being made. */
struct frames {
    struct octets *request;
    size_t resource, scope, metric, data;
};

static void end_metric(struct frames *open, const struct otlp_part *part)
{
    if (part->data == 0)
        return;
    protobuf_end(open->request, open->data);
    protobuf_end(open->request, open->metric);
}

static void end_resource(struct frames *open)
{
    protobuf_end(open->request, open->scope);
    protobuf_end(open->request, open->resource);
}

static void begin_resource(struct frames *open, const struct otlp_part *part, const char *text)
{
    struct octets *request = open->request;
    open->resource = protobuf_begin(request, REQUEST_RESOURCE);
    protobuf_add_bytes(request, RESOURCE_RESOURCE, text + part->at, part->resource);
    open->scope = protobuf_begin(request, RESOURCE_SCOPE);
    size_t scope = protobuf_begin(request, SCOPE_SCOPE);
    protobuf_add_text(request, SCOPE_NAME, "dcamp", strlen("dcamp"));
    protobuf_end(request, scope);
}

static void begin_metric(struct frames *open, const struct otlp_part *part, const char *text)
{
    if (part->data == 0)
        return;
    open->metric = protobuf_begin(open->request, SCOPE_PARTS);
    octets_add(open->request, text + part->at + part->resource, part->metric);
    open->data = protobuf_begin(open->request, part->data);
}

void otlp_request(const struct otlp_batch *batch, size_t from, size_t to, struct octets *request)
{
    const char *text = batch->text.at;
    struct frames open = {.request = request};
    const struct otlp_part *last = NULL;
    for (size_t i = from; i < to; i++) {
        const struct otlp_part *part = &batch->parts[i];
        bool other_resource = !last || compare_resources(last, part, text) != 0;
        bool other_metric = other_resource || compare_metrics(last, part, text) != 0;
        if (last && other_metric)
            end_metric(&open, last);
        if (last && other_resource)
            end_resource(&open);
        if (other_resource)
            begin_resource(&open, part, text);
        if (other_metric)
            begin_metric(&open, part, text);
        protobuf_add_bytes(request, part->data ? DATA_POINTS : SCOPE_PARTS,
                           text + part->at + part->resource + part->metric, part->own);
        last = part;
    }
    if (last) {
        end_metric(&open, last);
        end_resource(&open);
    }
}
