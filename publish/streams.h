/* The streams of which blocks came, and how far each was read: in memory what the tables "source"
 * and "stream" have, and of those that are read now, what their numbers mean. */
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
    int64_t id, source;        /* in their tables */
    uint32_t next, saved_next; /* block: of this transaction, and of what is committed */
    struct stream_inbox inbox, saved_inbox; /* likewise */
    int64_t *ids; /* of the blocks in it, ascending, where n_ids is their number; else nothing */
    size_t n_ids, room_ids;
    int64_t oldest_ms;          /* when the first block in it came */
    int64_t came_ms;            /* when the latest block did */
    bool is_changed, is_saved;  /* is_saved: its row is committed */
    bool has_ended;             /* it goes with this transaction */
    bool is_called, was_called; /* the source has this name and group: likewise */
    struct stream_name *names;  /* ascending; read when they are needed first */
    size_t n_names, room_names;
    struct retold retold; /* likewise, read with the names; most streams have none */
    bool has_names;
    bool relays;           /* some of its names are of series of other nodes */
    char *called;          /* room for name and group */
    struct sink_stream is; /* path and engine are in the key */
    size_t key_len;
    uint8_t key[];
};

/* A table of them, by path, engine and boot; NULL is an empty one. */
void streams_release(struct stream **streams);

/* Adds those that the file has. */
int streams_read(struct stream **streams, struct statements *sql);

/* The stream, which is made if need be, in the transaction that is under way; its source gets the
 * name and the group that it has now. */
int streams_find(struct stream **streams, struct statements *sql, const struct sink_stream *is,
                 int64_t now_ms, struct stream **stream);

/* What one of its numbers means; 0: nobody has said so. */
int64_t streams_meaning(const struct stream *stream, uint32_t number);

/* The same of an entry that was not told before: a digest_name_fn. */
int64_t streams_news(const void *stream, const struct report_entry *entry);

/* Reads the names, if they are not. */
int streams_read_names(struct stream *stream, struct statements *sql);

/* A number means something. */
int streams_name(struct stream *stream, struct statements *sql, uint32_t number,
                 const struct sink_words *words);

/* What was told before of the series that the number means is not taken again. */
int streams_begin_retold(struct stream *stream, struct statements *sql, uint32_t number,
                         int64_t now_ms);

/* The stream of that id; NULL: there is none. */
struct stream *streams_at(struct stream *streams, int64_t id);

/* Nothing is known of its numbers any more, not even in the file. */
int streams_forget_names(struct stream *stream, struct statements *sql);

/* Writes how far those that have changed were read. */
int streams_write_cursors(struct stream *streams, struct statements *sql);

/* The transaction is there to stay, or is undone. */
void streams_committed(struct stream **streams);
void streams_undone(struct stream **streams);

/* Writes all into a new file, with empty inboxes, as they are by what is committed. */
int streams_write(struct stream *streams, struct statements *sql);

/* Forgets those that have ended: of their source there is a later one, nothing came since, and
 * nothing is left in the inbox. In the transaction that is under way. */
int streams_expire(struct stream *streams, struct statements *sql, int64_t before_ms);

#endif
