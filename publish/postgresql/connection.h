/* A connection to a server of PostgreSQL, by libpq. It never waits for ever: a server of which
 * nothing is heard for the patience of the connection is given up, and so is a statement that takes
 * longer at the server. */
#ifndef DCAMP_PUBLISH_POSTGRESQL_CONNECTION_H
#define DCAMP_PUBLISH_POSTGRESQL_CONNECTION_H

#include <libpq-fe.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "publish/identity.h"
#include "publish/sink.h"

struct connection;

/* settings->location: a connection URI, or keywords and values, without a password, which is in the
 * file settings->credentials or in that of libpq (~/.pgpass). connect_timeout in it is the patience
 * in seconds, by default 10. identity is application_name of the location, or the default of
 * publish/identity.h. 0; EINVAL: the settings are wrong; ENOMEM; EIO: there is no connection. */
int connection_open(const struct outlet_sink *settings, struct connection **connection,
                    char identity[IDENTITY_SIZE], char error[SINK_ERROR_SIZE]);
void connection_close(struct connection *connection);

/* Whether it is of no use any more: it is closed, and another one is opened. */
bool connection_is_lost(const struct connection *connection);

/* The SQLSTATE of the last error of the server; "": there was none. */
const char *connection_state(const struct connection *connection);

/* One statement, or several without parameters, and the result of the last one, which the caller
 * clears; result may be NULL. 0 or EIO: error says where and why. */
int connection_query(struct connection *connection, const char *sql, int n,
                     const char *const *parameters, PGresult **result, char error[SINK_ERROR_SIZE]);

/* COPY ... FROM STDIN of so many octets. */
int connection_copy(struct connection *connection, const char *sql, const uint8_t *octets,
                    size_t len, char error[SINK_ERROR_SIZE]);

/* Says where and why, in one line. */
void connection_say(const struct connection *connection, char error[SINK_ERROR_SIZE],
                    const char *why);

#endif
