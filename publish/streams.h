/* The streams of which blocks came, and how far each was read: what the tables "source" and
 * "stream" have is kept in memory, and for streams that are being read, also what their numbers
 * mean. */
#ifndef DCAMP_PUBLISH_STREAMS_H
#define DCAMP_PUBLISH_STREAMS_H

#include "base/table.h"
#include "publish/database.h"
#include "publish/retold.h"
#include "publish/sink.h"

struct stream_name {
    uint32_t number;
    int64_t series;
};

/* Its chain in the inbox. */
struct stream_inbox {
    size_t n, octets;
    int64_t first, last; /* ids; 0: there is none */
};

struct stream {
    UT_hash_handle hh;
    int64_t id, source;                     /* in their tables */
    uint32_t next, saved_next;              /* block: in this transaction, and as it is committed */
    struct stream_inbox inbox, saved_inbox; /* likewise */
    int64_t *ids; /* of its blocks in the inbox, ascending; complete if n_ids is their number */
    size_t n_ids, room_ids;
    int64_t oldest_ms;          /* when the first block in the inbox came */
    int64_t came_ms;            /* when the latest block came */
    bool is_changed, is_saved;  /* is_saved: its row is committed */
    bool has_ended;             /* it is removed with this transaction */
    bool is_called, was_called; /* the source has this name and group: now, as committed */
    struct stream_name *names;  /* ascending; read when they are first needed */
    size_t n_names, room_names;
    struct retold retold; /* likewise, read with the names; most streams have none */
    bool has_names;
    bool relays;           /* some of its names are of series of other nodes */
    char *called;          /* room for name and group */
    struct sink_stream is; /* path and engine are in the key */
    size_t key_len;
    uint8_t key[];
};

/* The streams are a table, by path, engine and boot; NULL is an empty one. */
void streams_release(struct stream **streams);

/* Adds the streams that the file has. */
int streams_read(struct stream **streams, struct statements *sql);

/* Finds the stream, or makes it, in the transaction that is under way; its source gets the name and
 * the group that it has now. */
int streams_find(struct stream **streams, struct statements *sql, const struct sink_stream *is,
                 int64_t now_ms, struct stream **stream);

/* The series that one of its numbers means; 0: that is not known. */
int64_t streams_meaning(const struct stream *stream, uint32_t number);

/* The same for an entry, unless it was told before: a digest_name_fn. */
int64_t streams_news(const void *stream, const struct report_entry *entry);

/* Reads the names, unless they have been read. */
int streams_read_names(struct stream *stream, struct statements *sql);

/* Notes what a number means. */
int streams_name(struct stream *stream, struct statements *sql, uint32_t number,
                 const struct sink_words *words);

/* What was told before of the series that the number means is not taken again from now on. */
int streams_begin_retold(struct stream *stream, struct statements *sql, uint32_t number,
                         int64_t now_ms);

/* The stream of that id; NULL: there is none. */
struct stream *streams_at(struct stream *streams, int64_t id);

/* Forgets what its numbers mean, in the file, too. */
int streams_forget_names(struct stream *stream, struct statements *sql);

/* Writes how far the streams that have changed were read. */
int streams_write_cursors(struct stream *streams, struct statements *sql);

/* The transaction was committed, or undone. */
void streams_committed(struct stream **streams);
void streams_undone(struct stream **streams);

/* Writes all streams into a new file, as they are committed, with empty inboxes. */
int streams_write(struct stream *streams, struct statements *sql);

/* Forgets the streams that have ended, in the transaction that is under way: their source has a
 * later one, nothing has come since before_ms, and nothing is left in the inbox. */
int streams_expire(struct stream *streams, struct statements *sql, int64_t before_ms);

#endif
