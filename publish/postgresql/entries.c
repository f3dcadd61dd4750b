#include "publish/postgresql/entries.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int status_of(const struct rows *rows)
{
    return rows->is_short ? ENOMEM : 0;
}

int entries_put_value(struct rows rows[COPIED_TABLES], int32_t series,
                      const struct report_entry *entry)
{
    struct rows *values = &rows[COPIED_VALUE];
    rows_begin(values, 4);
    rows_int4(values, series);
    rows_time(values, entry->wall_ms);
    if (entry->result.state == RESULT_VALID)
        rows_float8(values, entry->result.value);
    else
        rows_null(values);
    rows_int2(values, (int16_t)entry->result.state);
    return status_of(values);
}

/* -- Windows --------------------------------------------------------------------------------- */

/* A count in PostgreSQL is at most 2^63 - 1. */
static int64_t count_of(uint64_t count)
{
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

struct buckets {
    double *values;
    int64_t *counts;
    size_t n;
};

static void add_bucket(struct buckets *buckets, double value, uint32_t count)
{
    if (count == 0)
        return;
    buckets->values[buckets->n] = value;
    buckets->counts[buckets->n++] = count;
}

/* Writes them in ascending order of the values that they stand for. */
static void put_buckets(struct rows *rows, const struct histogram *histogram,
                        struct buckets *buckets)
{
    const struct histogram_side *negative = &histogram->negative, *positive = &histogram->positive;
    for (int i = negative->end; i-- > negative->low;)
        add_bucket(buckets, -histogram_value(i), histogram_side_count(negative, i));
    add_bucket(buckets, 0, histogram->zero);
    for (int i = positive->low; i < positive->end; i++)
        add_bucket(buckets, histogram_value(i), histogram_side_count(positive, i));
    rows_float8_array(rows, buckets->values, buckets->n);
    rows_int8_array(rows, buckets->counts, buckets->n);
}

static int put_histogram(struct rows *rows, const struct histogram *histogram)
{
    if (!histogram) {
        rows_null(rows);
        rows_null(rows);
        return status_of(rows);
    }
    size_t most = (size_t)(histogram->negative.end - histogram->negative.low) +
                  (size_t)(histogram->positive.end - histogram->positive.low) + 1;
    struct buckets buckets = {calloc(most, sizeof(double)), calloc(most, sizeof(int64_t)), 0};
    int error = buckets.values && buckets.counts ? 0 : ENOMEM;
    if (!error)
        put_buckets(rows, histogram, &buckets);
    free(buckets.values);
    free(buckets.counts);
    return error ? error : status_of(rows);
}

static void put_moments(struct rows *rows, const struct report_window *window)
{
    if (!window->has_moments) {
        for (int i = 0; i < 5; i++)
            rows_null(rows);
        return;
    }
    rows_int8(rows, count_of(window->count));
    rows_float8(rows, window->min);
    rows_float8(rows, window->max);
    rows_float8(rows, window->mean);
    rows_float8(rows, window->m2);
}

static void put_totals(struct rows *rows, const struct report_window *window)
{
    if (!window->has_totals) {
        for (int i = 0; i < 3; i++)
            rows_null(rows);
        return;
    }
    rows_float8(rows, window->totals.sum);
    rows_int8(rows, window->totals.expected);
    rows_int8(rows, window->totals.oldest_ms);
}

int entries_put_window(struct rows rows[COPIED_TABLES], int32_t series,
                       const struct report_entry *entry)
{
    struct rows *windows = &rows[COPIED_WINDOW];
    rows_begin(windows, 13);
    rows_int4(windows, series);
    rows_time(windows, entry->wall_ms);
    rows_int8(windows, entry->window.window_ms);
    put_moments(windows, &entry->window);
    put_totals(windows, &entry->window);
    return put_histogram(windows, entry->window.histogram);
}

/* -- Steps, keys and alarms ------------------------------------------------------------------ */

static void put_known(struct rows *rows, bool is_known, uint64_t value)
{
    if (is_known)
        rows_uint64(rows, value);
    else
        rows_null(rows);
}

int entries_put_step(struct rows rows[COPIED_TABLES], int32_t series,
                     const struct report_entry *entry)
{
    struct rows *steps = &rows[COPIED_STEP];
    const struct report_record *record = &entry->record;
    rows_begin(steps, 9);
    rows_int4(steps, series);
    rows_time(steps, entry->wall_ms);
    rows_uint64(steps, record->start_ns);
    rows_uint64(steps, record->duration_ns);
    rows_uint64(steps, record->sequence);
    rows_int4(steps, record->result);
    put_known(steps, record->has_cpu, record->cpu_ns);
    put_known(steps, record->has_allocated, record->allocated);
    rows_text(steps, record->node, record->node_len);
    return status_of(steps);
}

static void put_key(struct rows *rows, int32_t series, const struct report_entry *entry,
                    const struct top_key *key)
{
    rows_begin(rows, 6);
    rows_int4(rows, series);
    rows_time(rows, entry->wall_ms);
    rows_uint64(rows, entry->keys.absent);
    if (key) {
        rows_octets(rows, key->octets, strnlen(key->octets, sizeof key->octets));
        rows_uint64(rows, key->count);
        rows_uint64(rows, key->error);
        return;
    }
    for (int i = 0; i < 3; i++)
        rows_null(rows);
}

/* That there are no keys is told, too, by a row without one. */
int entries_put_keys(struct rows rows[COPIED_TABLES], int32_t series,
                     const struct report_entry *entry)
{
    struct top_key key[REPORT_KEYS_MAX];
    report_keys_read(&entry->keys, key);
    for (size_t i = 0; i < entry->keys.n; i++)
        put_key(&rows[COPIED_TOP_KEY], series, entry, &key[i]);
    if (entry->keys.n == 0)
        put_key(&rows[COPIED_TOP_KEY], series, entry, NULL);
    return status_of(&rows[COPIED_TOP_KEY]);
}

static void put_moment(struct rows *rows, int64_t wall_ms)
{
    if (wall_ms == 0)
        rows_null(rows);
    else
        rows_time(rows, wall_ms);
}

static void put_alarm(struct rows *rows, const struct report_entry *entry)
{
    struct report_alarm alarm;
    report_alarm_read(entry, &alarm);
    rows_time(rows, alarm.since_ms);
    rows_int2(rows, (int16_t)alarm.severity);
    rows_int8(rows, alarm.index);
    put_moment(rows, alarm.unconfirmed_ms);
    put_moment(rows, alarm.acknowledged_ms);
    for (int i = 0; i < REPORT_ALARM_TEXTS; i++)
        rows_text(rows, alarm.text[i].at, alarm.text[i].len);
}

int entries_put_alarm(struct rows rows[COPIED_TABLES], int32_t node, uint32_t boot, int64_t order,
                      const struct report_entry *entry)
{
    struct rows *alarms = &rows[COPIED_ALARM];
    rows_begin(alarms, 10 + REPORT_ALARM_TEXTS);
    rows_int8(alarms, order);
    rows_int4(alarms, node);
    rows_int8(alarms, boot);
    rows_int8(alarms, entry->alarm.id);
    rows_time(alarms, entry->wall_ms);
    if (entry->kind == REPORT_ALARM) {
        put_alarm(alarms, entry);
        return status_of(alarms);
    }
    for (int i = 0; i < 5 + REPORT_ALARM_TEXTS; i++)
        rows_null(alarms);
    return status_of(alarms);
}
