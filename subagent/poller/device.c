#include "poller/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "poller/device_look.h"
#include "metric/metric.h"

/* -- Beginning and end ---------------------------------------------------------------------- */

struct device *device_new(void)
{
    struct device *device = calloc(1, sizeof *device);
    if (device) {
        device->limit = DEVICE_VARBINDS_MAX;
        device->repetitions = DEVICE_REPETITIONS;
    }
    return device;
}

/* Forgets the series and rows of all objects, and what was under way. */
static void forget_instances(struct device *device)
{
    for (size_t i = 0; i < device->n_objects; i++) {
        struct device_object *object = &device->objects[i];
        if (object->object->is_scalar) {
            *object->series = (struct device_series){.is_fresh = true};
            continue;
        }
        free(object->series);
        object->series = NULL;
        object->n = 0;
    }
    for (size_t i = 0; i < device->n_walks; i++) {
        rows_free(&device->walks[i].rows);
        rows_free(&device->walks[i].found);
    }
    device->ask = DEVICE_NOTHING;
    device->phase = DEVICE_RESTS;
    device->is_looking = false;
    device->look_at = 0;
}

static void drop_objects(struct device *device)
{
    forget_instances(device);
    for (size_t i = 0; i < device->n_objects; i++) {
        free(device->objects[i].series);
        object_release(device->objects[i].object);
    }
    free(device->objects);
    free(device->walks);
    device->objects = NULL;
    device->walks = NULL;
    device->n_objects = device->n_walks = device->n_series = 0;
}

void device_free(struct device *device)
{
    if (!device)
        return;
    drop_objects(device);
    free(device);
}

static struct device_walk *walk_of(struct device *device, const struct object *object)
{
    bool has_labels = object->label != NULL;
    const uint32_t *oid = has_labels ? object->label : object->oid;
    uint32_t n = has_labels ? object->n_label : object->n_oid;
    for (size_t i = 0; i < device->n_walks; i++) {
        struct device_walk *walk = &device->walks[i];
        if (walk->has_labels == has_labels && walk->n_oid == n &&
            memcmp(walk->oid, oid, n * sizeof *oid) == 0)
            return walk;
    }
    struct device_walk *walk = &device->walks[device->n_walks++];
    *walk = (struct device_walk){.oid = oid, .n_oid = n, .has_labels = has_labels};
    return walk;
}

static bool add_object(struct device *device, struct object *all, uint32_t id)
{
    struct object *object = object_use(all, id);
    struct device_series *series = object && object->is_scalar ? malloc(sizeof *series) : NULL;
    if (!object)
        return false;
    if (object->is_scalar && !series) {
        object_release(object);
        return false;
    }
    device->objects[device->n_objects++] = (struct device_object){
        .object = object,
        .walk = object->is_scalar ? NULL : walk_of(device, object),
        .series = series,
        .n = object->is_scalar,
    };
    device->n_series += object->is_scalar;
    if (series)
        *series = (struct device_series){.is_fresh = true};
    return true;
}

bool device_set(struct device *device, uint32_t generation, struct object *all,
                const uint32_t *objects, size_t n)
{
    drop_objects(device);
    device->generation = generation;
    device->objects = calloc(n + 1, sizeof *device->objects);
    device->walks = calloc(n + 1, sizeof *device->walks);
    bool complete = device->objects && device->walks;
    for (size_t i = 0; i < n && complete; i++)
        complete = add_object(device, all, objects[i]);
    if (!complete)
        drop_objects(device);
    return complete;
}

void device_renew(struct device *device, const struct device_events *events)
{
    for (size_t i = 0; i < device->n_objects; i++) {
        const struct device_object *object = &device->objects[i];
        for (size_t s = 0; s < object->n; s++)
            if (object->series[s].number)
                events->ended(events->context, i, object->series[s].number);
        device->n_series -= object->object->is_scalar ? 0 : object->n;
    }
    forget_instances(device);
}

/* -- What to ask ---------------------------------------------------------------------------- */

/* Estimates the octets of a varbind in an answer: the arcs in BER, the heads, and a number. */
static size_t varbind_cost(const struct object *object, const struct device_row *row)
{
    size_t cost = 20;
    for (size_t i = 0; i < object->n_oid; i++)
        for (uint32_t rest = object->oid[i]; rest > 0; rest >>= 7)
            cost++;
    for (size_t i = 0; row && i < row->n; i++)
        for (uint32_t rest = row->index[i] | 1; rest > 0; rest >>= 7)
            cost++;
    return cost;
}

static bool is_wanted(const struct device *device, const struct device_object *object,
                      const struct device_series *series)
{
    size_t arcs = object->object->n_oid + (series->row ? series->row->n : 1);
    return !series->is_absent && !series->is_refused && arcs <= OID_MAX &&
           (series->is_fresh || device->phase == DEVICE_GETS);
}

/* Chooses as many instances as fit, starting where the last choice ended. */
static void choose_varbinds(struct device *device)
{
    struct device_place *at = &device->end;
    size_t used = 0;
    device->begin = *at;
    device->n_asked = 0;
    for (; at->object < device->n_objects; at->object++, at->series = 0) {
        const struct device_object *object = &device->objects[at->object];
        for (; at->series < object->n; at->series++) {
            const struct device_series *series = &object->series[at->series];
            if (!is_wanted(device, object, series))
                continue;
            used += varbind_cost(object->object, series->row);
            if (device->n_asked > 0 && (device->n_asked == device->limit || used > DEVICE_ROOM))
                return;
            device->asked[device->n_asked].object = (uint16_t)at->object;
            device->asked[device->n_asked++].series = (uint16_t)at->series;
        }
    }
}

_Static_assert(DEVICE_SERIES_MAX <= UINT16_MAX && POLL_OBJECTS_MAX <= UINT16_MAX, "they fit");

static void enter_phase(struct device *device, enum device_phase phase)
{
    device->phase = phase;
    device->end = (struct device_place){0};
}

static void plan_get(struct device *device, enum device_phase next)
{
    choose_varbinds(device);
    if (device->n_asked > 0 || !device->has_answered)
        device->ask = DEVICE_GET;
    else
        enter_phase(device, next);
}

static void plan_request(struct device *device)
{
    device->ask = DEVICE_NOTHING;
    if (device->phase == DEVICE_GETS)
        plan_get(device, DEVICE_LOOKS);
    if (device->phase == DEVICE_LOOKS && device->is_looking && device->rounds < DEVICE_ROUNDS_MAX)
        device->ask = DEVICE_BULK;
    else if (device->phase == DEVICE_LOOKS)
        enter_phase(device, DEVICE_GETS_FRESH);
    if (device->phase == DEVICE_GETS_FRESH)
        plan_get(device, DEVICE_RESTS);
}

void device_begin(struct device *device, uint64_t now)
{
    device->has_answered = false;
    device->passed = 0;
    device->rounds = device->refusals = 0;
    if (!device->is_looking && now >= device->look_at)
        device_look_begin(device, now);
    enter_phase(device, DEVICE_GETS);
    plan_request(device);
}

static void put_arcs(struct device_name *name, const uint32_t *arcs, size_t n)
{
    for (size_t i = 0; i < n && name->n < OID_MAX; i++)
        name->arcs[name->n++] = arcs[i];
}

void device_name(const struct device *device, size_t i, struct device_name *name)
{
    static const uint32_t zero = 0;
    name->n = 0;
    if (device->ask == DEVICE_BULK) {
        const struct device_walk *walk = &device->walks[device->walk];
        const struct device_rows *found = &walk->found;
        put_arcs(name, walk->oid, walk->n_oid);
        if (found->n > 0)
            put_arcs(name, found->at[found->n - 1]->index, found->at[found->n - 1]->n);
        return;
    }
    const struct device_object *object = &device->objects[device->asked[i].object];
    const struct device_row *row = object->series[device->asked[i].series].row;
    put_arcs(name, object->object->oid, object->object->n_oid);
    put_arcs(name, row ? row->index : &zero, row ? row->n : 1);
}

void device_timed_out(struct device *device)
{
    if (device->ask != DEVICE_GET || !device->has_answered || device->n_asked <= 1)
        return;
    if (device->n_asked > device->passed || device->fell_silent)
        device->limit = device->n_asked / 2;
    device->fell_silent = true;
}

/* -- Answers to a GET ----------------------------------------------------------------------- */

static bool is_blank(uint8_t octet)
{
    return octet == ' ' || octet == '\t' || octet == '\0';
}

/* Some agents can send a fraction only as text; some end it with blanks or a NUL. */
static bool read_text(const struct device_varbind *varbind, double *value)
{
    const uint8_t *text = varbind->octets.at;
    size_t len = varbind->octets.len;
    while (len > 0 && is_blank(text[len - 1]))
        len--;
    for (; len > 0 && is_blank(*text); text++)
        len--;
    return len > 0 && text_to_decimal((const char *)text, len, value);
}

static void read_number(const struct device_varbind *varbind, struct sample *sample)
{
    static const uint32_t types[] = {
        [DEVICE_COUNTER32] = SAMPLE_COUNTER32, [DEVICE_COUNTER64] = SAMPLE_COUNTER64,
        [DEVICE_UNSIGNED] = SAMPLE_UNSIGNED,   [DEVICE_SIGNED] = SAMPLE_SIGNED,
        [DEVICE_REAL] = SAMPLE_REAL,           [DEVICE_OCTETS] = SAMPLE_REAL,
        [DEVICE_OTHER] = SAMPLE_NONE};
    sample->type = types[varbind->type];
    sample->number = 0;
    if (varbind->type == DEVICE_OCTETS && !read_text(varbind, &sample->real))
        sample->type = SAMPLE_NONE;
    else if (varbind->type == DEVICE_REAL && !isfinite(varbind->real))
        sample->type = SAMPLE_NONE;
    else if (varbind->type == DEVICE_REAL)
        sample->real = varbind->real;
    else if (varbind->type != DEVICE_OCTETS && varbind->type != DEVICE_OTHER)
        sample->number = varbind->number;
}

static void take_end(struct device *device, size_t object, struct device_series *series,
                     const struct device_events *events, uint64_t now)
{
    series->is_absent = true;
    if (series->number == 0)
        return;
    events->ended(events->context, object, series->number);
    series->number = 0;
    if (device->look_at > now + DEVICE_LOOK_AGAIN_NS)
        device->look_at = now + DEVICE_LOOK_AGAIN_NS;
}

static void take_value(struct device *device, size_t object, struct device_series *series,
                       const struct device_varbind *varbind, const struct device_events *events)
{
    struct sample sample;
    char name[ROW_NAME_MAX + 1] = METRIC_NODE_INSTANCE;
    if (series->number == 0) {
        series->number = ++device->numbers;
        if (series->row)
            row_name(series->row, name);
        events->begun(events->context, object, series->number, name);
    }
    sample.series = series->number;
    read_number(varbind, &sample);
    if (sample.type == SAMPLE_NONE)
        device_fault(device, object,
                     varbind->type == DEVICE_OTHER ? "its type is none of a number"
                                                   : "its value is not a number",
                     events);
    events->sampled(events->context, &sample);
}

static bool is_named(const struct device_varbind *varbind, const struct device_name *name)
{
    bool same = varbind->n == name->n;
    for (size_t i = 0; same && i < name->n; i++)
        same = varbind->name[i] == name->arcs[i];
    return same;
}

static const char *get_garbage(const struct device *device, const struct device_answer *answer)
{
    struct device_name name;
    if (answer->n < device->n_asked)
        return "less than was asked for";
    if (answer->n > device->n_asked)
        return "more than was asked for";
    for (size_t i = 0; i < answer->n; i++) {
        device_name(device, i, &name);
        if (!is_named(&answer->varbinds[i], &name))
            return "not what was asked for";
    }
    return NULL;
}

static void take_all(struct device *device, const struct device_answer *answer,
                     const struct device_events *events, uint64_t now)
{
    for (size_t i = 0; i < answer->n; i++) {
        size_t object = device->asked[i].object;
        struct device_series *series = &device->objects[object].series[device->asked[i].series];
        series->is_fresh = false;
        if (answer->varbinds[i].type == DEVICE_MISSING)
            take_end(device, object, series, events, now);
        else
            take_value(device, object, series, &answer->varbinds[i], events);
    }
}

/* An instance that the agent refuses is left out, whatever the reason, and the others are asked for
 * again. */
static void leave_out_series(struct device *device, size_t i, const char *what, const char *error,
                             const struct device_events *events)
{
    char text[96];
    size_t object = device->asked[i].object;
    text_format(text, sizeof text, "%s: %s", what, error);
    device->objects[object].series[device->asked[i].series].is_refused = true;
    device_fault(device, object, text, events);
}

static const char *get_error(struct device *device, const struct device_answer *answer,
                             const struct device_events *events)
{
    device->end = device->begin;
    if (answer->is_too_big && device->n_asked > 1) {
        device->limit = device->n_asked / 2;
        return NULL;
    }
    bool about_one = answer->error_index > 0 && (uint64_t)answer->error_index <= device->n_asked;
    bool too_big = answer->is_too_big && device->n_asked == 1;
    if ((!about_one && !too_big) || ++device->refusals > DEVICE_REFUSALS_MAX)
        return answer->error;
    leave_out_series(device, too_big ? 0 : (size_t)answer->error_index - 1, "the agent refuses it",
                     answer->error, events);
    return NULL;
}

static const char *take_get(struct device *device, const struct device_answer *answer,
                            const struct device_events *events, uint64_t now)
{
    if (answer->error)
        return get_error(device, answer, events);
    const char *garbage = get_garbage(device, answer);
    if (garbage)
        return garbage;
    take_all(device, answer, events, now);
    if (device->passed < device->n_asked)
        device->passed = device->n_asked;
    return NULL;
}

const char *device_answer(struct device *device, const struct device_answer *answer,
                          const struct device_events *events, uint64_t now)
{
    const char *garbage = device->ask == DEVICE_BULK ? device_take_bulk(device, answer, events, now)
                                                     : take_get(device, answer, events, now);
    if (garbage)
        return garbage;
    device->has_answered = true;
    plan_request(device);
    device->fell_silent &= device->ask != DEVICE_NOTHING;
    return NULL;
}
