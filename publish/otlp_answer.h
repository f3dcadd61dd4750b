/* What a server of OTLP answers, as messages of Protocol Buffers. Pure.
 *
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp-response */
#ifndef DCAMP_PUBLISH_OTLP_ANSWER_H
#define DCAMP_PUBLISH_OTLP_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OTLP_TEXT_SIZE 256

/* The body of status 200: ExportMetricsServiceResponse or ExportLogsServiceResponse. rejected: how
 * many points or records the server has not taken; text: why, or a warning; not cleaned. False: it
 * is no such message. */
bool otlp_answer_partly(const char *body, size_t len, uint64_t *rejected,
                        char text[OTLP_TEXT_SIZE]);

/* The body of other statuses: google.rpc.Status, which has a text. False: it is no such message, or
 * has no text. */
bool otlp_answer_status(const char *body, size_t len, char text[OTLP_TEXT_SIZE]);

#endif
