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
/* An average is that of one event. */
#define SENSOR_TOTAL(place, unit_, scale_, is_real_)                                               \
    .unit = (unit_), .kind = METRIC_COUNTER, .source = SOURCE_APPLICATION,                         \
    .classes = 1u << RESOURCE_APPLICATION_SENSOR, .field = (place), .width = 64,                   \
    .scale = (scale_), .base = BASE_FIELD, .base_field = APPLICATION_COUNT, .base_scale = 1,       \
    .is_real = (is_real_), .has_events = true

/* Sums of times that are computed here; a time may be below 0. */
#define TIMES(place, count, class)                                                                 \
    .unit = "s", .kind = METRIC_COUNTER, .source = SOURCE_APPLICATION, .classes = 1u << (class),   \
    .field = (place), .width = 64, .scale = 1, .base = BASE_FIELD, .base_field = (count),          \
    .base_scale = 1, .is_real = true, .has_events = true
#define SENSOR_RECORDS(place) SENSOR_COUNTER(place, "records", 1), .has_records = true
/* Gauges that are computed of all that came since the previous value. */
#define SENSOR_COMPUTED(place, unit_)                                                              \
    .unit = (unit_), .kind = METRIC_GAUGE, .source = SOURCE_APPLICATION,                           \
    .classes = 1u << RESOURCE_APPLICATION_SENSOR, .field = (place), .scale = 1, .is_real = true,   \
    .is_computed = true

ROW("app.processes", APPLICATION_GAUGE(APPLICATION_PROCESSES, "processes"),
    SEGMENTS "files whose writers live", "Processes that publish as the application")
ROW("app.started", APPLICATION_COUNTER(APPLICATION_STARTED, "processes"), SEGMENTS "files",
    "Processes that have ever published as the application, while dcampd ran")
ROW("app.refused", APPLICATION_COUNTER(APPLICATION_REFUSED, "sensors"),
    SEGMENTS "segment_header.refused", "Sensors that the processes could not publish")
ROW("app.lost", APPLICATION_COUNTER(APPLICATION_LOST, "records"), SEGMENTS "segment_shard.steps",
    "Records of steps that were overwritten before they were read")
ROW("app.unreported", APPLICATION_COUNTER(APPLICATION_UNREPORTED, "records"),
    SEGMENTS "segment_record",
    "Records of steps that were read for app.records, and did not fit into the report blocks")
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
ROW("app.records", SENSOR_RECORDS(APPLICATION_RECORDS), SEGMENTS "segment_record",
    "Records of executions of a step that were read, or that nodes below have reported; a sensor "
    "on "
    "it puts each of them into the report blocks")
ROW("app.latency", TIMES(APPLICATION_LATENCY, APPLICATION_LATENCIES, RESOURCE_APPLICATION_SENSOR),
    SEGMENTS "segment_record",
    "Time between the end of a step and the beginning of the next one of the same sequence, all "
    "together; average: of one, with statistics of every one")
ROW("app.latency.count", SENSOR_COUNTER(APPLICATION_LATENCIES, "latencies", 1),
    SEGMENTS "segment_record", "How often one step came after the other in a sequence")
ROW("app.latency.negative", SENSOR_COUNTER(APPLICATION_LATENCY_NEGATIVE, "latencies", 1),
    SEGMENTS "segment_record",
    "Of these, how often it began before the other had ended: they overlap, or the clocks of two "
    "nodes differ")
ROW("app.sequences", APPLICATION_COUNTER(APPLICATION_SEQUENCES, "sequences"),
    SEGMENTS "segment_record", "Sequences that are complete, of this node and of those below")
ROW("app.sequence.time",
    TIMES(APPLICATION_SEQUENCE_TIME, APPLICATION_SEQUENCES, RESOURCE_APPLICATION),
    SEGMENTS "segment_record",
    "Time from the beginning of the first step of a sequence to the end of the last one, all "
    "together; average: of one, with statistics of every one")
ROW("app.sequence.failed", APPLICATION_COUNTER(APPLICATION_SEQUENCE_FAILED, "sequences"),
    SEGMENTS "segment_record", "Complete sequences of which a step had another result than 0")
ROW("app.sequence.lost", APPLICATION_COUNTER(APPLICATION_SEQUENCE_LOST, "sequences"),
    SEGMENTS "segment_record",
    "Sequences that were given up before they were complete, since too many records waited")
ROW("app.sequence.left", APPLICATION_COUNTER(APPLICATION_SEQUENCE_LEFT, "records"),
    SEGMENTS "segment_record",
    "Records and latencies that are in no figures: too many steps or applications, or no memory")
ROW("app.sequence.negative", APPLICATION_COUNTER(APPLICATION_SEQUENCE_NEGATIVE, "sequences"),
    SEGMENTS "segment_record", "Complete sequences that end before they begin: clocks differ")
ROW("app.step.runtime", SENSOR_COMPUTED(APPLICATION_RUNTIME, "s"),
    SEGMENTS "SEGMENT_STEP_NANOSECONDS / SEGMENT_STEP_COUNT",
    "Mean time of the executions of a step that have ended since the value before")
ROW("app.step.throughput", SENSOR_COMPUTED(APPLICATION_THROUGHPUT, "1/s"),
    SEGMENTS "SEGMENT_STEP_COUNT / SEGMENT_STEP_NANOSECONDS",
    "Executions of a step that have ended since the value before, by the time of all of them "
    "together: so many a second one thread would get done that does nothing else")
ROW("app.step.load", SENSOR_COMPUTED(APPLICATION_LOAD, "erlang"),
    SEGMENTS "SEGMENT_STEP_BEGUN, SEGMENT_STEP_COUNT, SEGMENT_STEP_NANOSECONDS",
    "Offered load of a step, which the research calls its capacity: arrivals a second by the "
    "throughput, which is how many executions go on at a time in the mean")
ROW("app.step.capacity", SENSOR_COMPUTED(APPLICATION_LOAD, "erlang"),
    SEGMENTS "SEGMENT_STEP_BEGUN, SEGMENT_STEP_COUNT, SEGMENT_STEP_NANOSECONDS",
    "The same as app.step.load, by the name that the research has for it")
ROW("app.contention", SENSOR_COMPUTED(APPLICATION_CONTENTION, "1"),
    SEGMENTS "NAME.arrivals, NAME.waits, NAME.failures, NAME.hold",
    "Contention factor of a lock: the probability that an arrival finds it held, by the part of "
    "the time in which it is")
ROW("app.contention.probability", SENSOR_COMPUTED(APPLICATION_CONTENDED, "1"),
    SEGMENTS "NAME.waits / NAME.arrivals", "Probability that an arrival finds the lock held")
ROW("app.contention.load", SENSOR_COMPUTED(APPLICATION_HELD, "1"),
    SEGMENTS "NAME.arrivals, NAME.failures, NAME.hold",
    "Part of the time in which the lock is held: arrivals a second that get it, times the mean "
    "time that it is held; of several locks the sum of their parts")
ROW("app.fit.cv2", SENSOR_COMPUTED(APPLICATION_CV2, "1"), SEGMENTS "buckets",
    "Squared coefficient of variation of the events of a timer or histogram: of times between "
    "arrivals, 1 for a Poisson process, less for regular ones, more for bursts")
ROW("app.fit.distance", SENSOR_COMPUTED(APPLICATION_DISTANCE, "1"), SEGMENTS "buckets",
    "Distance of Kolmogorov and Smirnov between the events of a timer or histogram and the "
    "exponential distribution with their mean, from 0 to 1")
ROW("app.fit.poisson", SENSOR_COMPUTED(APPLICATION_POISSON, "1"), SEGMENTS "buckets",
    "Whether times between arrivals may be those of a Poisson process: 0 if the test rejects that "
    "at 5 %, with the critical values for a mean that comes from the same times, 1 if not")

#undef SEGMENTS
#undef APPLICATION_COUNTER
#undef APPLICATION_GAUGE
#undef SENSOR_COUNTER
#undef SENSOR_GAUGE
#undef SENSOR_TOTAL
#undef TIMES
#undef SENSOR_RECORDS
#undef SENSOR_COMPUTED
