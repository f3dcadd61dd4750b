#include "devices.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void note(struct bench *bench, const char *format, ...)
{
    size_t used = strlen(bench->log);
    va_list args;
    va_start(args, format);
    vsnprintf(bench->log + used, sizeof bench->log - used, format, args);
    va_end(args);
}

static void on_begun(void *context, size_t object, uint32_t series, const char *instance)
{
    struct bench *bench = context;
    bench->begun++;
    note(bench, "+%zu:%u=%s ", object, series, instance);
}

static void on_ended(void *context, size_t object, uint32_t series)
{
    struct bench *bench = context;
    bench->ended++;
    note(bench, "-%zu:%u ", object, series);
}

static void on_sampled(void *context, const struct sample *sample)
{
    struct bench *bench = context;
    bench->sampled++;
    if (sample->type == SAMPLE_NONE)
        note(bench, "%u=? ", sample->series);
    else if (sample->type == SAMPLE_REAL)
        note(bench, "%u=%g ", sample->series, sample->real);
    else if (sample->type == SAMPLE_SIGNED)
        note(bench, "%u=%jd ", sample->series, (intmax_t)sample->integer);
    else
        note(bench, "%u=%ju ", sample->series, (uintmax_t)sample->number);
}

static void on_faulted(void *context, size_t object, const char *text)
{
    struct bench *bench = context;
    bench->faulted++;
    note(bench, "!%zu:%s ", object, text);
}

struct device_events bench_events(struct bench *bench)
{
    return (struct device_events){bench, on_begun, on_ended, on_sampled, on_faulted};
}

/* -- The agent ------------------------------------------------------------------------------ */

static int cell_compare(const void *a, const void *b)
{
    const struct cell *x = a, *y = b;
    for (size_t i = 0; i < x->n && i < y->n; i++)
        if (x->name[i] != y->name[i])
            return x->name[i] < y->name[i] ? -1 : 1;
    return (x->n > y->n) - (x->n < y->n);
}

struct cell *bench_put(struct bench *bench, const char *name)
{
    uint32_t arcs[OID_MAX];
    struct cell cell = {.n = oid_from_text(name, strlen(name), arcs)};
    for (size_t i = 0; i < cell.n; i++)
        cell.name[i] = arcs[i];
    size_t at = 0;
    while (at < bench->n_cells && cell_compare(&bench->cells[at], &cell) < 0)
        at++;
    bool there = at < bench->n_cells && cell_compare(&bench->cells[at], &cell) == 0;
    assert_true(cell.n > 0 && bench->n_cells < CELLS_MAX);
    if (!there) {
        memmove(&bench->cells[at + 1], &bench->cells[at],
                (bench->n_cells - at) * sizeof *bench->cells);
        bench->n_cells++;
    }
    bench->cells[at] = cell;
    return &bench->cells[at];
}

void bench_put_number(struct bench *bench, const char *name, uint64_t number)
{
    struct cell *cell = bench_put(bench, name);
    cell->type = DEVICE_UNSIGNED;
    cell->number = number;
}

void bench_put_text(struct bench *bench, const char *name, const char *text)
{
    struct cell *cell = bench_put(bench, name);
    cell->type = DEVICE_OCTETS;
    snprintf(cell->text, sizeof cell->text, "%s", text);
}

void bench_remove(struct bench *bench, const char *name)
{
    struct cell *cell = bench_put(bench, name);
    size_t at = (size_t)(cell - bench->cells);
    memmove(cell, cell + 1, (--bench->n_cells - at) * sizeof *cell);
}

static struct device_varbind varbind_of(const struct cell *cell)
{
    struct device_varbind varbind = {.name = cell->name, .n = cell->n, .type = cell->type};
    if (cell->type == DEVICE_OCTETS) {
        varbind.octets.at = (const uint8_t *)cell->text;
        varbind.octets.len = strlen(cell->text);
    } else if (cell->type == DEVICE_REAL) {
        varbind.real = cell->real;
    } else {
        varbind.number = cell->number;
    }
    return varbind;
}

static struct cell asked_cell(const struct device *device, size_t i)
{
    struct device_name name;
    struct cell cell = {.type = DEVICE_MISSING};
    device_name(device, i, &name);
    cell.n = name.n;
    for (size_t k = 0; k < name.n; k++)
        cell.name[k] = name.arcs[k];
    return cell;
}

static void reply_to_get(struct bench *bench, struct reply *reply)
{
    bench->gets++;
    size_t n = bench->device->n_asked;
    bench->largest = n > bench->largest ? n : bench->largest;
    if (bench->most && n > bench->most) {
        reply->answer = (struct device_answer){.error = "tooBig", .is_too_big = true};
        return;
    }
    for (size_t i = 0; i < n; i++) {
        reply->names[i] = asked_cell(bench->device, i);
        const struct cell *found = bsearch(&reply->names[i], bench->cells, bench->n_cells,
                                           sizeof *bench->cells, cell_compare);
        reply->varbinds[i] = varbind_of(found ? found : &reply->names[i]);
    }
    reply->answer.n = n;
}

static void reply_to_bulk(struct bench *bench, struct reply *reply)
{
    struct cell from = asked_cell(bench->device, 0);
    size_t at = 0, n = 0;
    bench->bulks++;
    if (bench->most && bench->device->repetitions > bench->most) {
        reply->answer = (struct device_answer){.error = "tooBig", .is_too_big = true};
        return;
    }
    while (at < bench->n_cells && cell_compare(&bench->cells[at], &from) <= 0)
        at++;
    for (; at < bench->n_cells && n < bench->device->repetitions; at++)
        reply->varbinds[n++] = varbind_of(&bench->cells[at]);
    if (n < bench->device->repetitions) {
        reply->names[0] = n > 0 ? bench->cells[at - 1] : from;
        reply->names[0].type = DEVICE_MISSING;
        reply->varbinds[n++] = varbind_of(&reply->names[0]);
    }
    reply->answer.n = n;
}

struct reply *bench_reply(struct bench *bench)
{
    struct reply *reply = calloc(1, sizeof *reply);
    assert_non_null(reply);
    reply->answer.varbinds = reply->varbinds;
    if (bench->device->ask == DEVICE_BULK)
        reply_to_bulk(bench, reply);
    else
        reply_to_get(bench, reply);
    return reply;
}

const char *bench_take(struct bench *bench, struct reply *reply)
{
    const struct device_events events = bench_events(bench);
    const char *why = device_answer(bench->device, &reply->answer, &events, bench->now);
    free(reply);
    return why;
}

const char *bench_poll(struct bench *bench, uint64_t seconds)
{
    bench->log[0] = '\0';
    bench->now += seconds * NS_PER_S;
    device_begin(bench->device, bench->now);
    for (size_t rounds = 0; bench->device->ask != DEVICE_NOTHING; rounds++) {
        assert_true(rounds < 1000);
        assert_null(bench_take(bench, bench_reply(bench)));
    }
    return bench->log;
}

/* -- Tables ---------------------------------------------------------------------------------- */

void bench_put_if(struct bench *bench, unsigned index, const char *name, uint64_t in)
{
    char oid[64];
    snprintf(oid, sizeof oid, IF_NAME ".%u", index);
    bench_put_text(bench, oid, name);
    snprintf(oid, sizeof oid, IF_IN ".%u", index);
    bench_put_number(bench, oid, in);
}

void bench_fill(struct bench *bench, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cell *cell = &bench->cells[bench->n_cells++];
        struct cell base = {.n = 7, .name = {1, 3, 6, 1, 4, 1, 9}, .type = DEVICE_UNSIGNED};
        base.name[base.n++] = i + 1;
        base.number = i;
        *cell = base;
    }
}

/* -- Objects -------------------------------------------------------------------------------- */

uint32_t bench_object(struct bench *bench, const char *oid, const char *label,
                      const char *instances)
{
    union {
        struct message_object message;
        uint8_t room[sizeof(struct message_object) + 2 * OID_MAX * sizeof(uint32_t)];
    } whole = {.message = {.object = ++bench->n_objects, .is_scalar = label == NULL}};
    struct message_object *message = &whole.message;
    snprintf(message->instances, sizeof message->instances, "%s", instances);
    message->n_oid = (uint32_t)oid_from_text(oid, strlen(oid), message->arcs);
    if (label)
        message->n_label =
            (uint32_t)oid_from_text(label, strlen(label), message->arcs + message->n_oid);
    assert_true(object_define(&bench->objects, message));
    return bench->n_objects;
}

void bench_set(struct bench *bench)
{
    uint32_t ids[POLL_OBJECTS_MAX];
    for (uint32_t i = 0; i < bench->n_objects; i++)
        ids[i] = i + 1;
    assert_true(device_set(bench->device, 1, bench->objects, ids, bench->n_objects));
}

int bench_setup(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->cells = calloc(CELLS_MAX, sizeof *bench->cells);
    assert_non_null(bench->cells);
    bench->device = device_new();
    assert_non_null(bench->device);
    bench->now = 1000 * NS_PER_S;
    *state = bench;
    return 0;
}

int bench_teardown(void **state)
{
    struct bench *bench = *state;
    device_free(bench->device);
    object_drop_all(&bench->objects);
    free(bench->cells);
    free(bench);
    return 0;
}
