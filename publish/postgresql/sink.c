/* The kind of sinks "postgresql": rows of a database, and the cursors in the same transactions. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/postgresql/entries.h"
#include "publish/postgresql/names.h"
#include "publish/postgresql/schema.h"
#include "publish/progress.h"

#define DAY_MS INT64_C(86400000)
#define DAYS_BACK 31 /* a value may be so late and still have a partition of its day */
#define DAYS_AHEAD 2 /* so many days are made ahead */
#define DAYS 64      /* one bit for each; more than these together */
#define FLUSH_OCTETS (4u << 20)
#define STEP_MS INT64_C(60000)
#define CURSOR_DAYS 32
#define LOCK_NOT_AVAILABLE "55P03" /* https://www.postgresql.org/docs/15/errcodes-appendix.html */
#define HELD_UP_MAX 10             /* steps in a row in which a reader may be in the way */

struct sink {
    struct outlet_sink settings;
    struct connection *connection;
    char identity[IDENTITY_SIZE];
    int32_t publisher;
    struct known *known;
    struct progress *progress;
    struct rows rows[COPIED_TABLES];
    bool is_begun;     /* a transaction is under way */
    int64_t first_day; /* the day of the first bit of days */
    uint64_t days;     /* a bit for each that has partitions, as far as is known */
    int64_t order;     /* number of what was told last of alarms */
    int64_t now_ms;    /* of the call that is under way */
    int64_t step_ms;   /* when old rows are looked for next */
    unsigned held_up;  /* steps in a row in which a reader was in the way of removing them */
    char *error;       /* likewise */
};

/* Returns status; for ENOMEM it writes the error. The transaction ends with the connection, which
 * is closed with the sink. */
static int end_by(struct sink *sink, int status)
{
    if (status == ENOMEM)
        text_format(sink->error, SINK_ERROR_SIZE, "out of memory");
    return status;
}

/* -- Cursors --------------------------------------------------------------------------------- */

static unsigned char *octets_of(const PGresult *result, int row, int column, size_t *len)
{
    return PQunescapeBytea((const unsigned char *)PQgetvalue(result, row, column), len);
}

static uint32_t number_of(const PGresult *result, int row, int column)
{
    return (uint32_t)strtoul(PQgetvalue(result, row, column), NULL, 10);
}

static int tell_cursor(const PGresult *result, int row, sink_cursor_fn *each, void *context)
{
    size_t path_len, engine_len;
    unsigned char *path = octets_of(result, row, 0, &path_len);
    unsigned char *engine = octets_of(result, row, 1, &engine_len);
    bool is_whole = path && engine;
    char text[ALARM_PATH_SIZE] = ""; /* libpq puts no NUL behind octets */
    if (is_whole)
        text_format(text, sizeof text, "%.*s", (int)path_len, (const char *)path);
    if (is_whole)
        each(context,
             &(struct sink_stream){.boot = number_of(result, row, 2),
                                   .path = text,
                                   .name = "",
                                   .group = "",
                                   .engine_id = engine,
                                   .engine_id_len = engine_len},
             number_of(result, row, 3));
    PQfreemem(path);
    PQfreemem(engine);
    return is_whole ? 0 : ENOMEM;
}

/* A path is stored as octets: one that is not UTF-8 comes back as it was. */
static int each_cursor(struct sink *sink, sink_cursor_fn *each, void *context)
{
    PGresult *result;
    char sql[160];
    text_format(sql, sizeof sql,
                "SELECT path, engine, boot, next FROM dcamp.cursor WHERE publisher = %" PRId32,
                sink->publisher);
    int status = connection_query(sink->connection, sql, 0, NULL, &result, sink->error);
    if (status)
        return status;
    for (int i = 0; i < PQntuples(result) && !status; i++)
        status = tell_cursor(result, i, each, context);
    PQclear(result);
    return status;
}

/* -- Connection ------------------------------------------------------------------------------ */

/* What is copied into these is folded into tables of the schema at the commit. */
static const char temporary_tables[] =
    "CREATE TEMPORARY TABLE cursor_told (path bytea, engine bytea, boot bigint, next bigint, "
    "told timestamptz) ON COMMIT DELETE ROWS; "
    "CREATE TEMPORARY TABLE alarm_told (n bigint, node integer, boot bigint, id bigint, "
    "told timestamptz, since timestamptz, severity smallint, index bigint, "
    "unconfirmed timestamptz, acknowledged timestamptz, path text, key text, alarm_node text, "
    "threshold text, sensor text, instance text, value text, \"limit\" text, message text, "
    "acknowledged_by text) ON COMMIT DELETE ROWS; "
    "CREATE INDEX ON alarm_told (node, boot, id)";

static int prepare(struct sink *sink)
{
    int status = schema_open(sink->connection, sink->identity, &sink->publisher, sink->error);
    return status
               ? status
               : connection_query(sink->connection, temporary_tables, 0, NULL, NULL, sink->error);
}

static int begin(struct sink *sink)
{
    if (sink->is_begun)
        return 0;
    int status = connection_query(sink->connection, "BEGIN", 0, NULL, NULL, sink->error);
    sink->is_begun = status == 0;
    return status;
}

/* -- Partitions ------------------------------------------------------------------------------ */

static int64_t day_of(int64_t wall_ms)
{
    return wall_ms / DAY_MS - (wall_ms % DAY_MS < 0);
}

/* Days too far from now get none: a wrong clock must not make thousands of tables. */
static int need_day(struct sink *sink, int64_t day)
{
    int64_t today = day_of(sink->now_ms), first = today - DAYS_BACK;
    if (sink->first_day != first)
        sink->days = 0;
    sink->first_day = first;
    if (day < first || day > today + DAYS_AHEAD || (sink->days & UINT64_C(1) << (day - first)))
        return 0;
    if (sink->settings.raw_s > 0 &&
        day < day_of(sink->now_ms - sink->settings.raw_s * INT64_C(1000)))
        return 0;
    int status = schema_add_day(sink->connection, day, sink->error);
    if (!status)
        sink->days |= UINT64_C(1) << (day - first);
    return status;
}

static int need_days_ahead(struct sink *sink)
{
    int status = 0;
    for (int64_t day = day_of(sink->now_ms), i = 0; i <= DAYS_AHEAD && !status; i++)
        status = need_day(sink, day + i);
    return status;
}

/* -- Blocks ---------------------------------------------------------------------------------- */

static const char *const copy[COPIED_TABLES] = {
    "COPY dcamp.value FROM STDIN (FORMAT binary)", "COPY dcamp.window FROM STDIN (FORMAT binary)",
    "COPY dcamp.step FROM STDIN (FORMAT binary)",  "COPY dcamp.top_key FROM STDIN (FORMAT binary)",
    "COPY alarm_told FROM STDIN (FORMAT binary)",  "COPY cursor_told FROM STDIN (FORMAT binary)",
};

static int flush(struct sink *sink)
{
    int status = 0;
    for (int i = 0; i < COPIED_TABLES && !status; i++) {
        struct rows *rows = &sink->rows[i];
        if (rows->n == 0)
            continue;
        rows_end(rows);
        status = rows->is_short ? ENOMEM
                                : connection_copy(sink->connection, copy[i], rows->octets,
                                                  rows->len, sink->error);
        rows_clear(rows);
    }
    return status;
}

static int put_series(struct sink *sink, int32_t node, const struct entry *entry)
{
    int32_t series;
    int status = need_day(sink, day_of(entry->report->wall_ms));
    if (!status)
        status =
            names_series(sink->known, sink->connection, node, entry->words, &series, sink->error);
    if (status)
        return status;
    switch (entry->report->kind) {
    case REPORT_VALUE:
        return entries_put_value(sink->rows, series, entry->report);
    case REPORT_WINDOW:
        return entries_put_window(sink->rows, series, entry->report);
    case REPORT_RECORD:
        return entries_put_step(sink->rows, series, entry->report);
    default:
        return entries_put_keys(sink->rows, series, entry->report);
    }
}

struct putting {
    struct sink *sink;
    int32_t node;
};

/* An entry_fn. How many alarms there are is not stored: the table shows it. */
static int put_entry(void *context, const struct entry *entry)
{
    const struct putting *putting = context;
    struct sink *sink = putting->sink;
    if (entry->words && !text_matches(sink->settings.sensors, entry->words->sensor))
        return 0;
    if (entry->words) {
        int32_t node = putting->node;
        int status = entry->words->path[0]
                         ? names_node(sink->known, sink->connection, sink->publisher,
                                      entry->block->stream, &node, sink->error)
                         : 0;
        return status ? status : put_series(sink, node, entry);
    }
    if (entry->report->kind == REPORT_ALARMS)
        return 0;
    return entries_put_alarm(sink->rows, putting->node, entry->block->stream->boot, ++sink->order,
                             entry->report);
}

static int put_block(struct sink *sink, const struct sink_block *block)
{
    struct putting putting = {.sink = sink};
    uint64_t nameless = 0;
    int status = progress_take(sink->progress, block->stream, block->number);
    if (status)
        return status;
    status = names_node(sink->known, sink->connection, sink->publisher, block->stream,
                        &putting.node, sink->error);
    if (!status)
        status = entries_each(block, put_entry, &putting, &nameless);
    size_t waiting = 0;
    for (int i = 0; i < COPIED_TABLES; i++)
        waiting += sink->rows[i].len;
    return status || waiting < FLUSH_OCTETS ? status : flush(sink);
}

static int sink_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    sink->error = error;
    sink->now_ms = now_ms;
    int status = begin(sink);
    return end_by(sink, status ? status : put_block(sink, block));
}

/* -- Commit ---------------------------------------------------------------------------------- */

/* A progress_fn. */
static int put_cursor(void *context, const struct sink_stream *stream, uint32_t next)
{
    struct sink *sink = context;
    struct rows *rows = &sink->rows[COPIED_CURSOR];
    rows_begin(rows, 5);
    rows_octets(rows, stream->path, strlen(stream->path));
    rows_octets(rows, stream->engine_id, stream->engine_id_len);
    rows_int8(rows, stream->boot);
    rows_int8(rows, next);
    rows_time(rows, sink->now_ms);
    return rows->is_short ? ENOMEM : 0;
}

/* The last of what was told of an alarm counts. What comes later with the same number clears it:
 * there is none any more, or the number is that of another alarm now. */
static const char fold_alarms[] =
    "INSERT INTO dcamp.alarm (node, boot, id, since, told, severity, index, unconfirmed, "
    "acknowledged, path, key, alarm_node, threshold, sensor, instance, value, \"limit\", message, "
    "acknowledged_by) SELECT DISTINCT ON (node, boot, id, since) node, boot, id, since, told, "
    "severity, index, unconfirmed, acknowledged, path, key, alarm_node, threshold, sensor, "
    "instance, value, \"limit\", message, acknowledged_by FROM alarm_told WHERE since IS NOT NULL "
    "ORDER BY node, boot, id, since, n DESC ON CONFLICT (node, boot, id, since) DO UPDATE SET "
    "told = excluded.told, cleared = NULL, severity = excluded.severity, index = excluded.index, "
    "unconfirmed = excluded.unconfirmed, acknowledged = excluded.acknowledged, "
    "path = excluded.path, key = excluded.key, alarm_node = excluded.alarm_node, "
    "threshold = excluded.threshold, sensor = excluded.sensor, instance = excluded.instance, "
    "value = excluded.value, \"limit\" = excluded.\"limit\", message = excluded.message, "
    "acknowledged_by = excluded.acknowledged_by; "
    "UPDATE dcamp.alarm a SET cleared = (SELECT t.told FROM alarm_told t WHERE t.node = a.node "
    "AND t.boot = a.boot AND t.id = a.id AND t.n > coalesce((SELECT max(s.n) FROM alarm_told s "
    "WHERE s.node = a.node AND s.boot = a.boot AND s.id = a.id AND s.since = a.since), 0) "
    "ORDER BY t.n LIMIT 1) FROM (SELECT DISTINCT node, boot, id FROM alarm_told) m WHERE "
    "a.cleared IS NULL AND a.node = m.node AND a.boot = m.boot AND a.id = m.id";

static int fold(struct sink *sink, bool has_alarms)
{
    char sql[512];
    text_format(sql, sizeof sql,
                "INSERT INTO dcamp.cursor (publisher, path, engine, boot, next, told) SELECT "
                "%" PRId32 ", path, engine, boot, next, told FROM cursor_told ON CONFLICT "
                "(publisher, path, engine, boot) DO UPDATE SET next = excluded.next, "
                "told = excluded.told",
                sink->publisher);
    int status = connection_query(sink->connection, sql, 0, NULL, NULL, sink->error);
    return status || !has_alarms
               ? status
               : connection_query(sink->connection, fold_alarms, 0, NULL, NULL, sink->error);
}

/* If the server goes away in the middle of this, the cursors tell later whether it was done. */
static int end_transaction(struct sink *sink)
{
    PGresult *result;
    int status = connection_query(sink->connection, "COMMIT", 0, NULL, &result, sink->error);
    if (!status && strcmp(PQcmdStatus(result), "COMMIT") != 0) {
        connection_say(sink->connection, sink->error, "the transaction was rolled back");
        status = EIO;
    }
    PQclear(result);
    if (!status) {
        sink->is_begun = false;
        sink->order = 0;
        progress_committed(sink->progress);
    }
    return status;
}

static int sink_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    sink->error = error;
    sink->now_ms = now_ms;
    if (!sink->is_begun)
        return 0;
    int status = progress_each(sink->progress, put_cursor, sink);
    if (!status)
        status = flush(sink);
    if (!status)
        status = fold(sink, sink->order > 0);
    return end_by(sink, status ? status : end_transaction(sink));
}

/* -- From time to time ----------------------------------------------------------------------- */

static int make_days_ahead(struct sink *sink)
{
    int status = begin(sink);
    if (!status)
        status = need_days_ahead(sink);
    return status ? status : end_transaction(sink);
}

/* That something cannot be dropped is no reason to take no blocks: it is reported, and tried again.
 * A reader who is in the way of a drop is left alone for a while. complaint: what is to be
 * reported. */
static int drop_old(struct sink *sink, bool *is_more, char complaint[SINK_ERROR_SIZE])
{
    if (sink->settings.raw_s == 0)
        return 0;
    int64_t day = day_of(sink->now_ms - sink->settings.raw_s * INT64_C(1000));
    int status = schema_expire(sink->connection, day, is_more, sink->error);
    bool is_held_up = status && strcmp(connection_state(sink->connection), LOCK_NOT_AVAILABLE) == 0;
    sink->held_up = is_held_up ? sink->held_up + 1 : 0;
    if (!status || connection_is_lost(sink->connection))
        return status;
    *is_more = false;
    if (!is_held_up || sink->held_up > HELD_UP_MAX)
        text_format(complaint, SINK_ERROR_SIZE, "old days are not dropped: %s", sink->error);
    return 0;
}

static int sink_step(struct sink *sink, int64_t now_ms, int64_t *again_ms,
                     char error[SINK_ERROR_SIZE])
{
    bool is_more = false;
    char complaint[SINK_ERROR_SIZE] = "";
    sink->error = error;
    sink->now_ms = now_ms;
    *again_ms = sink->is_begun ? now_ms + 1000 : sink->step_ms;
    if (sink->is_begun || (now_ms < sink->step_ms && sink->step_ms <= now_ms + STEP_MS))
        return 0;
    *again_ms = sink->step_ms = now_ms + STEP_MS;
    int status = make_days_ahead(sink);
    if (!status)
        status = drop_old(sink, &is_more, complaint);
    if (!status)
        status = schema_forget_cursors(sink->connection, sink->publisher,
                                       day_of(now_ms) - CURSOR_DAYS, error);
    if (is_more)
        *again_ms = sink->step_ms = now_ms;
    if (!status)
        text_format(error, SINK_ERROR_SIZE, "%s", complaint);
    return end_by(sink, status);
}

/* -- Opening and closing --------------------------------------------------------------------- */

static int sink_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                        char error[SINK_ERROR_SIZE])
{
    sink->error = error;
    return end_by(sink, each_cursor(sink, each, context));
}

static void sink_close(struct sink *sink)
{
    if (!sink)
        return;
    connection_close(sink->connection);
    progress_free(sink->progress);
    known_free(sink->known);
    for (int i = 0; i < COPIED_TABLES; i++)
        rows_release(&sink->rows[i]);
    free(sink);
}

static int sink_open(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                     char error[SINK_ERROR_SIZE])
{
    struct sink *opened = *sink = calloc(1, sizeof *opened);
    if (opened) {
        opened->settings = *settings;
        opened->now_ms = now_ms;
        opened->error = error;
        opened->known = known_new(NAMES_KNOWN_MAX);
        opened->progress = progress_new();
    }
    int status = ENOMEM;
    text_format(error, SINK_ERROR_SIZE, "out of memory");
    if (opened && opened->known && opened->progress)
        status = connection_open(settings, &opened->connection, opened->identity, error);
    if (!status)
        status = prepare(opened);
    if (!status) {
        *error = '\0';
        return 0;
    }
    sink_close(opened);
    *sink = NULL;
    return status;
}

extern const struct sink_type dcamp_sink_type;
const struct sink_type dcamp_sink_type = {
    .abi = SINK_ABI,
    .kind = "postgresql",
    .open = sink_open,
    .close = sink_close,
    .cursors = sink_cursors,
    .block = sink_block,
    .commit = sink_commit,
    .step = sink_step,
};
