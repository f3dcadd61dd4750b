/* A connection to a server of PostgreSQL, by libpq. It never waits for ever: a server from which
 * nothing is heard for as long as the patience of the connection is given up, and so is a statement
 * that takes longer at the server. */
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

/* Whether it is of no use any more: it has to be closed, and another one opened. */
bool connection_is_lost(const struct connection *connection);

/* The SQLSTATE of the last error of the server; "": there was none. */
const char *connection_state(const struct connection *connection);

/* Runs one statement, or several without parameters. The caller clears the result, which is that of
 * the last one; result may be NULL. 0 or EIO: error says where and why. */
int connection_query(struct connection *connection, const char *sql, int n,
                     const char *const *parameters, PGresult **result, char error[SINK_ERROR_SIZE]);

/* Runs COPY ... FROM STDIN with these octets. */
int connection_copy(struct connection *connection, const char *sql, const uint8_t *octets,
                    size_t len, char error[SINK_ERROR_SIZE]);

/* Writes where and why into error, in one line. */
void connection_say(const struct connection *connection, char error[SINK_ERROR_SIZE],
                    const char *why);

#endif
