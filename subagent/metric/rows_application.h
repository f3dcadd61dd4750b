/* Rows of the registry, to be included in its table: what programs publish by libdcamp. */

#define SEGMENTS "/run/dcamp/apps (libdcamp/segment.h), "

#define APPLICATION_COUNTER(place, unit_)                                                          \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_APPLICATION,                         \
    .classes = 1u << RESOURCE_APPLICATION, .field = (place), .width = 64, .scale = 1
#define APPLICATION_GAUGE(place, unit_)                                                            \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_APPLICATION,                           \
    .classes = 1u << RESOURCE_APPLICATION, .field = (place), .scale = 1
#define SENSOR_COUNTER(place, unit_, scale_)                                                       \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_APPLICATION,                         \
    .classes = 1u << RESOURCE_APPLICATION_SENSOR, .field = (place), .width = 64, .scale = (scale_)
#define SENSOR_GAUGE(place, unit_)                                                                 \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_APPLICATION,                           \
    .classes = 1u << RESOURCE_APPLICATION_SENSOR, .field = (place), .scale = 1, .is_real = true
/* An average is of one event. */
#define SENSOR_TOTAL(place, unit_, scale_, is_real_)                                               \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_APPLICATION,                         \
    .classes = 1u << RESOURCE_APPLICATION_SENSOR, .field = (place), .width = 64,                   \
    .scale = (scale_), .base = BASE_FIELD, .base_field = APPLICATION_COUNT, .base_scale = 1,       \
    .is_real = (is_real_), .has_events = true

ROW("app.processes", APPLICATION_GAUGE(APPLICATION_PROCESSES, "processes"),
    SEGMENTS "files whose writers live", "Processes that publish as the application")
ROW("app.started", APPLICATION_COUNTER(APPLICATION_STARTED, "processes"), SEGMENTS "files",
    "Processes that have ever published as the application, while dcampd ran")
ROW("app.refused", APPLICATION_COUNTER(APPLICATION_REFUSED, "sensors"),
    SEGMENTS "segment_header.refused", "Sensors that the processes could not publish")
ROW("app.lost", APPLICATION_COUNTER(APPLICATION_LOST, "records"), SEGMENTS "segment_shard.steps",
    "Records of steps that were overwritten before they were read")
ROW("app.count", SENSOR_COUNTER(APPLICATION_COUNT, "events", 1),
    SEGMENTS "SEGMENT_COUNTER_VALUE, SEGMENT_TOP_TOTAL, SEGMENT_TIMER_COUNT, "
             "SEGMENT_HISTOGRAM_COUNT, SEGMENT_STEP_COUNT",
    "What was added to a counter or a top, in the program's unit; events of a timer or histogram; "
    "executions of a step that have ended")
ROW("app.value", SENSOR_GAUGE(APPLICATION_VALUE, "1"), SEGMENTS "SEGMENT_GAUGE_VALUE",
    "Value of a gauge, in the program's unit: the sum over all processes")
ROW("app.time", SENSOR_TOTAL(APPLICATION_TIME, "s", 1e-9, false),
    SEGMENTS "SEGMENT_TIMER_NANOSECONDS, SEGMENT_STEP_NANOSECONDS",
    "Time of all events of a timer or step together; average: time of one, with statistics of "
    "every event; rate: how many are at work at a time, the offered load")
ROW("app.sum", SENSOR_TOTAL(APPLICATION_SUM, "1", 1, true), SEGMENTS "SEGMENT_HISTOGRAM_SUM",
    "Sum of the values of a histogram, in the program's unit; average: the mean, with statistics "
    "of every value")
ROW("app.begun", SENSOR_COUNTER(APPLICATION_BEGUN, "events", 1), SEGMENTS "SEGMENT_STEP_BEGUN",
    "Executions of a step that have begun")
ROW("app.failed", SENSOR_COUNTER(APPLICATION_FAILED, "events", 1), SEGMENTS "SEGMENT_STEP_FAILED",
    "Executions of a step that have ended with another result than 0")

#undef SEGMENTS
#undef APPLICATION_COUNTER
#undef APPLICATION_GAUGE
#undef SENSOR_COUNTER
#undef SENSOR_GAUGE
#undef SENSOR_TOTAL
