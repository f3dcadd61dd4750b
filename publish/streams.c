#include "publish/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/places.h"

/* -- The table ------------------------------------------------------------------------------- */

#define ENGINE_AT (sizeof(uint32_t) + 1)
#define KEY_MAX (ENGINE_AT + UINT8_MAX + ALARM_PATH_SIZE)

/* The key: boot, length of the engine ID, the engine ID, path. 0: there can be no such stream. */
static size_t make_key(const struct sink_stream *is, uint8_t key[KEY_MAX])
{
    size_t path = strlen(is->path), engine = is->engine_id_len;
    if (engine > UINT8_MAX || path > ALARM_PATH_SIZE)
        return 0;
    memcpy(key, &is->boot, sizeof is->boot);
    key[ENGINE_AT - 1] = (uint8_t)engine;
    if (engine > 0)
        memcpy(key + ENGINE_AT, is->engine_id, engine);
    memcpy(key + ENGINE_AT + engine, is->path, path);
    return ENGINE_AT + engine + path;
}

/* Gives the stream the name and the group that its node has now. False: no memory. */
static bool call(struct stream *stream, const struct sink_stream *is)
{
    size_t name = strlen(is->name) + 1, group = strlen(is->group) + 1;
    char *called = malloc(name + group);
    if (!called)
        return false;
    memcpy(called, is->name, name);
    memcpy(called + name, is->group, group);
    free(stream->called);
    stream->called = called;
    stream->is.name = called;
    stream->is.group = called + name;
    stream->is_called = false;
    return true;
}

/* NULL: no memory. */
static struct stream *add(struct stream **streams, const struct sink_stream *is)
{
    uint8_t key[KEY_MAX];
    size_t len = make_key(is, key);
    struct stream *stream = len ? calloc(1, sizeof *stream + len + 1) : NULL;
    if (!stream)
        return NULL;
    memcpy(stream->key, key, len);
    stream->key_len = len;
    stream->is.boot = is->boot;
    stream->is.engine_id = stream->key + ENGINE_AT;
    stream->is.engine_id_len = is->engine_id_len;
    stream->is.path = (const char *)stream->is.engine_id + is->engine_id_len;
    if (call(stream, is))
        HASH_ADD_KEYPTR(hh, *streams, stream->key, len, stream);
    if (stream->called && table_has(hh, stream))
        return stream;
    free(stream->called);
    free(stream);
    return NULL;
}

static void drop_names(struct stream *stream)
{
    free(stream->names);
    retold_release(&stream->retold);
    stream->names = NULL;
    stream->relays = false;
    stream->n_names = stream->room_names = 0;
    stream->has_names = false;
}

static void end(struct stream **streams, struct stream *stream)
{
    HASH_DEL(*streams, stream);
    drop_names(stream);
    free(stream->called);
    free(stream->ids);
    free(stream);
}

void streams_release(struct stream **streams)
{
    while (*streams)
        end(streams, *streams);
}

/* -- Reading --------------------------------------------------------------------------------- */

static const char *text_at(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? text : "";
}

static int take(struct stream **streams, sqlite3_stmt *row)
{
    const struct sink_stream is = {.boot = (uint32_t)sqlite3_column_int64(row, 2),
                                   .path = text_at(row, 5),
                                   .name = text_at(row, 6),
                                   .group = text_at(row, 7),
                                   .engine_id = sqlite3_column_blob(row, 8),
                                   .engine_id_len = (size_t)sqlite3_column_bytes(row, 8)};
    struct stream *stream = add(streams, &is);
    if (!stream)
        return SQLITE_NOMEM;
    stream->id = sqlite3_column_int64(row, 0);
    stream->source = sqlite3_column_int64(row, 1);
    stream->saved_next = stream->next = (uint32_t)sqlite3_column_int64(row, 3);
    stream->came_ms = sqlite3_column_int64(row, 4);
    stream->inbox = (struct stream_inbox){.n = (size_t)sqlite3_column_int64(row, 10),
                                          .octets = (size_t)sqlite3_column_int64(row, 11),
                                          .first = sqlite3_column_int64(row, 12),
                                          .last = sqlite3_column_int64(row, 9)};
    stream->saved_inbox = stream->inbox;
    stream->oldest_ms = sqlite3_column_int64(row, 13);
    stream->is_saved = stream->is_called = stream->was_called = true;
    return SQLITE_OK;
}

int streams_read(struct stream **streams, struct statements *sql)
{
    sqlite3_stmt *select = statements_get(
        sql,
        "WITH RECURSIVE chain(stream, id) AS (SELECT id, last FROM stream WHERE last > 0"
        " UNION ALL SELECT stream, before FROM chain JOIN inbox USING(id) WHERE before > 0)"
        " SELECT stream.id, source, boot, next, stream.came, path, source.name, node_group, engine,"
        " last, count(inbox.id), total(length(block)), min(inbox.id), min(inbox.came)"
        " FROM stream JOIN source ON source.id = source"
        " LEFT JOIN chain ON chain.stream = stream.id LEFT JOIN inbox ON inbox.id = chain.id"
        " GROUP BY stream.id ORDER BY stream.id");
    int code = select ? SQLITE_ROW : sqlite3_errcode(sql->db);
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        int taken = take(streams, select);
        code = taken == SQLITE_OK ? code : taken;
    }
    sqlite3_reset(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* -- New ones -------------------------------------------------------------------------------- */

static const char put_source[] =
    "INSERT INTO source(path, engine, name, node_group) VALUES(?, ?, ?, ?)"
    " ON CONFLICT(path, engine) DO UPDATE SET name = excluded.name,"
    " node_group = excluded.node_group RETURNING id";

static int write_source(struct stream *stream, struct statements *sql)
{
    const struct sink_stream *is = &stream->is;
    int code = statements_find(sql, &stream->source, put_source, "tbtt", is->path, is->engine_id,
                               is->engine_id_len, is->name, is->group);
    stream->is_called = code == SQLITE_OK;
    return code;
}

static int write_new(struct stream *stream, struct statements *sql, int64_t now_ms)
{
    int code = write_source(stream, sql);
    if (code == SQLITE_OK)
        code = statements_find(sql, &stream->id,
                               "INSERT INTO stream(source, boot, next, came, last)"
                               " VALUES(?, ?, 0, ?, 0)"
                               " RETURNING id",
                               "iii", stream->source, (int64_t)stream->is.boot, now_ms);
    stream->came_ms = now_ms;
    return code;
}

static bool is_called_so(const struct stream *stream, const struct sink_stream *is)
{
    return strcmp(stream->is.name, is->name) == 0 && strcmp(stream->is.group, is->group) == 0;
}

int streams_find(struct stream **streams, struct statements *sql, const struct sink_stream *is,
                 int64_t now_ms, struct stream **stream)
{
    uint8_t key[KEY_MAX];
    size_t len = make_key(is, key);
    int code = SQLITE_OK;
    HASH_FIND(hh, *streams, key, len, *stream);
    if (!*stream) {
        *stream = add(streams, is);
        return *stream ? write_new(*stream, sql, now_ms) : SQLITE_NOMEM;
    }
    if (!is_called_so(*stream, is) && !call(*stream, is))
        return SQLITE_NOMEM;
    if (!(*stream)->is_called)
        code = write_source(*stream, sql);
    return code;
}

/* -- Names ----------------------------------------------------------------------------------- */

/* The place of the first name with that number or a higher one. Numbers usually have no holes. */
static size_t place_of(const struct stream *stream, uint32_t number)
{
    size_t likely = stream->n_names > 0 ? (size_t)number - stream->names[0].number : 0;
    if (likely < stream->n_names && stream->names[likely].number == number)
        return likely;
    return places_of_number(stream->names, stream->n_names, sizeof *stream->names, number);
}

int64_t streams_meaning(const struct stream *stream, uint32_t number)
{
    size_t place = place_of(stream, number);
    bool found = place < stream->n_names && stream->names[place].number == number;
    return found ? stream->names[place].series : 0;
}

int64_t streams_news(const void *context, const struct report_entry *entry)
{
    const struct stream *stream = context;
    return retold_has(&stream->retold, entry) ? DIGEST_TOLD
                                              : streams_meaning(stream, entry->series);
}

int streams_begin_retold(struct stream *stream, struct statements *sql, uint32_t number,
                         int64_t now_ms)
{
    return retold_begin(&stream->retold, sql, stream->id, number, streams_meaning(stream, number),
                        now_ms);
}

struct stream *streams_at(struct stream *streams, int64_t id)
{
    while (streams && streams->id != id)
        streams = streams->hh.next;
    return streams;
}

static int insert_name(struct stream *stream, uint32_t number, int64_t series)
{
    size_t place = place_of(stream, number);
    if (stream->n_names == stream->room_names) {
        size_t room = stream->room_names ? 2 * stream->room_names : 16;
        void *larger = reallocarray(stream->names, room, sizeof *stream->names);
        if (!larger)
            return SQLITE_NOMEM;
        stream->names = larger;
        stream->room_names = room;
    }
    memmove(stream->names + place + 1, stream->names + place,
            (stream->n_names - place) * sizeof *stream->names);
    stream->names[place] = (struct stream_name){number, series};
    stream->n_names++;
    return SQLITE_OK;
}

static int find_relays(struct stream *stream, struct statements *sql)
{
    int64_t any;
    int code = statements_find(sql, &any,
                               "SELECT EXISTS(SELECT 1 FROM name JOIN series ON id = name.series"
                               " WHERE stream = ? AND source <> ?)",
                               "ii", stream->id, stream->source);
    stream->relays = any;
    return code;
}

int streams_read_names(struct stream *stream, struct statements *sql)
{
    if (stream->has_names)
        return SQLITE_OK;
    sqlite3_stmt *select =
        statements_get(sql, "SELECT number, series FROM name WHERE stream = ? ORDER BY number");
    int code = database_bind(select, "i", stream->id);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = insert_name(stream, (uint32_t)sqlite3_column_int64(select, 0),
                           sqlite3_column_int64(select, 1));
    sqlite3_reset(select);
    if (code == SQLITE_DONE)
        code = retold_read(&stream->retold, sql, stream->id);
    if (code == SQLITE_OK)
        code = find_relays(stream, sql);
    stream->has_names = code == SQLITE_OK;
    if (!stream->has_names)
        drop_names(stream);
    return code;
}

/* The node that a series is of: that of the stream, or the one below it that the words name. */
static int source_of(const struct stream *stream, struct statements *sql,
                     const struct sink_words *words, int64_t *source)
{
    char path[2 * ALARM_PATH_SIZE];
    const char *above = stream->is.path;
    *source = stream->source;
    if (!words->path[0])
        return SQLITE_OK;
    text_format(path, sizeof path, "%s%s%s", above, above[0] ? "/" : "", words->path);
    const char *slash = strrchr(path, '/');
    return statements_find(sql, source, put_source, "tbtt", path, (const uint8_t *)"", (size_t)0,
                           slash ? slash + 1 : path, "");
}

int streams_name(struct stream *stream, struct statements *sql, uint32_t number,
                 const struct sink_words *words)
{
    int64_t series, source;
    int code = source_of(stream, sql, words, &source);
    if (code != SQLITE_OK)
        return code;
    code = statements_find(
        sql, &series,
        "INSERT INTO series(source, sensor, instance, metric, unit) VALUES(?, ?, ?, ?, ?)"
        " ON CONFLICT(source, sensor, instance) DO UPDATE SET metric = excluded.metric,"
        " unit = excluded.unit RETURNING id",
        "itttt", source, words->sensor, words->instance, words->metric, words->unit);
    if (code == SQLITE_OK)
        code = statements_run(sql, "INSERT OR REPLACE INTO name VALUES(?, ?, ?)", "iii", stream->id,
                              (int64_t)number, series);
    stream->relays |= source != stream->source;
    return code == SQLITE_OK ? insert_name(stream, number, series) : code;
}

int streams_forget_names(struct stream *stream, struct statements *sql)
{
    drop_names(stream);
    int code = retold_forget(sql, stream->id);
    if (code != SQLITE_OK)
        return code;
    return statements_run(sql, "DELETE FROM name WHERE stream = ?", "i", stream->id);
}

/* -- Transactions ---------------------------------------------------------------------------- */

int streams_write_cursors(struct stream *streams, struct statements *sql)
{
    int code = SQLITE_OK;
    for (struct stream *at = streams; at && code == SQLITE_OK; at = at->hh.next)
        if (at->is_changed)
            code = statements_run(sql,
                                  "UPDATE stream SET next = ?2, came = ?3, last = ?4 WHERE id = ?1",
                                  "iiii", at->id, (int64_t)at->next, at->came_ms, at->inbox.last);
    return code;
}

void streams_committed(struct stream **streams)
{
    struct stream *at, *next;
    HASH_ITER(hh, *streams, at, next)
    {
        at->saved_next = at->next;
        at->saved_inbox = at->inbox;
        at->is_changed = false;
        at->is_saved = true;
        at->was_called = at->is_called;
        if (at->has_ended)
            end(streams, at);
    }
}

/* Names that were told in the transaction are forgotten with the others, which are read again. */
void streams_undone(struct stream **streams)
{
    struct stream *at, *next;
    HASH_ITER(hh, *streams, at, next)
    {
        at->next = at->saved_next;
        at->inbox = at->saved_inbox;
        at->n_ids = 0;
        at->is_changed = at->has_ended = false;
        at->is_called = at->is_called && at->was_called;
        drop_names(at);
        if (!at->is_saved)
            end(streams, at);
    }
}

int streams_write(struct stream *streams, struct statements *sql)
{
    int code = SQLITE_OK;
    for (struct stream *at = streams; at && code == SQLITE_OK; at = at->hh.next) {
        const struct sink_stream *is = &at->is;
        at->next = at->saved_next;
        at->inbox = at->saved_inbox = (struct stream_inbox){0};
        at->n_ids = 0;
        code = statements_run(sql, "INSERT OR REPLACE INTO source VALUES(?, ?, ?, ?, ?)", "itbtt",
                              at->source, is->path, is->engine_id, is->engine_id_len, is->name,
                              is->group);
        if (code == SQLITE_OK)
            code =
                statements_run(sql, "INSERT INTO stream VALUES(?, ?, ?, ?, ?, 0)", "iiiii", at->id,
                               at->source, (int64_t)is->boot, (int64_t)at->next, at->came_ms);
    }
    return code;
}

/* Whether the source has another stream, which was begun later. */
static bool has_successor(const struct stream *streams, const struct stream *stream)
{
    for (const struct stream *at = streams; at; at = at->hh.next)
        if (at->source == stream->source && at->id > stream->id)
            return true;
    return false;
}

static int forget(struct stream *stream, struct statements *sql)
{
    int code = streams_forget_names(stream, sql);
    if (code == SQLITE_OK)
        code = statements_run(sql, "DELETE FROM stream WHERE id = ?", "i", stream->id);
    return code;
}

int streams_expire(struct stream *streams, struct statements *sql, int64_t before_ms)
{
    int code = SQLITE_OK;
    for (struct stream *at = streams; at && code == SQLITE_OK; at = at->hh.next) {
        if (at->came_ms >= before_ms || at->inbox.n > 0 || !has_successor(streams, at))
            continue;
        at->has_ended = true;
        code = forget(at, sql);
    }
    return code;
}
