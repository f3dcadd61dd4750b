#include "publish/catalog.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "publish/digest.h"
#include "publish/history.h"
#include "publish/meanings.h"
#include "publish/places.h"

/* -- Lists ----------------------------------------------------------------------------------- */

static void release_node(struct catalog_node *node)
{
    free(node->path);
    free(node->name);
    free(node->group);
}

void catalog_nodes_release(struct catalog_nodes *nodes)
{
    for (size_t i = 0; i < nodes->n; i++)
        release_node(&nodes->list[i]);
    free(nodes->list);
    *nodes = (struct catalog_nodes){0};
}

static void release_series(struct catalog_series *series)
{
    free(series->sensor);
    free(series->instance);
    free(series->metric);
    free(series->unit);
}

void catalog_series_release(struct catalog_series_list *series)
{
    for (size_t i = 0; i < series->n; i++)
        release_series(&series->list[i]);
    free(series->list);
    *series = (struct catalog_series_list){0};
}

/* Makes room for one more element. NULL: no memory. */
static void *extend(void *list, size_t n, size_t *room, size_t size)
{
    if (list && n < *room)
        return list;
    size_t larger = *room ? 2 * *room : 16;
    list = reallocarray(list, larger, size);
    if (list)
        *room = larger;
    return list;
}

static char *copy_column(sqlite3_stmt *select, int column)
{
    const char *text = (const char *)sqlite3_column_text(select, column);
    return strdup(text ? text : "");
}

/* Among equal elements, the one that came last is sorted last. */
static int order_coming(size_t one, size_t other)
{
    return (one > other) - (one < other);
}

static int order_nodes(const void *a, const void *b)
{
    const struct catalog_node *one = a, *other = b;
    int order = strcmp(one->path, other->path);
    return order ? order : order_coming(one->came, other->came);
}

static bool is_same_series(const struct catalog_series *one, const struct catalog_series *other)
{
    return strcmp(one->sensor, other->sensor) == 0 && strcmp(one->instance, other->instance) == 0;
}

static int order_series(const void *a, const void *b)
{
    const struct catalog_series *one = a, *other = b;
    int order = strcmp(one->sensor, other->sensor);
    if (order == 0)
        order = strcmp(one->instance, other->instance);
    return order ? order : order_coming(one->came, other->came);
}

/* -- Nodes ----------------------------------------------------------------------------------- */

static int take_node(struct catalog_nodes *nodes, sqlite3_stmt *select)
{
    struct catalog_node node = {.path = copy_column(select, 0),
                                .name = copy_column(select, 1),
                                .group = copy_column(select, 2),
                                .came = nodes->n};
    void *list = extend(nodes->list, nodes->n, &nodes->room, sizeof *nodes->list);
    if (list)
        nodes->list = list;
    if (list && node.path && node.name && node.group) {
        nodes->list[nodes->n++] = node;
        return SQLITE_ROW;
    }
    release_node(&node);
    return SQLITE_NOMEM;
}

/* A history_file_fn. */
static int read_nodes(void *context, sqlite3 *db, bool is_newest)
{
    (void)is_newest;
    sqlite3_stmt *select =
        database_prepare(db, "SELECT path, name, node_group FROM source ORDER BY id%s", "");
    int code = select ? SQLITE_ROW : sqlite3_errcode(db);
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = take_node(context, select);
    sqlite3_finalize(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A history_again_fn. */
static void forget_nodes(void *context)
{
    catalog_nodes_release(context);
}

/* Of several nodes of one path, only the one that came last stays. */
static void unite_nodes(struct catalog_nodes *nodes)
{
    size_t n = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        if (n > 0 && strcmp(nodes->list[n - 1].path, nodes->list[i].path) == 0)
            release_node(&nodes->list[--n]);
        nodes->list[n++] = nodes->list[i];
    }
    nodes->n = n;
}

int catalog_nodes(struct history *history, struct catalog_nodes *nodes)
{
    *nodes = (struct catalog_nodes){0};
    int error = history_each_file(history, INT64_MIN / 2, read_nodes, forget_nodes, nodes);
    if (nodes->n > 0)
        qsort(nodes->list, nodes->n, sizeof *nodes->list, order_nodes);
    unite_nodes(nodes);
    return error;
}

int catalog_is_meant(const struct catalog_node *node, const char *text)
{
    const char *last = strrchr(node->path, '/');
    last = last ? last + 1 : node->path;
    return fnmatch(text, node->path, 0) == 0 || strcmp(text, node->path) == 0 ||
           fnmatch(text, node->name, 0) == 0 || strcmp(text, node->name) == 0 ||
           (*last && fnmatch(text, last, 0) == 0);
}

/* -- Series ---------------------------------------------------------------------------------- */

/* A series that a file has. */
struct found {
    int64_t id;
    struct catalog_series words;
    int64_t first_hour_ms, last_hour_ms; /* of its rows of hours; first > last: there are none */
};

struct series_reader {
    const char *path;
    struct catalog_series_list *list;
    /* the following are of one file */
    sqlite3 *db;
    struct found *found; /* ascending by id */
    size_t n, room;
    struct meanings meanings;
    int64_t stream; /* whose blocks are read */
    struct digest digest;
    int error;
};

typedef int take_fn(struct series_reader *reader, sqlite3_stmt *select);

/* Runs a statement whose only parameter is the path. */
static int each_row(struct series_reader *reader, const char *format, const char *table,
                    take_fn *take)
{
    sqlite3_stmt *select = database_prepare(reader->db, format, table);
    if (!select)
        return sqlite3_errcode(reader->db);
    int code =
        sqlite3_bind_parameter_count(select) ? database_bind(select, "t", reader->path) : SQLITE_OK;
    if (code == SQLITE_OK)
        code = SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = take(reader, select);
    sqlite3_finalize(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int take_found(struct series_reader *reader, sqlite3_stmt *select)
{
    bool has_hours = sqlite3_column_type(select, 5) != SQLITE_NULL;
    struct found found = {
        .id = sqlite3_column_int64(select, 0),
        .words = {.sensor = copy_column(select, 1),
                  .instance = copy_column(select, 2),
                  .metric = copy_column(select, 3),
                  .unit = copy_column(select, 4),
                  .first_ms = INT64_MAX,
                  .last_ms = INT64_MIN},
        .first_hour_ms = has_hours ? sqlite3_column_int64(select, 5) : INT64_MAX,
        .last_hour_ms = has_hours ? sqlite3_column_int64(select, 6) : INT64_MIN,
    };
    void *list = extend(reader->found, reader->n, &reader->room, sizeof *reader->found);
    if (list)
        reader->found = list;
    if (list && found.words.sensor && found.words.instance && found.words.metric &&
        found.words.unit) {
        reader->found[reader->n++] = found;
        return SQLITE_ROW;
    }
    release_series(&found.words);
    return SQLITE_NOMEM;
}

/* NULL: the series is of another node. */
static struct found *found_of(struct series_reader *reader, int64_t id)
{
    size_t place = places_of_id(reader->found, reader->n, sizeof *reader->found, id);
    return place < reader->n && reader->found[place].id == id ? &reader->found[place] : NULL;
}

static void has_time(struct series_reader *reader, int64_t id, int64_t wall_ms)
{
    struct found *found = found_of(reader, id);
    if (!found)
        return;
    if (found->words.first_ms > wall_ms)
        found->words.first_ms = wall_ms;
    if (found->words.last_ms < wall_ms)
        found->words.last_ms = wall_ms;
}

/* The chunk that begins last is nearly always the one that ends last: only values that came late
 * make other chunks, and these values are earlier. */
static int take_ends(struct series_reader *reader, sqlite3_stmt *select)
{
    struct point points[POINTS_MAX];
    size_t n = 0;
    if (sqlite3_column_type(select, 1) == SQLITE_NULL)
        return SQLITE_ROW;
    has_time(reader, sqlite3_column_int64(select, 0), sqlite3_column_int64(select, 1));
    if (points_unpack(sqlite3_column_blob(select, 2), (size_t)sqlite3_column_bytes(select, 2),
                      points, &n))
        return SQLITE_CORRUPT;
    for (size_t i = 0; i < n; i++)
        has_time(reader, sqlite3_column_int64(select, 0), points[i].wall_ms);
    return SQLITE_ROW;
}

#define OF_NODE "FROM series JOIN source ON source.id = series.source WHERE path = ?"

static int take_day(struct series_reader *reader, sqlite3_stmt *select)
{
    const char *table = (const char *)sqlite3_column_text(select, 0);
    int64_t end_ms;
    if (!table || !database_day_end(table, &end_ms))
        return SQLITE_ROW;
    int code =
        each_row(reader,
                 "WITH day AS NOT MATERIALIZED (SELECT * FROM %s)"
                 " SELECT series.id, (SELECT MIN(start) FROM day WHERE day.series = series.id),"
                 " (SELECT points FROM day WHERE day.series = series.id"
                 " ORDER BY start DESC LIMIT 1) " OF_NODE,
                 table, take_ends);
    return code == SQLITE_OK ? SQLITE_ROW : code;
}

static int take_meaning(struct series_reader *reader, sqlite3_stmt *select)
{
    const struct meaning meaning = {.stream = sqlite3_column_int64(select, 0),
                                    .number = sqlite3_column_int64(select, 1),
                                    .series = sqlite3_column_int64(select, 2)};
    return meanings_add(&reader->meanings, &meaning) ? SQLITE_ROW : SQLITE_NOMEM;
}

/* A digest_name_fn. */
static int64_t meaning_of(const void *context, const struct report_entry *entry)
{
    const struct series_reader *reader = context;
    const struct meaning *at = meanings_find(&reader->meanings, reader->stream, entry->series);
    return at ? at->series : 0;
}

static int take_block(struct series_reader *reader, sqlite3_stmt *select)
{
    reader->stream = sqlite3_column_int64(select, 0);
    int error = digest_block(&reader->digest, sqlite3_column_blob(select, 1),
                             (size_t)sqlite3_column_bytes(select, 1), meaning_of, reader);
    return error == ENOMEM ? SQLITE_NOMEM : SQLITE_ROW;
}

static int read_series_inbox(struct series_reader *reader)
{
    int code = each_row(reader,
                        "SELECT stream, number, name.series FROM name JOIN series ON"
                        " series.id = name.series JOIN source ON source.id = series.source"
                        " WHERE path = ? ORDER BY stream, number%s",
                        "", take_meaning);
    reader->digest = (struct digest){.from_ms = INT64_MIN, .to_ms = INT64_MAX};
    if (code == SQLITE_OK)
        code = each_row(reader,
                        "WITH RECURSIVE chain(stream, id) AS (SELECT stream.id, last FROM source"
                        " JOIN stream ON stream.source = source.id WHERE path = ?1"
                        " OR substr(?1, 1, length(path) + 1) = path || '/'"
                        " UNION ALL SELECT stream, before FROM chain JOIN inbox USING(id))"
                        " SELECT stream, block FROM chain JOIN inbox USING(id)"
                        " ORDER BY stream, id%s",
                        "", take_block);
    for (size_t i = 0; i < reader->digest.n_samples; i++)
        has_time(reader, reader->digest.samples[i].series, reader->digest.samples[i].point.wall_ms);
    for (size_t i = 0; i < reader->digest.n_windows; i++)
        has_time(reader, reader->digest.windows[i].series, reader->digest.windows[i].wall_ms);
    digest_release(&reader->digest);
    return code;
}

/* Adds the time of what is kept as hours, but not as values any more. */
static void count_hours(struct found *found)
{
    if (found->first_hour_ms > found->last_hour_ms)
        return;
    if (found->words.first_ms >= found->first_hour_ms + HOUR_MS)
        found->words.first_ms = found->first_hour_ms;
    if (found->words.last_ms < found->last_hour_ms)
        found->words.last_ms = found->last_hour_ms + HOUR_MS - 1;
}

/* Moves what was found in a file into the list. */
static int keep_found(struct series_reader *reader)
{
    int code = SQLITE_OK;
    for (size_t i = 0; i < reader->n; i++) {
        struct catalog_series_list *list = reader->list;
        void *larger = extend(list->list, list->n, &list->room, sizeof *list->list);
        count_hours(&reader->found[i]);
        if (!larger) {
            release_series(&reader->found[i].words);
            code = SQLITE_NOMEM;
            continue;
        }
        list->list = larger;
        list->list[list->n] = reader->found[i].words;
        list->list[list->n].came = list->n;
        list->n++;
    }
    free(reader->found);
    meanings_release(&reader->meanings);
    reader->found = NULL;
    reader->n = reader->room = 0;
    return code;
}

/* A history_file_fn. */
static int read_series(void *context, sqlite3 *db, bool is_newest)
{
    struct series_reader *reader = context;
    reader->db = db;
    int code = each_row(reader,
                        "SELECT series.id, sensor, instance, metric, unit,"
                        " (SELECT MIN(start) FROM hour WHERE hour.series = series.id),"
                        " (SELECT MAX(start) FROM hour WHERE hour.series = series.id) " OF_NODE
                        " ORDER BY series.id%s",
                        "", take_found);
    if (code == SQLITE_OK)
        code = each_row(
            reader, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'raw_*'%s",
            "", take_day);
    if (code == SQLITE_OK && is_newest)
        code = read_series_inbox(reader);
    int kept = keep_found(reader);
    return code == SQLITE_OK ? kept : code;
}

/* A history_again_fn. */
static void forget_series(void *context)
{
    struct series_reader *reader = context;
    catalog_series_release(reader->list);
}

/* Makes one series of those in several files, and of those of several nodes that had this path in
 * turn. */
static void unite_series(struct catalog_series_list *series)
{
    size_t n = 0;
    for (size_t i = 0; i < series->n; i++) {
        struct catalog_series *at = &series->list[i];
        if (n > 0 && is_same_series(&series->list[n - 1], at)) {
            struct catalog_series *earlier = &series->list[--n];
            if (at->first_ms > earlier->first_ms)
                at->first_ms = earlier->first_ms;
            if (at->last_ms < earlier->last_ms)
                at->last_ms = earlier->last_ms;
            release_series(earlier);
        }
        series->list[n++] = *at;
    }
    series->n = n;
}

int catalog_series(struct history *history, const char *path, struct catalog_series_list *series)
{
    struct series_reader reader = {.path = path, .list = series};
    *series = (struct catalog_series_list){0};
    int error = history_each_file(history, INT64_MIN / 2, read_series, forget_series, &reader);
    if (series->n > 0)
        qsort(series->list, series->n, sizeof *series->list, order_series);
    unite_series(series);
    return error;
}
