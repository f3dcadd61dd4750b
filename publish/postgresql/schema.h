/* The tables in the schema "dcamp" of a database: made where they are not there yet, with a
 * partition a day, and what is old dropped. */
#ifndef DCAMP_PUBLISH_POSTGRESQL_SCHEMA_H
#define DCAMP_PUBLISH_POSTGRESQL_SCHEMA_H

#include "publish/postgresql/connection.h"

#define SCHEMA_VERSION 1

/* Makes the schema if there is none; EPROTO: it is of another version, or not of dCAMP. Then it
 * takes the lock of this identity, so that no other process writes under it, also one that is
 * ending: EBUSY. *publisher is the row of the identity. */
int schema_open(struct connection *connection, const char *identity, int32_t *publisher,
                char error[SINK_ERROR_SIZE]);

/* Within a transaction: a day, since 1970, has its partitions from now on. */
int schema_add_day(struct connection *connection, int64_t day, char error[SINK_ERROR_SIZE]);

/* Drops what is older than a day, at most the partitions of one day. *is_more: there are others.
 * Outside of a transaction. A reader that is at work on them is not waited for longer than a
 * second: EIO, and connection_is_lost() says whether that is all. */
int schema_expire(struct connection *connection, int64_t day, bool *is_more,
                  char error[SINK_ERROR_SIZE]);

/* Forgets the cursors of this publisher of boots that told nothing since that day. */
int schema_forget_cursors(struct connection *connection, int32_t publisher, int64_t day,
                          char error[SINK_ERROR_SIZE]);

#endif
