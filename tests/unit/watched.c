#include "watched.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Series ---------------------------------------------------------------------------------- */

static struct series_view view_of(const void *own)
{
    const struct fake_series *series = own;
    return (struct series_view){.node = series->node,
                                .group = series->group,
                                .sensor = series->sensor,
                                .instance = series->instance,
                                .unit = series->unit,
                                .result = series->result,
                                .wall_ms = series->wall_ms,
                                .is_current = series->is_current};
}

static struct watch **watches_of(void *own)
{
    return &((struct fake_series *)own)->watches;
}

static const struct statistics_window *window_of(const void *own, uint64_t now_ns, uint64_t *number)
{
    const struct fake_series *series = own;
    (void)now_ns;
    *number = series->window_number;
    return series->window_number ? &series->window : NULL;
}

static void charge(void *own, ptrdiff_t octets)
{
    ((struct fake_series *)own)->charged += octets;
}

static const struct series_type type = {
    .view = view_of, .watches = watches_of, .window = window_of, .charge = charge};

struct series_ref watched_ref(struct fake_series *series)
{
    return (struct series_ref){&type, series};
}

static void find(const void *context, const struct series_query *query)
{
    struct watched *watched = (struct watched *)(uintptr_t)context;
    for (size_t i = 0; i < watched->n; i++) {
        struct fake_series *series = &watched->series[i];
        if (series->begun && strcmp(series->sensor, query->sensor) == 0 &&
            query->wants(query, series->node, series->group))
            query->found(query, watched_ref(series));
    }
}

static bool may_come(const void *context, const struct series_query *query, const char *node,
                     struct moment now)
{
    struct watched *watched = (struct watched *)(uintptr_t)context;
    assert_int_equal(now.mono_ns, watched->now.mono_ns);
    watched->asked = node;
    return watched->coming && strcmp(watched->coming, query->sensor) == 0 &&
           query->wants(query, node, node ? "default" : NULL);
}

struct fake_series *watched_series(struct watched *watched, const char *node, const char *sensor,
                                   const char *instance)
{
    assert_true(watched->n < WATCHED_MAX);
    struct fake_series *series = &watched->series[watched->n++];
    *series = (struct fake_series){.node = node,
                                   .group = node ? "default" : NULL,
                                   .sensor = sensor,
                                   .instance = instance,
                                   .unit = "",
                                   .result = {.state = RESULT_UNAVAILABLE},
                                   .begun = true};
    return series;
}

void watched_begin(struct watched *watched, struct fake_series *series)
{
    const struct series_observer observer = watches_observer(&watched->watches);
    series->begun = true;
    observer.begun(observer.context, watched_ref(series), watched->now);
}

void watched_end(struct watched *watched, struct fake_series *series)
{
    const struct series_observer observer = watches_observer(&watched->watches);
    observer.ended(observer.context, watched_ref(series), "it is gone", watched->now);
    series->begun = false;
}

void watched_value(struct watched *watched, struct fake_series *series, double value)
{
    const struct series_observer observer = watches_observer(&watched->watches);
    series->result = (struct result){RESULT_VALID, value};
    observer.valued(observer.context, watched_ref(series), false, watched->now);
}

void watched_window(struct watched *watched, struct fake_series *series, double mean)
{
    const struct series_observer observer = watches_observer(&watched->watches);
    series->window = (struct statistics_window){.count = 1, .min = mean, .max = mean, .mean = mean};
    series->window_number++;
    observer.valued(observer.context, watched_ref(series), true, watched->now);
}

/* -- Configuration --------------------------------------------------------------------------- */

static void set_field(struct row *row, const char *name, const char *text)
{
    const struct field *field = row_field(row->kind, name);
    if (!field || field_set_text(row, field, text, strlen(text)) != FIELD_OK)
        fail_msg("%s: \"%s\"", name, text);
}

static void set_fields(struct row *row, const char *fields)
{
    char text[512], *rest = text;
    assert_true(strlen(fields) < sizeof text);
    strcpy(text, fields);
    for (char *name; (name = strsep(&rest, ";"));) {
        char *value = strchr(name, '=');
        assert_non_null(value);
        *value++ = '\0';
        set_field(row, name, value);
    }
}

void watched_remove(struct watched *watched, enum row_kind kind, const char *name)
{
    struct row *row = config_find(watched->config, kind, name);
    assert_non_null(row);
    config_remove(watched->config, row);
    row_free(row);
    config_touch(watched->config);
}

struct row *watched_row(struct watched *watched, enum row_kind kind, const char *name,
                        const char *fields)
{
    if (config_find(watched->config, kind, name))
        watched_remove(watched, kind, name);
    struct row *row = row_new(kind, name);
    assert_non_null(row);
    set_fields(row, fields);
    const char *fault = row_fault(row);
    if (fault)
        fail_msg("%s: %s", name, fault);
    row->status = ROW_ACTIVE;
    assert_true(config_add(watched->config, row));
    config_touch(watched->config);
    return row;
}

void watched_sync(struct watched *watched)
{
    watches_sync(&watched->watches, &watched->producer, 1, watched->config, watched->now);
}

/* -- All of it ------------------------------------------------------------------------------- */

struct watched *watched_new(void)
{
    static const struct alarm_limits limits = {
        .log_size = 1000, .rate = 1000, .period_ms = 1000, .queue = 1000};
    struct watched *watched = calloc(1, sizeof *watched);
    assert_non_null(watched);
    watched->now = (struct moment){.mono_ns = 1000 * NS_PER_S, .wall_ms = INT64_C(1700000000000)};
    watched->config = config_new();
    watched->producer = (struct series_producer){find, may_come, watched};
    alarms_open(&watched->alarms, &limits, watched->now.mono_ns);
    strcpy(watched->alarms.node, "lap");
    watches_open(&watched->watches, &watched->alarms);
    return watched;
}

void watched_free(struct watched *watched)
{
    watches_close(&watched->watches);
    alarms_close(&watched->alarms);
    config_free(watched->config);
    free(watched);
}

void watched_wait(struct watched *watched, uint64_t ns)
{
    watched->now.mono_ns += ns;
    watched->now.wall_ms += (int64_t)(ns / NS_PER_MS);
}

static const struct alarm_entry *entry_of(const struct watched *watched, uint32_t sequence)
{
    return (struct alarm_entry *)index_find(&watched->alarms.log, &sequence, 1);
}

const char *watched_happened(struct watched *watched)
{
    static const char letters[] = " RCASHPF", severities[] = " -iwc";
    size_t len = 0;
    watched->happened[0] = '\0';
    while (watched->sequence < watched->alarms.sequence) {
        const struct alarm_entry *entry = entry_of(watched, ++watched->sequence);
        assert_non_null(entry);
        len += (size_t)snprintf(watched->happened + len, sizeof watched->happened - len,
                                "%s%c%c %s", len ? ", " : "", letters[entry->facts.event],
                                severities[entry->facts.severity], entry->facts.key);
        assert_true(len < sizeof watched->happened);
    }
    return watched->happened;
}

const char *watched_message(const struct watched *watched)
{
    const struct alarm_entry *entry = entry_of(watched, watched->alarms.sequence);
    return entry ? entry->facts.message : "";
}

int watched_setup(void **state)
{
    *state = watched_new();
    return 0;
}

int watched_teardown(void **state)
{
    watched_free(*state);
    return 0;
}
