#include "publish/events.h"

#include <string.h>

#include "base/text.h"

/* Room for both paths, with "/" between them. */
#define FULL_PATH_SIZE (2 * ALARM_PATH_SIZE + 1)

static void make_path(const struct stream *stream, const char *rest, size_t len,
                      char path[FULL_PATH_SIZE])
{
    bool has_both = stream->is.path[0] != '\0' && len > 0;
    text_format(path, FULL_PATH_SIZE, "%s%s%.*s", stream->is.path, has_both ? "/" : "", (int)len,
                len > 0 ? rest : "");
}

/* -- Alarms ---------------------------------------------------------------------------------- */

static const char put_alarm[] =
    "INSERT INTO alarm(path, alarm_key, since, severity, worst, changed, cleared, node, threshold,"
    " sensor, instance, value, limit_value, message, acknowledged_by, acknowledged, unconfirmed)"
    " VALUES(?1, ?2, ?3, ?4, ?4, ?5, NULL, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    " ON CONFLICT(path, alarm_key, since) DO UPDATE SET severity = ?4, worst = max(worst, ?4),"
    " changed = ?5, cleared = CASE WHEN cleared >= ?5 THEN cleared END, node = ?6,"
    " threshold = ?7, sensor = ?8, instance = ?9, value = ?10, limit_value = ?11, message = ?12,"
    " acknowledged_by = ?13, acknowledged = ?14, unconfirmed = ?15 RETURNING id";

static int bind_text(sqlite3_stmt *statement, int place, const struct report_alarm *alarm,
                     enum report_alarm_text text)
{
    size_t len = alarm->text[text].len;
    return sqlite3_bind_text(statement, place, len ? alarm->text[text].at : "", (int)len,
                             SQLITE_STATIC);
}

/* Binds milliseconds, or NULL if they are 0. */
static int bind_ms(sqlite3_stmt *statement, int place, int64_t ms)
{
    return ms ? sqlite3_bind_int64(statement, place, ms) : sqlite3_bind_null(statement, place);
}

static int bind_alarm(sqlite3_stmt *statement, const struct report_alarm *alarm, const char *path,
                      int64_t wall_ms)
{
    static const enum report_alarm_text texts[] = {REPORT_ALARM_NODE,    REPORT_ALARM_THRESHOLD,
                                                   REPORT_ALARM_SENSOR,  REPORT_ALARM_INSTANCE,
                                                   REPORT_ALARM_VALUE,   REPORT_ALARM_LIMIT,
                                                   REPORT_ALARM_MESSAGE, REPORT_ALARM_ACKNOWLEDGED};
    int code = statement ? SQLITE_OK : SQLITE_ERROR, place = 6;
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(statement, 1, path, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        code = bind_text(statement, 2, alarm, REPORT_ALARM_KEY);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 3, alarm->since_ms);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 4, alarm->severity);
    if (code == SQLITE_OK)
        code = sqlite3_bind_int64(statement, 5, wall_ms);
    for (size_t i = 0; i < sizeof texts / sizeof *texts && code == SQLITE_OK; i++)
        code = bind_text(statement, place++, alarm, texts[i]);
    if (code == SQLITE_OK)
        code = bind_ms(statement, place++, alarm->acknowledged_ms);
    return code == SQLITE_OK ? bind_ms(statement, place, alarm->unconfirmed_ms) : code;
}

/* Writes the row of an alarm as it is now. */
static int write_alarm(const struct stream *stream, struct statements *sql,
                       const struct report_entry *entry, int64_t *id)
{
    char path[FULL_PATH_SIZE];
    struct report_alarm alarm;
    sqlite3_stmt *statement = statements_get(sql, put_alarm);
    report_alarm_read(entry, &alarm);
    make_path(stream, alarm.text[REPORT_ALARM_PATH].at, alarm.text[REPORT_ALARM_PATH].len, path);
    int code = bind_alarm(statement, &alarm, path, entry->wall_ms);
    *id = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        *id = sqlite3_column_int64(statement, 0);
        code = SQLITE_OK;
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int clear(struct statements *sql, int64_t alarm, int64_t wall_ms)
{
    return statements_run(sql, "UPDATE alarm SET cleared = ?2 WHERE id = ?1 AND cleared IS NULL",
                          "ii", alarm, wall_ms);
}

static const char find_told[] = "SELECT alarm FROM told WHERE stream = ? AND number = ?";

/* If another alarm had this number until now, that one has ended. */
static int tell(const struct stream *stream, struct statements *sql,
                const struct report_entry *entry)
{
    int64_t id = 0, before = 0, number = entry->alarm.id;
    int code = write_alarm(stream, sql, entry, &id);
    if (code == SQLITE_OK)
        code = statements_find(sql, &before, find_told, "ii", stream->id, number);
    if (code == SQLITE_OK && before && before != id)
        code = clear(sql, before, entry->wall_ms);
    if (code == SQLITE_OK)
        code = statements_run(sql,
                              "INSERT OR REPLACE INTO told(stream, number, source, alarm, hash,"
                              " is_stale) VALUES(?, ?, ?, ?, ?, 0)",
                              "iiiii", stream->id, number, stream->source, id,
                              (int64_t)entry->alarm.hash);
    return code;
}

/* An alarm that is told again unchanged is only confirmed. */
static int take_alarm(const struct stream *stream, struct statements *sql,
                      const struct report_entry *entry)
{
    int code = statements_run(
        sql, "UPDATE told SET is_stale = 0 WHERE stream = ? AND number = ? AND hash = ?", "iii",
        stream->id, (int64_t)entry->alarm.id, (int64_t)entry->alarm.hash);
    if (code != SQLITE_OK || sqlite3_changes(sql->db) > 0)
        return code;
    return tell(stream, sql, entry);
}

static int take_cleared(const struct stream *stream, struct statements *sql,
                        const struct report_entry *entry)
{
    int64_t alarm, number = entry->alarm.id;
    int code = statements_find(sql, &alarm, find_told, "ii", stream->id, number);
    if (code == SQLITE_OK && alarm)
        code = clear(sql, alarm, entry->wall_ms);
    if (code == SQLITE_OK && alarm)
        code = statements_run(sql, "DELETE FROM told WHERE stream = ? AND number = ?", "ii",
                              stream->id, number);
    return code;
}

/* Sums up the alarms that the stream tells, without the stale ones. */
static int sum_told(const struct stream *stream, struct statements *sql, uint32_t *digest,
                    uint32_t *n)
{
    sqlite3_stmt *select =
        statements_get(sql, "SELECT hash FROM told WHERE stream = ? AND is_stale = 0");
    int code = database_bind(select, "i", stream->id);
    *digest = *n = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        *digest ^= (uint32_t)sqlite3_column_int64(select, 0);
        ++*n;
        code = SQLITE_OK;
    }
    sqlite3_reset(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* The stream has told all its alarms: what its node told before, and does not tell any more, has
 * ended, unless a stream of another node tells it. */
static int end_stale(const struct stream *stream, struct statements *sql, int64_t wall_ms)
{
    int code = statements_run(
        sql,
        "UPDATE alarm SET cleared = ?3 WHERE cleared IS NULL"
        " AND id IN (SELECT alarm FROM told WHERE source = ?2 AND (stream <> ?1 OR is_stale))"
        " AND id NOT IN (SELECT alarm FROM told WHERE source <> ?2"
        " OR (stream = ?1 AND NOT is_stale))",
        "iii", stream->id, stream->source, wall_ms);
    if (code == SQLITE_OK)
        code =
            statements_run(sql, "DELETE FROM told WHERE source = ?2 AND (stream <> ?1 OR is_stale)",
                           "ii", stream->id, stream->source);
    return code;
}

static int take_all(const struct stream *stream, struct statements *sql,
                    const struct report_entry *entry)
{
    int64_t stale;
    uint32_t digest, n;
    int code = statements_find(
        sql, &stale, "SELECT count(*) FROM told WHERE source = ?2 AND (stream <> ?1 OR is_stale)",
        "ii", stream->id, stream->source);
    if (code != SQLITE_OK || stale == 0 || !entry->alarms.complete)
        return code;
    code = sum_told(stream, sql, &digest, &n);
    if (code == SQLITE_OK && digest == entry->alarms.digest && n == entry->alarms.told)
        code = end_stale(stream, sql, entry->wall_ms);
    return code;
}

int events_miss(const struct stream *stream, struct statements *sql)
{
    return statements_run(sql, "UPDATE told SET is_stale = 1 WHERE stream = ?", "i", stream->id);
}

/* -- Steps ----------------------------------------------------------------------------------- */

static const char put_step[] =
    "INSERT INTO step(start, series, path, duration, sequence, result, cpu, allocated)"
    " VALUES(?, ?, ?, ?, ?, ?, ?, ?)";

static int take_record(const struct stream *stream, struct statements *sql,
                       const struct report_entry *entry, struct events_counts *counts)
{
    const struct report_record *record = &entry->record;
    char path[FULL_PATH_SIZE];
    int64_t series = streams_meaning(stream, entry->series);
    sqlite3_stmt *statement = statements_get(sql, put_step);
    if (series == 0 || (stream->is.path[0] == '\0' && record->node_len > 0))
        return SQLITE_OK;
    make_path(stream, record->node, record->node_len, path);
    int code = database_bind(statement, "iitiii", (int64_t)record->start_ns, series, path,
                             (int64_t)record->duration_ns, (int64_t)record->sequence,
                             (int64_t)record->result);
    if (code == SQLITE_OK)
        code = record->has_cpu ? sqlite3_bind_int64(statement, 7, (int64_t)record->cpu_ns)
                               : sqlite3_bind_null(statement, 7);
    if (code == SQLITE_OK)
        code = record->has_allocated ? sqlite3_bind_int64(statement, 8, (int64_t)record->allocated)
                                     : sqlite3_bind_null(statement, 8);
    counts->records += code == SQLITE_OK;
    return code == SQLITE_OK ? database_finish(statement) : code;
}

/* -- Tops ------------------------------------------------------------------------------------ */

/* The parts of one moment are kept side by side; those of an earlier moment of the same minute are
 * removed. */
static int take_keys(const struct stream *stream, struct statements *sql,
                     const struct report_entry *entry, struct events_counts *counts)
{
    const struct report_keys *keys = &entry->keys;
    int64_t series = streams_meaning(stream, entry->series), parts;
    int64_t minute_ms = database_floor(entry->wall_ms, MINUTE_MS);
    if (series == 0)
        return SQLITE_OK;
    int code =
        statements_run(sql, "DELETE FROM top WHERE series = ? AND minute = ? AND latest <> ?",
                       "iii", series, minute_ms, entry->wall_ms);
    if (code == SQLITE_OK)
        code =
            statements_find(sql, &parts, "SELECT count(*) FROM top WHERE series = ? AND minute = ?",
                            "ii", series, minute_ms);
    if (code == SQLITE_OK)
        code = statements_run(sql, "INSERT INTO top VALUES(?, ?, ?, ?, ?, ?, ?, ?)", "iiiiiiib",
                              series, minute_ms, parts, entry->wall_ms, (int64_t)keys->absent,
                              (int64_t)keys->size, (int64_t)keys->n, keys->octets, keys->len);
    counts->tops += code == SQLITE_OK;
    return code;
}

int events_take(const struct stream *stream, struct statements *sql,
                const struct report_entry *entry, struct events_counts *counts)
{
    switch (entry->kind) {
    case REPORT_ALARM:
        counts->alarms++;
        return take_alarm(stream, sql, entry);
    case REPORT_ALARM_CLEARED:
        counts->alarms++;
        return take_cleared(stream, sql, entry);
    case REPORT_ALARMS:
        return take_all(stream, sql, entry);
    case REPORT_RECORD:
        return take_record(stream, sql, entry, counts);
    case REPORT_KEYS:
        return take_keys(stream, sql, entry, counts);
    default:
        return SQLITE_OK;
    }
}
