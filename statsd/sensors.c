#include "statsd/sensors.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "libdcamp/many.h"

#define NS_PER_MS 1e6
#define LONGEST_MS 9e12 /* some 285 years; as nanoseconds, much more would not fit into 64 bits */

/* What tells one sensor from another. Hashing uses all of its octets, so there is no padding. */
struct key {
    char kind;
    char name[SEGMENT_NAME];
    char instance[SEGMENT_INSTANCE];
};

struct entry {
    struct key key;
    union {
        struct dcamp_counter *counter;
        struct dcamp_gauge *gauge;
        struct dcamp_timer *timer;
        struct dcamp_histogram *histogram;
    };
    double carry; /* fractions of a whole that samples have left over */
    UT_hash_handle hh;
};

struct statsd_sensors {
    struct dcamp_app *app;
    size_t limit;
    struct entry *table;
    struct dcamp_counter *lines[STATSD_VERDICTS], *datagrams, *lost;
};

struct statsd_sensors *statsd_sensors_new(struct dcamp_app *app, size_t limit)
{
    struct statsd_sensors *sensors = calloc(1, sizeof *sensors);
    if (!sensors)
        return NULL;
    sensors->app = app;
    sensors->limit = limit;
    for (unsigned i = 0; i < STATSD_VERDICTS; i++)
        sensors->lines[i] = dcamp_counter_new(app, "statsd.lines", statsd_verdict_name(i), "lines");
    sensors->datagrams = dcamp_counter_new(app, "statsd.datagrams", "", "datagrams");
    /* It has no unit, like the line that the router sends. */
    sensors->lost = dcamp_counter_new(app, "statsd.lost", "", "");
    return sensors;
}

void statsd_sensors_free(struct statsd_sensors *sensors)
{
    struct entry *entry, *next;
    if (!sensors)
        return;
    HASH_ITER(hh, sensors->table, entry, next)
    {
        HASH_DEL(sensors->table, entry);
        free(entry);
    }
    free(sensors);
}

size_t statsd_sensors_size(const struct statsd_sensors *sensors)
{
    return HASH_COUNT(sensors->table);
}

void statsd_sensors_lose(struct statsd_sensors *sensors, uint64_t n)
{
    dcamp_counter_add(sensors->lost, n);
}

/* -- Making ------------------------------------------------------------------------------------ */

static void make_handle(struct statsd_sensors *sensors, struct entry *entry,
                        const struct statsd_line *line)
{
    switch (line->kind) {
    case STATSD_COUNTER:
        entry->counter = dcamp_counter_new(sensors->app, line->name, line->instance, "");
        break;
    case STATSD_GAUGE:
        entry->gauge = dcamp_gauge_new(sensors->app, line->name, line->instance, "");
        break;
    case STATSD_TIMER:
        entry->timer = dcamp_timer_new(sensors->app, line->name, line->instance);
        break;
    default:
        entry->histogram = dcamp_histogram_new(sensors->app, line->name, line->instance, "");
    }
}

/* Whatever the error is, nobody would see what is counted in such a sensor; the next line tries
 * again. */
static enum statsd_verdict verdict_of(int error)
{
    if (error == EEXIST)
        return STATSD_CONFLICT;
    return error ? STATSD_CROWDED : STATSD_COUNTED;
}

static enum statsd_verdict make_entry(struct statsd_sensors *sensors, const struct key *key,
                                      const struct statsd_line *line, struct entry **made)
{
    struct entry *entry =
        HASH_COUNT(sensors->table) < sensors->limit ? calloc(1, sizeof *entry) : NULL;
    if (!entry)
        return STATSD_CROWDED;
    entry->key = *key;
    make_handle(sensors, entry, line);
    enum statsd_verdict verdict = verdict_of(dcamp_error());
    if (verdict == STATSD_COUNTED) {
        HASH_ADD(hh, sensors->table, key, sizeof entry->key, entry);
        if (table_has(hh, entry)) {
            *made = entry;
            return STATSD_COUNTED;
        }
        verdict = STATSD_CROWDED;
    }
    free(entry);
    return verdict;
}

static enum statsd_verdict find_or_make(struct statsd_sensors *sensors,
                                        const struct statsd_line *line, struct entry **found)
{
    struct key key = {.kind = (char)line->kind};
    memcpy(key.name, line->name, sizeof key.name);
    memcpy(key.instance, line->instance, sizeof key.instance);
    HASH_FIND(hh, sensors->table, &key, sizeof key, *found);
    return *found ? STATSD_COUNTED : make_entry(sensors, &key, line, found);
}

/* -- Counting ---------------------------------------------------------------------------------- */

static uint64_t nanoseconds(double milliseconds)
{
    return (uint64_t)llround((milliseconds < LONGEST_MS ? milliseconds : LONGEST_MS) * NS_PER_MS);
}

/* A sample of one in n counts n times, at the cost of one: many samples fit into a datagram. */
static void count_value(struct entry *entry, const struct statsd_value *value, double rate)
{
    bool is_counter = entry->key.kind == STATSD_COUNTER;
    if (entry->key.kind == STATSD_GAUGE) {
        if (value->is_change)
            dcamp_gauge_add(entry->gauge, value->number);
        else
            dcamp_gauge_set(entry->gauge, value->number);
        return;
    }
    unsigned long long n = statsd_whole(&entry->carry, (is_counter ? value->number : 1) / rate);
    if (is_counter)
        dcamp_counter_add(entry->counter, n);
    else if (entry->key.kind == STATSD_TIMER)
        dcamp_timer_record_many(entry->timer, nanoseconds(value->number), (uint32_t)n);
    else
        dcamp_histogram_record_many(entry->histogram, value->number, (uint32_t)n);
}

static enum statsd_verdict take_line(struct statsd_sensors *sensors, const char *text,
                                     size_t length)
{
    struct statsd_line line;
    struct statsd_value value;
    struct entry *entry;
    enum statsd_verdict verdict = statsd_line_parse(text, length, &line);
    if (verdict == STATSD_COUNTED)
        verdict = find_or_make(sensors, &line, &entry);
    while (verdict == STATSD_COUNTED && statsd_line_value(&line, &value))
        count_value(entry, &value, line.rate);
    return verdict;
}

void statsd_sensors_take(struct statsd_sensors *sensors, const char *datagram, size_t size,
                         bool is_cut)
{
    const char *at = datagram, *end = datagram + size;
    dcamp_counter_add(sensors->datagrams, 1);
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((newline ? newline : end) - at);
        if (length > 0 && at[length - 1] == '\r')
            length--;
        if (is_cut && !newline)
            dcamp_counter_add(sensors->lines[STATSD_MALFORMED], 1);
        else if (length > 0)
            dcamp_counter_add(sensors->lines[take_line(sensors, at, length)], 1);
        at = newline ? newline + 1 : end;
    }
}
