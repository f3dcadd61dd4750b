#include "children/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "children/child.h"

/* To compute differences, fractions are counted in millionths, because values are shown with as
 * many decimals. */
#define FRACTION 1e6
#define FRACTION_MAX 9e12

/* In 1/100 s. If the sysUpTime of a device has grown by less than three quarters of the time that
 * has passed, minus this, the device has restarted meanwhile. */
#define UP_TIME_SLACK 100

/* What is needed to compute values of a series. */
struct device_series {
    UT_hash_handle hh;
    uint32_t number;
    uint32_t type; /* enum sample_type of the last number; 0: none yet */
    uint32_t epoch;
    struct polled_object *object;
    struct calc_state calc;
    struct filter_state filter;
    uint64_t window_place; /* how many windows had passed on the clock before the open one */
    struct statistics_window window;
};

struct child_device {
    struct polled_object **objects;
    size_t n_objects;
    struct device_series *series; /* by number */
    uint32_t generation;          /* of its series, in messages; 0: it has not been given any
                                   * objects yet */
    uint32_t epoch;               /* grows when the device starts again */
    bool heard;                   /* it has answered; the members below are from its last answer */
    bool has_up_time;
    bool starved; /* there was no memory for something that its poller tells only once */
    uint32_t boots;
    uint32_t up_time;
    uint64_t up_time_ns;
    char fault[128]; /* what is wrong with one of its objects; "" : nothing */
    uint32_t fault_cycle, last_cycle;
};

/* -- Beginning and end ---------------------------------------------------------------------- */

bool child_device_begin(struct child *child)
{
    child->device = calloc(1, sizeof *child->device);
    return child->device != NULL;
}

static size_t device_series_cost(const struct device_series *series)
{
    const struct histogram *histogram = &series->window.histogram;
    return sizeof *series +
           sizeof(uint32_t) * (size_t)(histogram->positive.size + histogram->negative.size);
}

static void device_series_free(struct child *child, struct device_series *series)
{
    struct child_device *device = child->device;
    child_discharge(child, device_series_cost(series));
    HASH_DEL(device->series, series);
    series->object->n_series--;
    statistics_window_release(&series->window);
    free(series);
}

static void device_drop_objects(struct child *child)
{
    struct child_device *device = child->device;
    while (device->series)
        device_series_free(child, device->series);
    for (size_t i = 0; i < device->n_objects; i++)
        object_let_go(device->objects[i]);
    free((void *)device->objects);
    device->objects = NULL;
    device->n_objects = 0;
}

void child_device_free(struct child *child)
{
    if (!child->device)
        return;
    device_drop_objects(child);
    free(child->device);
    child->device = NULL;
}

void child_device_renew(struct children *children, struct child *child, struct moment now)
{
    struct child_device *device = child->device;
    while (device->series)
        device_series_free(child, device->series);
    device->heard = device->has_up_time = device->starved = false;
    device->fault[0] = '\0';
    device->fault_cycle = device->last_cycle = 0;
    child_begin_boot(children, child, now);
    child_alarms_restart(children, child, now.mono_ns);
    device->generation++;
}

/* -- Objects -------------------------------------------------------------------------------- */

static size_t match_objects(const struct children *children, const struct child *child,
                            struct polled_object *matched[POLL_OBJECTS_MAX])
{
    size_t n = 0;
    for (struct polled_object *object = children->objects; object; object = object->hh.next) {
        if (!text_matches(object->row.children, child->name) ||
            !text_matches(object->row.groups, child->group))
            continue;
        if (n == POLL_OBJECTS_MAX) {
            log_warning("collect", "child %s: more than %d objects match it, \"%s\" is left out",
                        child->name, POLL_OBJECTS_MAX, object->row.row.name);
            return n;
        }
        matched[n++] = object;
    }
    return n;
}

bool child_device_choose(struct children *children, struct child *child, struct moment now)
{
    struct child_device *device = child->device;
    struct polled_object *matched[POLL_OBJECTS_MAX];
    size_t n = match_objects(children, child, matched);
    if (device->generation > 0 && n == device->n_objects &&
        (n == 0 || memcmp((void *)matched, (void *)device->objects, n * sizeof *matched) == 0))
        return false;
    struct polled_object **objects = calloc(n + 1, sizeof *objects);
    device->starved |= !objects;
    if (!objects)
        return false;
    for (size_t i = 0; i < n; i++)
        objects[i] = object_hold(matched[i]);
    child_device_renew(children, child, now);
    device_drop_objects(child);
    device->objects = objects;
    device->n_objects = n;
    return true;
}

static bool send_objects(const struct children *children, const struct child *child)
{
    const struct child_device *device = child->device;
    union {
        struct message_objects message;
        uint8_t room[sizeof(struct message_objects) + POLL_OBJECTS_MAX * sizeof(uint32_t)];
    } whole;
    struct message_objects *message = &whole.message;
    *message = (struct message_objects){
        .id = child->id, .generation = device->generation, .n = (uint32_t)device->n_objects};
    for (size_t i = 0; i < device->n_objects; i++)
        message->objects[i] = device->objects[i]->id;
    message->head = (struct message){
        .kind = MESSAGE_OBJECTS,
        .length = (uint32_t)(sizeof *message + device->n_objects * sizeof *message->objects)};
    return children_send(children, child->id, &message->head);
}

void child_device_tell(const struct children *children, struct child *child)
{
    if (!child->untold.all)
        child->untold.objects = !send_objects(children, child);
}

/* -- Instances ------------------------------------------------------------------------------ */

static struct device_series *device_series_find(const struct child_device *device, uint32_t number)
{
    struct device_series *series;
    HASH_FIND(hh, device->series, &number, sizeof number, series);
    return series;
}

static bool device_series_begin(struct child *child, uint32_t number, size_t object)
{
    struct child_device *device = child->device;
    struct device_series *series = calloc(1, sizeof *series);
    if (!series)
        return false;
    series->number = number;
    HASH_ADD(hh, device->series, number, sizeof series->number, series);
    if (!table_has(hh, series)) {
        free(series);
        return false;
    }
    series->object = device->objects[object];
    series->object->n_series++;
    series->epoch = device->epoch;
    child_charge(child, device_series_cost(series));
    return true;
}

static void begin_instance(struct children *children, struct child *child,
                           const struct message_instance *message, struct moment now)
{
    const struct object_row *row = &child->device->objects[message->object]->row;
    const struct metric metric = {.unit = row->unit};
    char unit[NAME_SIZE];
    const struct series_words words = {.sensor = row->row.name,
                                       .instance =
                                           series_word(message->instance, sizeof message->instance),
                                       .metric = "",
                                       .unit = unit,
                                       .path = ""};
    const struct report_entry entry = {.series = message->series,
                                       .wall_ms = now.wall_ms,
                                       .kind = REPORT_VALUE,
                                       .result = {.state = RESULT_WAITING}};
    if (HASH_COUNT(child->device->series) >= CHILD_SERIES_MAX || !child_has_room(child)) {
        child_say_too_many(child, now);
        return;
    }
    if (!child_take_entry(children, child, &entry, now)) {
        child->device->starved = true;
        return;
    }
    calc_unit(&metric, row->calculation, unit, sizeof unit);
    const char *fault =
        child_series_take_words(children, child_series_at(child, message->series), &words, now);
    if (fault)
        child_say_bad(child, fault, fault, now);
    else if (!child_series_at(child, message->series)->name ||
             !device_series_begin(child, message->series, message->object))
        child->device->starved = true;
}

static void take_instance(struct children *children, struct child *child,
                          const struct message_instance *message, struct moment now)
{
    struct device_series *series = device_series_find(child->device, message->series);
    if (message->exists && !series && message->object < child->device->n_objects)
        return begin_instance(children, child, message, now);
    if (message->exists || !series)
        return;
    device_series_free(child, series);
    struct child_series *ended = child_series_at(child, message->series);
    if (ended)
        child_series_end(children, ended, CHILD_SERIES_GONE, now);
}

/* -- Values --------------------------------------------------------------------------------- */

/* The raw value of a sample; the width of the metric is set and, for fractions, its scale. False:
 * nothing can be computed with the sample. */
static bool read_raw(const struct sample *sample, struct metric *metric, uint64_t *raw)
{
    bool gauge = metric->kind == METRIC_GAUGE;
    metric->width = sample->type == SAMPLE_COUNTER32 ? 32 : 64;
    switch (sample->type) {
    case SAMPLE_COUNTER32:
    case SAMPLE_COUNTER64:
    case SAMPLE_UNSIGNED:
        *raw = gauge && sample->number > INT64_MAX ? INT64_MAX : sample->number;
        return true;
    case SAMPLE_SIGNED:
        *raw = sample->number;
        return gauge || sample->integer >= 0;
    case SAMPLE_REAL:
        metric->scale /= FRACTION;
        if (!(fabs(sample->real) < FRACTION_MAX) || (!gauge && sample->real < 0))
            return false;
        *raw = (uint64_t)(int64_t)rint(sample->real * FRACTION);
        return true;
    default:
        return false;
    }
}

static struct result compute_result(const struct child_device *device, struct device_series *series,
                                    const struct sample *sample, uint64_t arrived_ns)
{
    const struct object_row *row = &series->object->row;
    struct metric metric = {.unit = row->unit, .kind = row->kind, .scale = row->scale.value};
    struct observation observation = {.time_ns = arrived_ns};
    struct result result = {.state = RESULT_VALID};
    bool restarted = series->epoch != device->epoch;
    series->calc.primed &= !restarted && series->type == sample->type;
    series->type = sample->type;
    series->epoch = device->epoch;
    if (row->calculation == CALC_BASIC && sample->type == SAMPLE_REAL) {
        result.value = sample->real * metric.scale;
    } else {
        observation.available = read_raw(sample, &metric, &observation.raw);
        result = calc_step(&metric, row->calculation, &series->calc, &observation);
    }
    if (result.state == RESULT_WAITING && restarted)
        result.state = RESULT_GAP;
    if (!isfinite(result.value))
        result = (struct result){.state = RESULT_UNAVAILABLE};
    return result;
}

static int64_t wall_of(uint64_t arrived_ns, struct moment now)
{
    return now.wall_ms - ((int64_t)now.mono_ns - (int64_t)arrived_ns) / (int64_t)NS_PER_MS;
}

/* A finished window is taken in the same way as windows of dCAMP nodes. */
static void publish_window(struct children *children, struct child *child,
                           struct device_series *series, int64_t wall_ms, struct moment now)
{
    struct statistics_window *window = &series->window;
    const struct report_entry entry = {
        .series = series->number,
        .wall_ms = wall_ms,
        .kind = REPORT_WINDOW,
        .window = {.window_ms = series->object->row.window_ms,
                   .has_moments = true,
                   .count = window->count,
                   .min = window->min,
                   .max = window->max,
                   .mean = window->mean,
                   .m2 = window->m2,
                   .histogram = &window->histogram},
    };
    if (window->count > 0)
        child_take_entry(children, child, &entry, now);
    statistics_window_reset(window);
}

static void count_value(struct children *children, struct child *child,
                        struct device_series *series, const struct result *result,
                        uint64_t arrived_ns, struct moment now)
{
    uint64_t length = series->object->row.window_ms * NS_PER_MS;
    if (length == 0)
        return;
    uint64_t place = arrived_ns / length;
    if (place != series->window_place)
        publish_window(children, child, series, wall_of(place * length, now), now);
    series->window_place = place;
    if (result->state == RESULT_VALID)
        statistics_window_add(&series->window, result->value); /* if it fails, the value is left
                                                                * out */
}

static void take_sample(struct children *children, struct child *child, const struct sample *sample,
                        const struct message_samples *message, struct moment now)
{
    struct device_series *series = device_series_find(child->device, sample->series);
    if (!series)
        return;
    struct polled_object *object = series->object;
    const struct report_entry entry = {
        .series = sample->series,
        .wall_ms = wall_of(message->arrived_ns, now),
        .kind = REPORT_VALUE,
        .result = compute_result(child->device, series, sample, message->arrived_ns),
    };
    child_discharge(child, device_series_cost(series));
    count_value(children, child, series, &entry.result, message->arrived_ns, now);
    child_charge(child, device_series_cost(series));
    child_filter_entry(children, child, &entry, object, &series->filter, now);
}

/* -- Answers -------------------------------------------------------------------------------- */

/* Whether the device has restarted since its last answer: judged by the boots of its engine, and by
 * its sysUpTime for devices that do not count boots. If sysUpTime wraps after 497 days, that is no
 * restart. */
static bool has_restarted(const struct child_device *device, const struct message_samples *message)
{
    if (!device->heard)
        return false;
    if (device->boots != message->engine_boots)
        return true;
    if (!device->has_up_time || !message->has_up_time)
        return false;
    uint64_t passed = (message->arrived_ns - device->up_time_ns) / (10 * NS_PER_MS);
    uint32_t moved = message->up_time - device->up_time;
    return moved > INT32_MAX || moved + passed / 4 + UP_TIME_SLACK < passed;
}

static void note_up_time(struct child_device *device, const struct message_samples *message)
{
    if (has_restarted(device, message)) {
        device->epoch++;
        device->has_up_time = false;
    }
    device->heard = true;
    device->boots = message->engine_boots;
    if (!message->has_up_time)
        return;
    device->has_up_time = true;
    device->up_time = message->up_time;
    device->up_time_ns = message->arrived_ns;
}

/* Handles the last message of an answer. A fault is over once the device was looked through without
 * it. */
static void end_answer(struct children *children, struct child *child,
                       const struct message_samples *message, struct moment now)
{
    struct child_device *device = child->device;
    const struct child_answer answer = {.round_trip_us = message->round_trip_us,
                                        .engine_id = message->engine_id,
                                        .engine_id_len = message->engine_id_len,
                                        .engine_boots = message->engine_boots};
    if (device->fault_cycle != message->cycle && device->last_cycle == message->cycle)
        device->fault[0] = '\0';
    device->last_cycle = message->cycle;
    child_take_contact(children, child, &answer, now);
    if (message->is_all)
        child_await_no_more(child, now);
    child_end_previous(children, child, now);
    child_settle_state(children, child, now);
    if (device->fault[0])
        child_say_error(child, device->fault);
}

/* Gives its poller the objects again, so that it tells everything again. */
static void begin_anew(struct children *children, struct child *child, struct moment now)
{
    struct child_device *device = child->device;
    device->starved = false;
    if (!child_device_choose(children, child, now)) {
        bool starved = device->starved; /* it is starved still, so this is tried again */
        child_device_renew(children, child, now);
        device->starved = starved;
    }
    child_device_tell(children, child);
}

static void take_samples(struct children *children, struct child *child,
                         const struct message_samples *message, struct moment now)
{
    note_up_time(child->device, message);
    for (uint32_t i = 0; i < message->n; i++)
        take_sample(children, child, &message->samples[i], message, now);
    if (message->is_last)
        end_answer(children, child, message, now);
    if (message->is_last && child->device->starved)
        begin_anew(children, child, now);
}

static void take_fault(struct child *child, const struct message_fault *message, struct moment now)
{
    struct child_device *device = child->device;
    if (message->object >= device->n_objects)
        return;
    struct polled_object *object = device->objects[message->object];
    object->errors++;
    text_format(device->fault, sizeof device->fault, "object %s: %s", object->row.row.name,
                message->text);
    device->fault_cycle = message->cycle;
    child_say_bad(child, device->fault, device->fault, now);
}

void child_device_message(struct children *children, struct child *child,
                          const struct message *message, struct moment now)
{
    const void *content = message;
    uint32_t generation = ((const struct message_instance *)content)->generation;
    if (generation != child->device->generation)
        return;
    child_work(children, child, message->length, now.mono_ns);
    switch (message->kind) {
    case MESSAGE_INSTANCE:
        return take_instance(children, child, content, now);
    case MESSAGE_SAMPLES:
        return take_samples(children, child, content, now);
    case MESSAGE_FAULT:
        return take_fault(child, content, now);
    default:
        return;
    }
}
