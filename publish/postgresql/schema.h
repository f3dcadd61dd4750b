/* The tables in the schema "dcamp" of a database: they are made if they are not there yet, with a
 * partition for each day; and what is old is dropped. */
#ifndef DCAMP_PUBLISH_POSTGRESQL_SCHEMA_H
#define DCAMP_PUBLISH_POSTGRESQL_SCHEMA_H

#include "publish/postgresql/connection.h"

#define SCHEMA_VERSION 1

/* Makes the schema if there is none; EPROTO: it is of another version, or not of dCAMP. Then takes
 * the lock of this identity, so that no other process writes under it; EBUSY: another one has it,
 * even if it is ending. *publisher is the row of the identity. */
int schema_open(struct connection *connection, const char *identity, int32_t *publisher,
                char error[SINK_ERROR_SIZE]);

/* Makes the partitions of a day, which is counted since 1970, if they are not there; within a
 * transaction. */
int schema_add_day(struct connection *connection, int64_t day, char error[SINK_ERROR_SIZE]);

/* Drops what is older than a day, at most the partitions of one day. *is_more: there are others.
 * Not within a transaction. A reader who is at work on them is waited for only a second: then EIO,
 * and connection_is_lost() says whether the connection is lost, too. */
int schema_expire(struct connection *connection, int64_t day, bool *is_more,
                  char error[SINK_ERROR_SIZE]);

/* Forgets the cursors of this publisher for boots that have told nothing since that day. */
int schema_forget_cursors(struct connection *connection, int32_t publisher, int64_t day,
                          char error[SINK_ERROR_SIZE]);

#endif
