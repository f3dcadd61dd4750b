/* Blocks as they came, until they are digested: those of all streams are in one table, in the order
 * in which they came; those of each stream are a chain. */
#ifndef DCAMP_PUBLISH_INBOX_H
#define DCAMP_PUBLISH_INBOX_H

#include "publish/digest.h"
#include "publish/streams.h"

/* The ids of the table. */
struct inbox {
    int64_t last;  /* was given last */
    int64_t begin; /* below it there is none */
};

/* Of a file that was opened, in which the streams go on. */
int inbox_open(struct inbox *inbox, struct statements *sql);

/* Each works in the transaction of the caller, and returns SQLITE_OK or what SQLite says;
 * SQLITE_NOMEM is also said where there is no memory here. */

/* Puts a block in, and moves the cursor behind it. */
int inbox_put(struct inbox *inbox, struct stream *stream, struct statements *sql, uint32_t number,
              const uint8_t *octets, size_t len, int64_t now_ms);

/* Ends the chain of a stream and adds what they say to the digest, which is sorted then; *bad: so
 * many are none. */
int inbox_take(struct stream *stream, struct statements *sql, struct digest *digest, uint64_t *bad);

/* Removes what was digested from the beginning of the table, once it is worth it. */
int inbox_sweep(struct inbox *inbox, const struct stream *streams, struct statements *sql);

/* A stream whose oldest block keeps much from being removed that came later, and was digested.
 * NULL: there is none. */
struct stream *inbox_hinderer(const struct inbox *inbox, struct stream *streams);

#endif
