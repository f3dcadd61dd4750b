/* The numbers that nodes and series have in the database; each is asked for only while it is not
 * known. */
#ifndef DCAMP_PUBLISH_POSTGRESQL_NAMES_H
#define DCAMP_PUBLISH_POSTGRESQL_NAMES_H

#include "publish/postgresql/connection.h"
#include "publish/postgresql/known.h"

/* How many nodes and series, together, are known at a time: some 64 MB. */
#define NAMES_KNOWN_MAX ((size_t)1 << 18)

/* The node of a stream of this publisher, and a series of it. What is not there is added, within a
 * transaction. 0; ENOMEM, EIO. */
int names_node(struct known *known, struct connection *connection, int32_t publisher,
               const struct sink_stream *stream, int32_t *node, char error[SINK_ERROR_SIZE]);
int names_series(struct known *known, struct connection *connection, int32_t node,
                 const struct sink_words *words, int32_t *series, char error[SINK_ERROR_SIZE]);

#endif
