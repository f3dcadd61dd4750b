#include "publish/postgresql/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

/* Advisory locks hold for the whole database: the two numbers are dCAMP's own. */
#define LOCK_SCHEMA "pg_advisory_xact_lock(1684234605, 1)"
#define LOCK_DAYS "pg_advisory_xact_lock(1684234605, 2)"

/* The tables that are partitioned by day. */
static const char *const by_day[] = {"value", "window", "step", "top_key"};
#define BY_DAY (sizeof by_day / sizeof *by_day)

static const char tables[] =
    "CREATE TABLE dcamp.version (version integer NOT NULL);"
    "INSERT INTO dcamp.version VALUES (1);"
    "CREATE TABLE dcamp.publisher ("
    " id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE);"
    "CREATE TABLE dcamp.cursor ("
    " publisher integer NOT NULL REFERENCES dcamp.publisher, path bytea NOT NULL,"
    " engine bytea NOT NULL, boot bigint NOT NULL, next bigint NOT NULL,"
    " told timestamptz NOT NULL, PRIMARY KEY (publisher, path, engine, boot));"
    "CREATE TABLE dcamp.node ("
    " id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " publisher integer NOT NULL REFERENCES dcamp.publisher, path text NOT NULL,"
    " engine bytea NOT NULL, name text NOT NULL, \"group\" text NOT NULL, boot bigint NOT NULL,"
    " UNIQUE (publisher, path, engine));"
    "CREATE TABLE dcamp.series ("
    " id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
    " node integer NOT NULL REFERENCES dcamp.node, sensor text NOT NULL, instance text NOT NULL,"
    " metric text NOT NULL, unit text NOT NULL, UNIQUE (node, sensor, instance, metric, unit));"
    "CREATE TABLE dcamp.value ("
    " series integer NOT NULL, time timestamptz NOT NULL, value double precision,"
    " state smallint NOT NULL) PARTITION BY RANGE (time);"
    "CREATE TABLE dcamp.window ("
    " series integer NOT NULL, time timestamptz NOT NULL, window_ms bigint NOT NULL,"
    " count bigint, min double precision, max double precision, mean double precision,"
    " m2 double precision, sum double precision, expected bigint, oldest_ms bigint,"
    " bucket double precision[], bucket_count bigint[]) PARTITION BY RANGE (time);"
    "CREATE TABLE dcamp.step ("
    " series integer NOT NULL, time timestamptz NOT NULL, start_ns numeric(20) NOT NULL,"
    " duration_ns numeric(20) NOT NULL, sequence numeric(20) NOT NULL, result integer NOT NULL,"
    " cpu_ns numeric(20), allocated numeric(20), node text NOT NULL) PARTITION BY RANGE (time);"
    "CREATE TABLE dcamp.top_key ("
    " series integer NOT NULL, time timestamptz NOT NULL, absent numeric(20) NOT NULL,"
    " key bytea, count numeric(20), error numeric(20)) PARTITION BY RANGE (time);"
    "CREATE TABLE dcamp.alarm ("
    " node integer NOT NULL REFERENCES dcamp.node, boot bigint NOT NULL, id bigint NOT NULL,"
    " since timestamptz NOT NULL, told timestamptz NOT NULL, cleared timestamptz,"
    " severity smallint NOT NULL, index bigint NOT NULL, unconfirmed timestamptz,"
    " acknowledged timestamptz, path text NOT NULL, key text NOT NULL, alarm_node text NOT NULL,"
    " threshold text NOT NULL, sensor text NOT NULL, instance text NOT NULL,"
    " value text NOT NULL, \"limit\" text NOT NULL, message text NOT NULL,"
    " acknowledged_by text NOT NULL, PRIMARY KEY (node, boot, id, since));"
    "CREATE INDEX ON dcamp.value (series, time); CREATE INDEX ON dcamp.window (series, time);"
    "CREATE INDEX ON dcamp.step (series, time); CREATE INDEX ON dcamp.top_key (series, time);"
    "CREATE TABLE dcamp.value_elsewhen PARTITION OF dcamp.value DEFAULT;"
    "CREATE TABLE dcamp.window_elsewhen PARTITION OF dcamp.window DEFAULT;"
    "CREATE TABLE dcamp.step_elsewhen PARTITION OF dcamp.step DEFAULT;"
    "CREATE TABLE dcamp.top_key_elsewhen PARTITION OF dcamp.top_key DEFAULT;";

/* The tables of the research, as views: see doc/man/dcamp-sinks.5. A node that publishes itself has
 * no path. */
static const char views[] =
    "CREATE VIEW dcamp.active_alarm AS SELECT n.name AS publisher_node, n.path AS node_path, a.*"
    " FROM dcamp.alarm a JOIN dcamp.node n ON n.id = a.node"
    " WHERE a.cleared IS NULL AND a.boot = n.boot;"
    "CREATE VIEW dcamp.research_node AS SELECT id AS node, coalesce(nullif(path, ''), name)"
    " AS node_id, \"group\" AS node_purpose FROM dcamp.node;"
    "CREATE VIEW dcamp.research_runtime_performance AS"
    " SELECT n.node_id, n.node_purpose, s.sensor AS step, r.sequence,"
    " to_timestamp(r.start_ns / 1e9) AS start_time,"
    " to_timestamp((r.start_ns + r.duration_ns) / 1e9) AS end_time,"
    " r.duration_ns AS duration, r.result AS execution_result, r.node AS executed_below,"
    " r.series, r.start_ns, r.cpu_ns, r.allocated, r.time"
    " FROM dcamp.step r JOIN dcamp.series s ON s.id = r.series"
    " JOIN dcamp.research_node n ON n.node = s.node;"
    "CREATE VIEW dcamp.research_jvm_profile AS"
    " SELECT n.node_id, n.node_purpose, s.instance AS jvm, w.time AS end_time,"
    " max(w.max) FILTER (WHERE s.metric = 'jvm.cpu' AND s.unit = '%') AS process_cpu_load_max,"
    " max(w.min) FILTER (WHERE s.metric = 'jvm.cpu' AND s.unit = '%') AS process_cpu_load_min,"
    " max(w.mean) FILTER (WHERE s.metric = 'jvm.cpu' AND s.unit = '%') AS process_cpu_load_avg,"
    " max(w.max) FILTER (WHERE s.metric = 'jvm.cpu' AND s.unit = 's') AS process_cpu_time,"
    " max(w.max) FILTER (WHERE s.metric = 'jvm.heap.max') AS heap_max,"
    " max(w.max) FILTER (WHERE s.metric = 'jvm.heap.used' AND s.unit = 'B') AS heap_used_max,"
    " max(w.min) FILTER (WHERE s.metric = 'jvm.heap.used' AND s.unit = 'B') AS heap_used_min,"
    " max(w.mean) FILTER (WHERE s.metric = 'jvm.heap.used' AND s.unit = 'B') AS heap_used_avg,"
    " max(c.max) AS system_cpu_load_max, max(c.min) AS system_cpu_load_min,"
    " max(c.mean) AS system_cpu_load_avg"
    " FROM dcamp.window w JOIN dcamp.series s ON s.id = w.series"
    " JOIN dcamp.research_node n ON n.node = s.node"
    " LEFT JOIN LATERAL (SELECT cw.max, cw.min, cw.mean FROM dcamp.series cs"
    "  JOIN dcamp.window cw ON cw.series = cs.id"
    "  WHERE cs.node = s.node AND cs.metric = 'cpu.busy' AND cs.instance = 'total'"
    "  AND cw.count > 0 AND cw.time <= w.time"
    "  AND cw.time > w.time - interval '1 ms' * 2 * greatest(w.window_ms, cw.window_ms)"
    "  ORDER BY cw.time DESC LIMIT 1) c ON true"
    " WHERE s.metric IN ('jvm.cpu', 'jvm.heap.used', 'jvm.heap.max') AND w.count > 0"
    " GROUP BY n.node_id, n.node_purpose, s.instance, w.time;"
    "CREATE VIEW dcamp.research_execution_profile AS"
    " SELECT * FROM dcamp.research_runtime_performance WHERE cpu_ns IS NOT NULL;"
    "CREATE VIEW dcamp.research_resource_snapshot AS"
    " SELECT e.node_id, e.node_purpose, e.step, e.sequence, e.start_time AS execution_start,"
    " v.time AS snapshot_time, s.instance, s.metric, s.unit, v.value"
    " FROM dcamp.research_execution_profile e JOIN dcamp.series x ON x.id = e.series"
    " JOIN dcamp.series s ON s.node = x.node JOIN dcamp.value v ON v.series = s.id"
    " AND v.time BETWEEN e.start_time AND e.end_time"
    " WHERE s.metric IN ('cpu.busy', 'jvm.cpu', 'jvm.heap.max', 'jvm.heap.used') AND v.state = 1;";

/* -- Versions -------------------------------------------------------------------------------- */

static int check_version(struct connection *connection, char error[SINK_ERROR_SIZE])
{
    PGresult *result;
    char why[SINK_ERROR_SIZE];
    int status =
        connection_query(connection, "SELECT version FROM dcamp.version", 0, NULL, &result, error);
    if (status)
        return status;
    const char *version = PQntuples(result) == 1 ? PQgetvalue(result, 0, 0) : "none";
    if (strtol(version, NULL, 10) != SCHEMA_VERSION) {
        text_format(why, sizeof why,
                    "the schema dcamp is of version %s, and this program writes version %d",
                    version, SCHEMA_VERSION);
        connection_say(connection, error, why);
        status = EPROTO;
    }
    PQclear(result);
    return status;
}

/* What there is of the schema. It is looked at under a lock: two publishers may be the first at the
 * same time. */
struct found {
    bool schema, version, tables;
};

static int look(struct connection *connection, struct found *found, char error[SINK_ERROR_SIZE])
{
    static const char sql[] =
        "SELECT " LOCK_SCHEMA "; SELECT to_regnamespace('dcamp') IS NOT NULL, "
        "to_regclass('dcamp.version') IS NOT NULL, EXISTS (SELECT FROM pg_class "
        "WHERE relnamespace = to_regnamespace('dcamp'))";
    PGresult *result;
    int status = connection_query(connection, sql, 0, NULL, &result, error);
    if (status)
        return status;
    found->schema = *PQgetvalue(result, 0, 0) == 't';
    found->version = *PQgetvalue(result, 0, 1) == 't';
    found->tables = *PQgetvalue(result, 0, 2) == 't';
    PQclear(result);
    return 0;
}

/* A user who may not make schemas in the database may have been given an empty one. */
static int make_tables(struct connection *connection, char error[SINK_ERROR_SIZE])
{
    struct found found;
    int status = look(connection, &found, error);
    if (status)
        return status;
    if (found.version)
        return check_version(connection, error);
    if (found.tables) {
        connection_say(connection, error, "the schema dcamp has tables of somebody else");
        return EPROTO;
    }
    if (!found.schema)
        status = connection_query(connection, "CREATE SCHEMA dcamp", 0, NULL, NULL, error);
    if (!status)
        status = connection_query(connection, tables, 0, NULL, NULL, error);
    return status ? status : connection_query(connection, views, 0, NULL, NULL, error);
}

static int take_lock(struct connection *connection, const char *publisher,
                     char error[SINK_ERROR_SIZE])
{
    const char *parameters[] = {publisher};
    int status = connection_query(connection, "SELECT pg_advisory_lock(1684234606, $1::integer)", 1,
                                  parameters, NULL, error);
    if (status == 0 || connection_is_lost(connection))
        return status;
    connection_say(connection, error,
                   "another process publishes there by the same name (application_name)");
    return EBUSY;
}

static int find_publisher(struct connection *connection, const char *identity, int32_t *publisher,
                          char error[SINK_ERROR_SIZE])
{
    PGresult *result;
    const char *parameters[] = {identity};
    int status = connection_query(connection,
                                  "INSERT INTO dcamp.publisher (name) VALUES ($1) ON CONFLICT "
                                  "(name) DO UPDATE SET name = excluded.name RETURNING id",
                                  1, parameters, &result, error);
    if (status)
        return status;
    char number[16];
    text_format(number, sizeof number, "%s", PQgetvalue(result, 0, 0));
    PQclear(result);
    *publisher = (int32_t)strtol(number, NULL, 10);
    return take_lock(connection, number, error);
}

int schema_open(struct connection *connection, const char *identity, int32_t *publisher,
                char error[SINK_ERROR_SIZE])
{
    int status = connection_query(connection, "BEGIN", 0, NULL, NULL, error);
    if (!status)
        status = make_tables(connection, error);
    char ignored[SINK_ERROR_SIZE];
    if (!status)
        status = connection_query(connection, "COMMIT", 0, NULL, NULL, error);
    else if (!connection_is_lost(connection))
        connection_query(connection, "ROLLBACK", 0, NULL, NULL, ignored);
    return status ? status : find_publisher(connection, identity, publisher, error);
}

/* -- Days ------------------------------------------------------------------------------------ */

/* A day since 1970 as "20261127". */
static void day_text(char text[16], int64_t day)
{
    time_t seconds = (time_t)(day * 86400);
    struct tm calendar;
    if (!gmtime_r(&seconds, &calendar) || strftime(text, 16, "%Y%m%d", &calendar) != 8)
        text_format(text, 16, "%s", "19700101");
}

/* The table is attached, not made as a partition at once, so that readers of the whole table are
 * not waited for. What has come for that day before is moved into it. */
static int add_partition(struct connection *connection, const char *table, const char *day,
                         const char *next, char error[SINK_ERROR_SIZE])
{
    char sql[1024];
    text_format(sql, sizeof sql,
                "CREATE TABLE dcamp.%1$s_%2$s (LIKE dcamp.%1$s INCLUDING ALL);"
                "WITH moved AS (DELETE FROM dcamp.%1$s_elsewhen WHERE time >= '%2$s 00:00+00' AND "
                "time < '%3$s 00:00+00' RETURNING *) INSERT INTO dcamp.%1$s_%2$s SELECT * FROM "
                "moved; ALTER TABLE dcamp.%1$s ATTACH PARTITION dcamp.%1$s_%2$s FOR VALUES FROM "
                "('%2$s 00:00+00') TO ('%3$s 00:00+00')",
                table, day, next);
    return connection_query(connection, sql, 0, NULL, NULL, error);
}

/* Looks for the last table that is made for a day: if it is there, the others are. */
static int has_day(struct connection *connection, const char *day, bool *has,
                   char error[SINK_ERROR_SIZE])
{
    PGresult *result;
    char sql[256];
    text_format(sql, sizeof sql, "SELECT " LOCK_DAYS "; SELECT to_regclass('dcamp.%s_%s') IS NULL",
                by_day[BY_DAY - 1], day);
    int status = connection_query(connection, sql, 0, NULL, &result, error);
    if (status)
        return status;
    *has = *PQgetvalue(result, 0, 0) == 'f';
    PQclear(result);
    return 0;
}

int schema_add_day(struct connection *connection, int64_t day, char error[SINK_ERROR_SIZE])
{
    char begin[16], end[16];
    bool has = false;
    day_text(begin, day);
    day_text(end, day + 1);
    int status = has_day(connection, begin, &has, error);
    for (size_t i = 0; i < BY_DAY && !status && !has; i++)
        status = add_partition(connection, by_day[i], begin, end, error);
    return status;
}

/* Names of partitions are our names with digits behind them: they need no quotes. */
static int drop_day(struct connection *connection, const char *before, bool *is_more,
                    char error[SINK_ERROR_SIZE])
{
    PGresult *result;
    char sql[1024];
    text_format(sql, sizeof sql,
                "SELECT right(relname, 8), count(*) OVER () FROM pg_class WHERE relnamespace = "
                "'dcamp'::regnamespace AND relkind = 'r' AND relname ~ '^top_key_[0-9]{8}$' AND "
                "right(relname, 8) < '%s' ORDER BY 1 LIMIT 1",
                before);
    int status = connection_query(connection, sql, 0, NULL, &result, error);
    if (status)
        return status;
    char day[16] = "";
    if (PQntuples(result) > 0) {
        text_format(day, sizeof day, "%s", PQgetvalue(result, 0, 0));
        *is_more = strtol(PQgetvalue(result, 0, 1), NULL, 10) > 1;
    }
    PQclear(result);
    text_format(sql, sizeof sql,
                "SET LOCAL lock_timeout = 1000; DROP TABLE dcamp.value_%1$s, dcamp.window_%1$s, "
                "dcamp.step_%1$s, dcamp.top_key_%1$s",
                day);
    return *day ? connection_query(connection, sql, 0, NULL, NULL, error) : 0;
}

static int delete_older(struct connection *connection, const char *before,
                        char error[SINK_ERROR_SIZE])
{
    char sql[256];
    int status = 0;
    for (size_t i = 0; i < BY_DAY && !status; i++) {
        text_format(sql, sizeof sql, "DELETE FROM dcamp.%s_elsewhen WHERE time < '%s 00:00+00'",
                    by_day[i], before);
        status = connection_query(connection, sql, 0, NULL, NULL, error);
    }
    text_format(sql, sizeof sql, "DELETE FROM dcamp.alarm WHERE cleared < '%s 00:00+00'", before);
    return status ? status : connection_query(connection, sql, 0, NULL, NULL, error);
}

int schema_expire(struct connection *connection, int64_t day, bool *is_more,
                  char error[SINK_ERROR_SIZE])
{
    char before[16], ignored[SINK_ERROR_SIZE];
    *is_more = false;
    day_text(before, day);
    int status = connection_query(connection, "BEGIN", 0, NULL, NULL, error);
    if (!status)
        status = drop_day(connection, before, is_more, error);
    if (!status)
        status = delete_older(connection, before, error);
    if (!status)
        return connection_query(connection, "COMMIT", 0, NULL, NULL, error);
    if (!connection_is_lost(connection))
        connection_query(connection, "ROLLBACK", 0, NULL, NULL, ignored);
    return status;
}

int schema_forget_cursors(struct connection *connection, int32_t publisher, int64_t day,
                          char error[SINK_ERROR_SIZE])
{
    char before[16], sql[256];
    day_text(before, day);
    text_format(sql, sizeof sql,
                "DELETE FROM dcamp.cursor WHERE publisher = %" PRId32 " AND told < '%s 00:00+00'",
                publisher, before);
    return connection_query(connection, sql, 0, NULL, NULL, error);
}
