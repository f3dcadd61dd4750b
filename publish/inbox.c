#include "publish/inbox.h"

#include <errno.h>
#include <stdlib.h>

/* Fewer digested rows than this are not worth a statement. */
#define SWEEP_ROWS 1000
/* How many rows may have come after the oldest one that was not digested, beside twice as many as
 * were not digested. */
#define HINDERED_ROWS 10000

int inbox_open(struct inbox *inbox, struct statements *sql)
{
    int64_t last;
    int code = statements_find(sql, &last, "SELECT max(id) FROM inbox", "");
    if (code == SQLITE_OK)
        code = statements_find(sql, &inbox->begin, "SELECT min(id) FROM inbox", "");
    if (inbox->last < last)
        inbox->last = last;
    return code;
}

static bool has_room(struct stream *stream, size_t n)
{
    if (n <= stream->room_ids)
        return true;
    size_t room = n < 64 ? 64 : 2 * n;
    void *larger = reallocarray(stream->ids, room, sizeof *stream->ids);
    if (!larger)
        return false;
    stream->ids = larger;
    stream->room_ids = room;
    return true;
}

/* If memory runs out, the ids are left unknown here and read from the chain in the table. */
static void note_id(struct stream *stream, int64_t id)
{
    if (stream->n_ids == stream->inbox.n && has_room(stream, stream->n_ids + 1))
        stream->ids[stream->n_ids++] = id;
}

int inbox_put(struct inbox *inbox, struct stream *stream, struct statements *sql, uint32_t number,
              const uint8_t *octets, size_t len, int64_t now_ms)
{
    int64_t id = ++inbox->last;
    int code = statements_run(sql, "INSERT INTO inbox VALUES(?, ?, ?, ?, ?)", "iiiib", id,
                              stream->inbox.last, (int64_t)number, now_ms, octets, len);
    if (code != SQLITE_OK)
        return code;
    note_id(stream, id);
    stream->oldest_ms = stream->inbox.n ? stream->oldest_ms : now_ms;
    stream->inbox.octets += len;
    stream->inbox.n++;
    stream->inbox.last = id;
    stream->inbox.first = stream->inbox.first ? stream->inbox.first : id;
    stream->next = number + 1;
    stream->came_ms = now_ms;
    stream->is_changed = true;
    return SQLITE_OK;
}

/* -- Taking ---------------------------------------------------------------------------------- */

/* Finds the ids of the chain, if they are not known. */
static int follow_chain(struct stream *stream, struct statements *sql)
{
    int code = has_room(stream, stream->inbox.n) ? SQLITE_OK : SQLITE_NOMEM;
    int64_t id = stream->inbox.last;
    for (size_t i = stream->inbox.n; i-- > 0 && code == SQLITE_OK;) {
        stream->ids[i] = id;
        code = id ? statements_find(sql, &id, "SELECT before FROM inbox WHERE id = ?", "i", id)
                  : SQLITE_CORRUPT;
    }
    stream->n_ids = code == SQLITE_OK ? stream->inbox.n : 0;
    return code;
}

static int read_block(const struct stream *stream, sqlite3_stmt *select, int64_t id,
                      struct digest *digest, uint64_t *bad)
{
    int code = database_bind(select, "i", id);
    if (code == SQLITE_OK)
        code = sqlite3_step(select);
    if (code == SQLITE_ROW) {
        int error = digest_block(digest, sqlite3_column_blob(select, 0),
                                 (size_t)sqlite3_column_bytes(select, 0), streams_news, stream);
        *bad += error == EBADMSG;
        code = error == ENOMEM ? SQLITE_NOMEM : SQLITE_OK;
    }
    sqlite3_reset(select);
    return code == SQLITE_DONE ? SQLITE_CORRUPT : code;
}

static int read_blocks(struct stream *stream, struct statements *sql, struct digest *digest,
                       uint64_t *bad)
{
    sqlite3_stmt *select = statements_get(sql, "SELECT block FROM inbox WHERE id = ?");
    int code = stream->n_ids == stream->inbox.n ? SQLITE_OK : follow_chain(stream, sql);
    for (size_t i = 0; i < stream->inbox.n && code == SQLITE_OK; i++)
        code = read_block(stream, select, stream->ids[i], digest, bad);
    return code;
}

int inbox_take(struct stream *stream, struct statements *sql, struct digest *digest, uint64_t *bad)
{
    int code = streams_read_names(stream, sql);
    if (code == SQLITE_OK && stream->inbox.n > 0)
        code = read_blocks(stream, sql, digest, bad);
    if (code != SQLITE_OK)
        return code;
    stream->inbox = (struct stream_inbox){0};
    stream->n_ids = 0;
    stream->is_changed = true;
    digest_end(digest);
    return SQLITE_OK;
}

/* -- What was taken -------------------------------------------------------------------------- */

/* The stream that has the oldest of all blocks that were not digested; NULL: there are none. */
static struct stream *oldest_of(struct stream *streams, int64_t *n)
{
    struct stream *oldest = NULL;
    *n = 0;
    for (struct stream *at = streams; at; at = at->hh.next) {
        *n += (int64_t)at->inbox.n;
        if (at->inbox.n > 0 && (!oldest || at->inbox.first < oldest->inbox.first))
            oldest = at;
    }
    return oldest;
}

int inbox_sweep(struct inbox *inbox, const struct stream *streams, struct statements *sql)
{
    int64_t n;
    const struct stream *oldest = oldest_of((struct stream *)streams, &n);
    int64_t end = oldest ? oldest->inbox.first : inbox->last + 1;
    if (end - inbox->begin < (oldest ? SWEEP_ROWS : 1))
        return SQLITE_OK;
    inbox->begin = end;
    return statements_run(sql, "DELETE FROM inbox WHERE id < ?", "i", end);
}

struct stream *inbox_hinderer(const struct inbox *inbox, struct stream *streams)
{
    int64_t n;
    struct stream *oldest = oldest_of(streams, &n);
    bool hinders = oldest && inbox->last - oldest->inbox.first > 2 * n + HINDERED_ROWS;
    return hinders ? oldest : NULL;
}
