/* Rows of the registry, to be included in its table: what programs on this machine say over HTTP.
 */

#define EXPOSED "the url of an endpoint, "

#define ENDPOINT_COUNTER_OF(place, unit_)                                                          \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_ENDPOINT,                            \
    .classes = 1u << RESOURCE_ENDPOINT, .field = (place), .width = 64, .scale = 1
#define ENDPOINT_GAUGE_OF(place, unit_, scale_)                                                    \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_ENDPOINT,                              \
    .classes = 1u << RESOURCE_ENDPOINT, .field = (place), .scale = (scale_)
#define EXPOSED_COUNTER(place, unit_)                                                              \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_ENDPOINT,                            \
    .classes = 1u << RESOURCE_ENDPOINT_SERIES, .field = (place), .width = 64, .scale = 1,          \
    .is_real = true
#define EXPOSED_GAUGE(place, unit_)                                                                \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_ENDPOINT,                              \
    .classes = 1u << RESOURCE_ENDPOINT_SERIES, .field = (place), .scale = 1, .is_real = true
/* An average is that of one event. */
#define EXPOSED_TOTAL(place, unit_)                                                                \
    EXPOSED_COUNTER(place, unit_), .base = BASE_FIELD, .base_field = ENDPOINT_EVENTS,              \
                                   .base_scale = 1, .has_events = true

ROW("endpoint.up", ENDPOINT_GAUGE_OF(ENDPOINT_UP, "1", 1), EXPOSED "whether it answers",
    "1: the last answer was good, and is not too old; 0: it was not")
ROW("endpoint.time", ENDPOINT_GAUGE_OF(ENDPOINT_TIME, "s", 1e-9), EXPOSED "the last answer",
    "How long the last good answer took")
ROW("endpoint.octets", ENDPOINT_GAUGE_OF(ENDPOINT_OCTETS, "B", 1), EXPOSED "the last answer",
    "Length of the last good answer")
ROW("endpoint.answers", ENDPOINT_COUNTER_OF(ENDPOINT_ANSWERS, "answers"), EXPOSED "good answers",
    "Answers that were read")
ROW("endpoint.failures", ENDPOINT_COUNTER_OF(ENDPOINT_FAILURES, "answers"), EXPOSED "the others",
    "Answers that were none: no connection, too slow, too long, no metrics")
ROW("endpoint.faults", ENDPOINT_COUNTER_OF(ENDPOINT_FAULTS, "lines"), EXPOSED "wrong lines",
    "Lines of answers that were wrong, and left out")
ROW("endpoint.series", ENDPOINT_GAUGE_OF(ENDPOINT_KEPT, "series", 1), EXPOSED "the last answer",
    "Series that sensors select, each bucket counted")
ROW("endpoint.left", ENDPOINT_GAUGE_OF(ENDPOINT_LEFT_OUT, "samples", 1), EXPOSED "the last answer",
    "Samples that are left out: of more series than are kept, or of two with one name")
ROW("endpoint.beyond", ENDPOINT_GAUGE_OF(ENDPOINT_BEYOND, "samples", 1), EXPOSED "the last answer",
    "Samples that are not read: of more than 10000 series or 2000 families in one answer")
ROW("endpoint.count", EXPOSED_COUNTER(ENDPOINT_COUNT, "events"),
    EXPOSED "counters, buckets, and _count of histograms and summaries",
    "What a counter of the program has counted, in the program's unit; events of a histogram or "
    "summary")
ROW("endpoint.value", EXPOSED_GAUGE(ENDPOINT_VALUE, "1"),
    EXPOSED "gauges, quantiles of summaries, and what has no type",
    "Value of a gauge, or of a quantile, in the program's unit")
ROW("endpoint.sum", EXPOSED_TOTAL(ENDPOINT_SUM, "1"), EXPOSED "_sum of histograms and summaries",
    "Sum of the values of a histogram or summary, in the program's unit; average: the mean, with "
    "statistics of every value where the buckets of a histogram are narrow enough")

#undef EXPOSED
#undef ENDPOINT_COUNTER_OF
#undef ENDPOINT_GAUGE_OF
#undef EXPOSED_COUNTER
#undef EXPOSED_GAUGE
#undef EXPOSED_TOTAL
