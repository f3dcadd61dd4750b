/* The sink "otlp": metrics and log records of OpenTelemetry (publish/otlp.h) over HTTP, in binary
 * Protocol Buffers, which every receiver takes; some take nothing else.
 *
 * The location is the URL of the receiver, to which /v1/metrics and /v1/logs are added. What was
 * sent when a process ended is sent again, with the same times and attributes. What the server
 * refuses because of its content, or has not taken according to partial_success, is counted
 * (publish/batch.h). */
#ifndef DCAMP_PUBLISH_SINK_OTLP_H
#define DCAMP_PUBLISH_SINK_OTLP_H

#include "publish/sink.h"

extern const struct sink_type sink_otlp;

#endif
