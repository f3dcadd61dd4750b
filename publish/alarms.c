#include "publish/alarms.h"

#include <stdlib.h>
#include <string.h>

#include "publish/database.h"
#include "publish/history.h"

struct reading {
    struct alarm_list *alarms;
    int64_t from_ms, to_ms;
    uint32_t month;
};

/* -- Rows ------------------------------------------------------------------------------------- */

static void release_span(struct alarm_span *span)
{
    free(span->text[0]);
}

void alarms_release(struct alarm_list *alarms)
{
    for (size_t i = 0; i < alarms->n; i++)
        release_span(&alarms->list[i]);
    free(alarms->list);
    *alarms = (struct alarm_list){0};
}

/* Makes room for one more. False: no memory. */
static bool extend(struct alarm_list *alarms)
{
    if (alarms->n < alarms->room)
        return true;
    size_t room = alarms->room ? 2 * alarms->room : 64;
    void *larger = reallocarray(alarms->list, room, sizeof *alarms->list);
    if (!larger)
        return false;
    alarms->list = larger;
    alarms->room = room;
    return true;
}

/* Copies the texts of a row, one after the other, into one piece of memory. False: no memory. */
static bool copy_texts(struct alarm_span *span, sqlite3_stmt *select)
{
    size_t size = ALARM_TEXTS;
    for (int i = 0; i < ALARM_TEXTS; i++)
        size += (size_t)sqlite3_column_bytes(select, i);
    char *at = calloc(1, size);
    if (!at)
        return false;
    for (int i = 0; i < ALARM_TEXTS; i++) {
        const char *text = (const char *)sqlite3_column_text(select, i);
        size_t len = text ? strlen(text) : 0;
        if (text)
            memcpy(at, text, len);
        span->text[i] = at;
        at += len + 1;
    }
    return true;
}

static int take_row(struct reading *reading, sqlite3_stmt *select)
{
    struct alarm_list *alarms = reading->alarms;
    struct alarm_span span = {.since_ms = sqlite3_column_int64(select, ALARM_TEXTS),
                              .cleared_ms = sqlite3_column_int64(select, ALARM_TEXTS + 1),
                              .acknowledged_ms = sqlite3_column_int64(select, ALARM_TEXTS + 2),
                              .severity = (uint32_t)sqlite3_column_int64(select, ALARM_TEXTS + 3),
                              .month = reading->month};
    if (!extend(alarms) || !copy_texts(&span, select))
        return SQLITE_NOMEM;
    alarms->list[alarms->n++] = span;
    return SQLITE_ROW;
}

/* An alarm that began before the month of its file was active when that month began, and the file
 * of the month before does not know how it ended. So its row is always read, and unite() decides
 * whether it is in the range. */
#define SHORTEST_MONTH_MS (28 * DAY_MS)

/* A history_file_fn. */
static int read_file(void *context, sqlite3 *db, bool is_newest)
{
    (void)is_newest;
    struct reading *reading = context;
    if (!database_has_table(db, "alarm"))
        return SQLITE_OK;
    reading->month = database_month(db);
    sqlite3_stmt *select = database_prepare(
        db,
        "SELECT path, alarm_key, node, threshold, sensor, instance, value, limit_value, message,"
        " acknowledged_by, since, cleared, acknowledged, severity FROM alarm"
        " WHERE since <= ?2 AND (cleared IS NULL OR cleared >= ?1 OR since < ?3)%s"
        " ORDER BY since DESC LIMIT ?4",
        "");
    int64_t older_ms = (int64_t)reading->month * DAY_MS - SHORTEST_MONTH_MS;
    int code = database_bind(select, "iiii", reading->from_ms, reading->to_ms, older_ms,
                             (int64_t)ALARM_SPANS_MAX);
    if (code == SQLITE_OK)
        code = SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = take_row(reading, select);
    sqlite3_finalize(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A history_again_fn. */
static void forget(void *context)
{
    struct reading *reading = context;
    alarms_release(reading->alarms);
}

/* -- All files --------------------------------------------------------------------------------- */

static int order_same(const struct alarm_span *one, const struct alarm_span *other)
{
    int order = strcmp(one->text[ALARM_PATH], other->text[ALARM_PATH]);
    if (order == 0)
        order = strcmp(one->text[ALARM_KEY], other->text[ALARM_KEY]);
    return order ? order : (one->since_ms > other->since_ms) - (one->since_ms < other->since_ms);
}

static int order_spans(const void *a, const void *b)
{
    const struct alarm_span *one = a, *other = b;
    int order = order_same(one, other);
    return order ? order : (one->month > other->month) - (one->month < other->month);
}

static bool is_wanted(const struct alarm_span *span, int64_t from_ms, bool only_active)
{
    return only_active ? span->cleared_ms == 0
                       : span->cleared_ms == 0 || span->cleared_ms >= from_ms;
}

/* If an alarm is in the files of several months, the row of the last month counts. */
static void unite(struct alarm_list *alarms, int64_t from_ms, bool only_active)
{
    size_t n = 0;
    for (size_t i = 0; i < alarms->n; i++) {
        bool is_last = i + 1 == alarms->n || order_same(&alarms->list[i], &alarms->list[i + 1]);
        if (is_last && is_wanted(&alarms->list[i], from_ms, only_active))
            alarms->list[n++] = alarms->list[i];
        else
            release_span(&alarms->list[i]);
    }
    alarms->n = n;
}

int alarms_read(struct history *history, int64_t from_ms, int64_t to_ms, bool only_active,
                struct alarm_list *alarms)
{
    struct reading reading = {.alarms = alarms, .from_ms = from_ms, .to_ms = to_ms};
    *alarms = (struct alarm_list){0};
    int error = history_each_file(history, from_ms, read_file, forget, &reading);
    if (alarms->n > 0)
        qsort(alarms->list, alarms->n, sizeof *alarms->list, order_spans);
    unite(alarms, from_ms, only_active);
    return error;
}
