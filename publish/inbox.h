/* Blocks as they came, until they are digested: the blocks of all streams are in one table, in the
 * order in which they came, and those of each stream are a chain. */
#ifndef DCAMP_PUBLISH_INBOX_H
#define DCAMP_PUBLISH_INBOX_H

#include "publish/digest.h"
#include "publish/streams.h"

/* The ids of the table. */
struct inbox {
    int64_t last;  /* the one that was given last */
    int64_t begin; /* there are none below it */
};

/* Reads the ids of a file that was opened, in which the streams go on. */
int inbox_open(struct inbox *inbox, struct statements *sql);

/* These work in the transaction of the caller, and return SQLITE_OK or an error of SQLite;
 * SQLITE_NOMEM also means that there is no memory here. */

/* Adds a block, and moves the cursor of the stream behind it. */
int inbox_put(struct inbox *inbox, struct stream *stream, struct statements *sql, uint32_t number,
              const uint8_t *octets, size_t len, int64_t now_ms);

/* Ends the chain of a stream and adds what its blocks say to the digest, which is sorted then. *bad
 * grows by the number of blocks that are not valid. */
int inbox_take(struct stream *stream, struct statements *sql, struct digest *digest, uint64_t *bad);

/* Removes digested blocks from the beginning of the table, once there are enough of them. */
int inbox_sweep(struct inbox *inbox, const struct stream *streams, struct statements *sql);

/* A stream whose oldest block keeps many later blocks, which were digested, from being removed.
 * NULL: there is none. */
struct stream *inbox_hinderer(const struct inbox *inbox, struct stream *streams);

#endif
