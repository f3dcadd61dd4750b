/* OTLP: what lines say, as messages of the OpenTelemetry protocol. Pure but for memory.
 *
 * https://opentelemetry.io/docs/specs/otlp/, opentelemetry-proto 1.9 */
#ifndef DCAMP_PUBLISH_OTLP_H
#define DCAMP_PUBLISH_OTLP_H

#include "publish/lines.h"
#include "publish/octets.h"

/* Requests of /v1/metrics have ExportMetricsServiceRequest, those of /v1/logs
 * ExportLogsServiceRequest. */
enum otlp_signal { OTLP_METRICS, OTLP_LOGS };

/* The kinds of lines that are log records; the others are metrics. */
#define OTLP_KINDS_OF_LOGS (1u << LINE_RECORD | 1u << LINE_ALARM | 1u << LINE_ALARM_CLEARED)

/* A point of a metric, or a log record. */
struct otlp_part;

/* Parts of one signal. If all is zero except the signal, there are none. text.failed: memory has
 * run out. */
struct otlp_batch {
    enum otlp_signal signal;
    struct octets text;
    struct otlp_part *parts;
    size_t n, size;
};
void otlp_release(struct otlp_batch *batch);
void otlp_clear(struct otlp_batch *batch);

/* The resource of all that a node says has the attributes service.name, "dcamp";
 * service.instance.id, the path from the publishing node down: "collector1/node7"; host.name, the
 * last of it; dcamp.group, if it has one. The scope is "dcamp". Attributes of a point are
 * dcamp.instance and dcamp.metric, where they are not empty. Units are those of publish/ucum.h.
 *   a value     gauge SENSOR; a gap, or one that was not available, is a point with the flag that
 *               it has no recorded value
 *   a window    summary SENSOR.window: count, sum, and the quantiles 0 (the least), 1 (the largest)
 *               and, where the line has quantiles, 0.5, 0.9, 0.99; its start is that of the window
 *   a key       gauges SENSOR.top and SENSOR.top.error, with the attribute dcamp.key
 *   a record    log record of the event dcamp.step: its time is its beginning; dcamp.sensor,
 *               dcamp.instance, dcamp.duration_ns, dcamp.result, dcamp.sequence, and dcamp.cpu_ns
 *               and dcamp.allocated, where they are known; WARN, if the result is not 0
 *   an alarm    log record of the event dcamp.alarm: its body is the message, its severity INFO,
 *               WARN or ERROR2 ("critical"); dcamp.alarm.id, dcamp.alarm.state, dcamp.sensor,
 *               dcamp.instance, dcamp.alarm.threshold, .value and .limit; cleared, it has id and
 *               state
 * Texts are UTF-8; other octets, and control characters, become '?'. A part does not depend on the
 * time at which it is sent: sent again, it is the same.
 *
 * Returns how many parts were added: 0 if a time does not fit. The signal of the batch has to be
 * that of the line. */
size_t otlp_add(struct otlp_batch *batch, const struct line *line);

/* Puts parts that belong together beside each other, in the order in which they were added:
 * requests become small. */
void otlp_sort(struct otlp_batch *batch);

/* The request of parts from to to - 1. */
void otlp_request(const struct otlp_batch *batch, size_t from, size_t to, struct octets *request);

#endif
