#include "publish/follow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "publish/database.h"
#include "publish/history.h"
#include "report/report.h"

/* The keys of tables are texts with a NUL behind each, one after the other. */
#define KEY_SIZE (ALARM_PATH_SIZE + NAME_SIZE + INSTANCE_SIZE)

struct node {
    struct follow_node node; /* its texts are behind this struct */
    size_t place;
    UT_hash_handle hh; /* by path */
};

struct series {
    struct follow_series series;
    size_t place, key_len;
    UT_hash_handle hh; /* by the key */
    char key[];        /* path, sensor, instance; metric and unit behind it */
};

/* A number in the blocks of a stream of a file, and what it stands for. */
struct number {
    struct number_key {
        int64_t stream;
        uint32_t file, number;
    } key;
    struct series *series;
    UT_hash_handle hh;
};

/* How far a stream of a file was read. */
struct cursor {
    struct cursor_key {
        int64_t stream, file;
    } key;
    int64_t next;
    UT_hash_handle hh;
};

struct follow {
    struct node *by_path, **nodes;
    struct series *by_key, **series;
    size_t n_nodes, room_nodes, n_series, room_series;
    struct number *numbers;
    struct cursor *cursors;
    uint64_t alarms;
    bool has_begun;
};

/* One step, and the file that it reads. */
struct step {
    struct follow *follow;
    int64_t now_ms;
    follow_point_fn *each;
    void *context;
    sqlite3 *db;
    sqlite3_stmt *name; /* what a number of a stream means */
    uint32_t file;      /* the month, as a number */
    int64_t stream;
    int code; /* of SQLite */
};

/* -- Nodes and series ------------------------------------------------------------------------ */

/* Makes room for one more. NULL: no memory. */
static void *extend(void *list, size_t n, size_t *room)
{
    if (list && n < *room)
        return list;
    size_t larger = *room ? 2 * *room : 64;
    list = reallocarray(list, larger, sizeof(void *));
    if (list)
        *room = larger;
    return list;
}

static const char *column(sqlite3_stmt *select, int place)
{
    const char *text = (const char *)sqlite3_column_text(select, place);
    return text ? text : "";
}

/* A copy of up to four texts, one after the other, behind `before` octets. */
static void *copy_texts(size_t before, const char *const *texts, size_t n, const char **copies)
{
    size_t size = before;
    for (size_t i = 0; i < n; i++)
        size += strlen(texts[i]) + 1;
    char *memory = calloc(1, size), *at = memory ? memory + before : NULL;
    for (size_t i = 0; memory && i < n; i++) {
        size_t len = strlen(texts[i]) + 1;
        memcpy(at, texts[i], len);
        copies[i] = at;
        at += len;
    }
    return memory;
}

/* NULL: no memory. */
static struct node *add_node(struct follow *follow, const char *const texts[3])
{
    const char *copies[3];
    void *list = extend(follow->nodes, follow->n_nodes, &follow->room_nodes);
    struct node *node = list ? copy_texts(sizeof *node, texts, 3, copies) : NULL;
    if (list)
        follow->nodes = list;
    if (!node)
        return NULL;
    node->node = (struct follow_node){.path = copies[0], .name = copies[1], .group = copies[2]};
    node->place = follow->n_nodes;
    HASH_ADD_KEYPTR(hh, follow->by_path, node->node.path, strlen(node->node.path), node);
    if (!table_has(hh, node)) {
        free(node);
        return NULL;
    }
    follow->nodes[follow->n_nodes++] = node;
    return node;
}

/* The node of a row with path, name and group from a column on. */
static struct node *node_of(struct follow *follow, sqlite3_stmt *select, int from)
{
    const char *const texts[] = {column(select, from), column(select, from + 1),
                                 column(select, from + 2)};
    struct node *node;
    HASH_FIND(hh, follow->by_path, texts[0], strlen(texts[0]), node);
    return node ? node : add_node(follow, texts);
}

static size_t write_key(char key[KEY_SIZE], const char *const texts[3])
{
    size_t len = 0;
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(texts[i]) + 1;
        if (size > KEY_SIZE - len)
            return 0;
        memcpy(key + len, texts[i], size);
        len += size;
    }
    return len;
}

static struct series *find_series(const struct follow *follow, const char *const texts[3])
{
    char key[KEY_SIZE];
    size_t len = write_key(key, texts);
    struct series *series = NULL;
    if (len > 0)
        HASH_FIND(hh, follow->by_key, key, len, series);
    return series;
}

/* NULL: no memory. */
static struct series *add_series(struct follow *follow, const struct node *node,
                                 const char *const texts[5])
{
    const char *copies[5];
    void *list = extend(follow->series, follow->n_series, &follow->room_series);
    struct series *series =
        list ? copy_texts(offsetof(struct series, key), texts, 5, copies) : NULL;
    if (list)
        follow->series = list;
    if (!series)
        return NULL;
    series->series = (struct follow_series){.node = &node->node,
                                            .sensor = copies[1],
                                            .instance = copies[2],
                                            .metric = copies[3],
                                            .unit = copies[4]};
    series->series.latest.wall_ms = INT64_MIN;
    series->key_len = (size_t)(copies[3] - copies[0]);
    series->place = follow->n_series;
    HASH_ADD_KEYPTR(hh, follow->by_key, series->key, series->key_len, series);
    if (!table_has(hh, series)) {
        free(series);
        return NULL;
    }
    follow->series[follow->n_series++] = series;
    return series;
}

/* The series of a row with the node's path, name and group, and sensor, instance, metric and unit
 * from a column on. */
static struct series *series_of(struct follow *follow, sqlite3_stmt *select, int from)
{
    const char *const texts[] = {column(select, from), column(select, from + 3),
                                 column(select, from + 4), column(select, from + 5),
                                 column(select, from + 6)};
    struct series *series = find_series(follow, texts);
    struct node *node = series ? NULL : node_of(follow, select, from);
    return series || !node ? series : add_series(follow, node, texts);
}

/* -- Points ---------------------------------------------------------------------------------- */

static void take_point(struct step *step, struct series *series, const struct point *point)
{
    if (point->wall_ms <= series->series.latest.wall_ms)
        return;
    series->series.latest = *point;
    if (step->each && step->follow->has_begun)
        step->each(step->context, series->place, point);
}

/* What a number of the stream stands for. NULL: it is not known, or step->code says why not. */
static struct series *named(struct step *step, uint32_t number)
{
    struct follow *follow = step->follow;
    struct number_key key = {.stream = step->stream, .file = step->file, .number = number};
    struct number *known;
    HASH_FIND(hh, follow->numbers, &key, sizeof key, known);
    if (known)
        return known->series;
    struct series *series = NULL;
    int code = database_bind(step->name, "ii", step->stream, (int64_t)number);
    if (code == SQLITE_OK && (code = sqlite3_step(step->name)) == SQLITE_ROW)
        series = series_of(follow, step->name, 0);
    sqlite3_reset(step->name);
    known = series ? calloc(1, sizeof *known) : NULL;
    if (known) {
        known->key = key;
        known->series = series;
        HASH_ADD(hh, follow->numbers, key, sizeof known->key, known);
        if (!table_has(hh, known)) {
            free(known);
            known = NULL;
        }
    }
    if (code == SQLITE_ROW && !known)
        step->code = SQLITE_NOMEM;
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        step->code = code;
    return known ? series : NULL;
}

/* A report_entry_fn. */
static int take_entry(void *context, const struct report_entry *entry)
{
    struct step *step = context;
    if (entry->kind == REPORT_ALARM || entry->kind == REPORT_ALARM_CLEARED)
        step->follow->alarms++;
    if (entry->kind != REPORT_VALUE)
        return 0;
    const struct point point = {.wall_ms = entry->wall_ms, .result = entry->result};
    struct series *series = named(step, entry->series);
    if (series)
        take_point(step, series, &point);
    return step->code != SQLITE_OK;
}

/* -- Streams --------------------------------------------------------------------------------- */

/* NULL: no memory. */
static struct cursor *cursor_of(struct follow *follow, const struct cursor_key *key)
{
    struct cursor *cursor;
    HASH_FIND(hh, follow->cursors, key, sizeof *key, cursor);
    if (cursor)
        return cursor;
    cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return NULL;
    cursor->key = *key;
    HASH_ADD(hh, follow->cursors, key, sizeof cursor->key, cursor);
    if (table_has(hh, cursor))
        return cursor;
    free(cursor);
    return NULL;
}

static void forget_numbers(struct step *step)
{
    struct number *number, *next;
    HASH_ITER(hh, step->follow->numbers, number, next)
    {
        if (number->key.stream != step->stream || number->key.file != step->file)
            continue;
        HASH_DEL(step->follow->numbers, number);
        free(number);
    }
}

/* Reads the blocks of the stream that have come since it was last read. A block that is not valid
 * was counted by the writer. */
static int read_blocks(struct step *step, struct cursor *cursor, sqlite3_stmt *blocks)
{
    int code = database_bind(blocks, "ii", step->stream, cursor->next);
    while (code == SQLITE_OK && (code = sqlite3_step(blocks)) == SQLITE_ROW) {
        struct report_header header;
        const char *why;
        int error =
            report_decode(sqlite3_column_blob(blocks, 1), (size_t)sqlite3_column_bytes(blocks, 1),
                          &header, take_entry, step, &why);
        code = error == ENOMEM ? SQLITE_NOMEM : step->code;
        if (code == SQLITE_OK)
            cursor->next = sqlite3_column_int64(blocks, 0) + 1;
    }
    sqlite3_reset(blocks);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int read_stream(struct step *step, sqlite3_stmt *streams, sqlite3_stmt *blocks)
{
    step->stream = sqlite3_column_int64(streams, 0);
    const struct cursor_key key = {.stream = step->stream, .file = step->file};
    int64_t next = sqlite3_column_int64(streams, 1), came_ms = sqlite3_column_int64(streams, 2);
    struct node *node = node_of(step->follow, streams, 3);
    struct cursor *cursor = node ? cursor_of(step->follow, &key) : NULL;
    if (!cursor)
        return SQLITE_NOMEM;
    if (node->node.came_ms < came_ms)
        node->node.came_ms = came_ms;
    if (cursor->next > next) { /* the node has begun to count anew */
        cursor->next = 0;
        forget_numbers(step);
    }
    return cursor->next < next ? read_blocks(step, cursor, blocks) : SQLITE_OK;
}

static int read_streams(struct step *step)
{
    sqlite3_stmt *streams =
        database_prepare(step->db,
                         "SELECT s.id, s.next, s.came, o.path, o.name, o.node_group FROM stream s"
                         " JOIN source o ON o.id = s.source%s",
                         "");
    sqlite3_stmt *blocks =
        database_prepare(step->db,
                         "WITH RECURSIVE chain(id, next) AS (SELECT inbox.id, before FROM inbox"
                         " JOIN stream ON inbox.id = last WHERE stream.id = ?1"
                         " UNION ALL SELECT inbox.id, before FROM chain"
                         " JOIN inbox ON inbox.id = chain.next WHERE number >= ?2)"
                         " SELECT number, block FROM chain JOIN inbox USING(id)"
                         " WHERE number >= ?2 ORDER BY id%s",
                         "");
    step->name = database_prepare(
        step->db,
        "SELECT o.path, o.name, o.node_group, r.sensor, r.instance, r.metric, r.unit"
        " FROM name n JOIN series r ON r.id = n.series JOIN source o ON o.id = r.source"
        " WHERE n.stream = ? AND n.number = ?%s",
        "");
    int code = streams && blocks && step->name ? SQLITE_ROW : sqlite3_errcode(step->db);
    while (code == SQLITE_ROW && (code = sqlite3_step(streams)) == SQLITE_ROW) {
        int read = read_stream(step, streams, blocks);
        code = read == SQLITE_OK ? SQLITE_ROW : read;
    }
    sqlite3_finalize(streams);
    sqlite3_finalize(blocks);
    sqlite3_finalize(step->name);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* -- The first step -------------------------------------------------------------------------- */

static int take_chunk(struct step *step, sqlite3_stmt *chunks)
{
    struct point points[POINTS_MAX];
    size_t n;
    struct series *series = series_of(step->follow, chunks, 1);
    if (!series)
        return SQLITE_NOMEM;
    if (points_unpack(sqlite3_column_blob(chunks, 0), (size_t)sqlite3_column_bytes(chunks, 0),
                      points, &n))
        return SQLITE_ROW; /* who asks for its values gets an error */
    for (size_t i = 0; i < n; i++)
        take_point(step, series, &points[i]);
    return SQLITE_ROW;
}

/* Reads the newest chunk of each series of a day. */
static int read_day(struct step *step, int64_t day_ms)
{
    char day[DATABASE_NAME_SIZE];
    database_day_name(day_ms, day);
    sqlite3_stmt *chunks = database_prepare(
        step->db,
        "SELECT c.points, o.path, o.name, o.node_group, r.sensor, r.instance, r.metric, r.unit"
        " FROM (SELECT series, max(start), points FROM %s GROUP BY series) c"
        " JOIN series r ON r.id = c.series JOIN source o ON o.id = r.source",
        day);
    if (!chunks) /* there is no such day */
        return sqlite3_errcode(step->db) == SQLITE_NOMEM ? SQLITE_NOMEM : SQLITE_OK;
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(chunks)) == SQLITE_ROW)
        code = take_chunk(step, chunks);
    sqlite3_finalize(chunks);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* -- All -------------------------------------------------------------------------------------- */

/* A history_file_fn. */
static int read_file(void *context, sqlite3 *db, bool is_newest)
{
    struct step *step = context;
    step->db = db;
    step->file = database_month(db);
    step->code = SQLITE_OK;
    int code = SQLITE_OK;
    if (!step->follow->has_begun)
        code = read_day(step, step->now_ms - DAY_MS);
    if (!step->follow->has_begun && code == SQLITE_OK)
        code = read_day(step, step->now_ms);
    return code == SQLITE_OK && is_newest ? read_streams(step) : code;
}

/* A history_again_fn. What was taken counts; after this, the rest is read. */
static void go_on(void *context)
{
    (void)context;
}

int follow_step(struct follow *follow, struct history *history, int64_t now_ms,
                follow_point_fn *each, void *context)
{
    struct step step = {.follow = follow, .now_ms = now_ms, .each = each, .context = context};
    int error = history_each_file(history, now_ms - DAY_MS, read_file, go_on, &step);
    follow->has_begun |= !error;
    return error;
}

struct follow *follow_open(void)
{
    return calloc(1, sizeof(struct follow));
}

void follow_close(struct follow *follow)
{
    struct number *number, *next_number;
    struct cursor *cursor, *next_cursor;
    if (!follow)
        return;
    HASH_ITER(hh, follow->numbers, number, next_number)
    {
        HASH_DEL(follow->numbers, number);
        free(number);
    }
    HASH_ITER(hh, follow->cursors, cursor, next_cursor)
    {
        HASH_DEL(follow->cursors, cursor);
        free(cursor);
    }
    HASH_CLEAR(hh, follow->by_key);
    HASH_CLEAR(hh, follow->by_path);
    for (size_t i = 0; i < follow->n_series; i++)
        free(follow->series[i]);
    for (size_t i = 0; i < follow->n_nodes; i++)
        free(follow->nodes[i]);
    free(follow->series);
    free(follow->nodes);
    free(follow);
}

size_t follow_n_nodes(const struct follow *follow)
{
    return follow->n_nodes;
}

const struct follow_node *follow_node(const struct follow *follow, size_t place)
{
    return &follow->nodes[place]->node;
}

size_t follow_n_series(const struct follow *follow)
{
    return follow->n_series;
}

const struct follow_series *follow_series(const struct follow *follow, size_t place)
{
    return &follow->series[place]->series;
}

size_t follow_find(const struct follow *follow, const char *path, const char *sensor,
                   const char *instance)
{
    const char *const texts[] = {path, sensor, instance};
    const struct series *series = find_series(follow, texts);
    return series ? series->place : SIZE_MAX;
}

uint64_t follow_alarms(const struct follow *follow)
{
    return follow->alarms;
}
