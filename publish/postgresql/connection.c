#include "publish/postgresql/connection.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/credentials.h"
#include "base/text.h"

#define PATIENCE_S 10
#define PATIENCE_MAX_S 3600
#define CHUNK (64 << 10) /* of COPY, a message of the protocol */

struct connection {
    PGconn *pg;
    int patience_ms;
    bool is_lost;
    char state[8]; /* SQLSTATE of the last error of the server */
    char where[SINK_ERROR_SIZE];
};

/* -- Errors ---------------------------------------------------------------------------------- */

/* What libpq and servers say may have several lines, of which the first says most. */
void connection_say(const struct connection *connection, char error[SINK_ERROR_SIZE],
                    const char *why)
{
    text_format(error, SINK_ERROR_SIZE, "%s: %.*s", connection->where, (int)strcspn(why, "\n"),
                why);
    text_clean(error, SINK_ERROR_SIZE, '?');
}

static int lose(struct connection *connection, char error[SINK_ERROR_SIZE], const char *why)
{
    connection->is_lost = true;
    connection_say(connection, error, why);
    return EIO;
}

/* Leaves out what the server calls detail or context, since it has values of rows. */
static int refuse(struct connection *connection, const PGresult *result,
                  char error[SINK_ERROR_SIZE])
{
    const char *primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    char why[SINK_ERROR_SIZE];
    text_format(connection->state, sizeof connection->state, "%s", state ? state : "");
    if (PQstatus(connection->pg) != CONNECTION_OK)
        return lose(connection, error, primary ? primary : PQerrorMessage(connection->pg));
    text_format(why, sizeof why, "%s%s%s", state ? state : "", state ? ": " : "",
                primary ? primary : PQerrorMessage(connection->pg));
    connection_say(connection, error, why);
    return EIO;
}

/* -- Parameters of the connection ------------------------------------------------------------ */

#define PARAMETERS_MAX 64

struct parameters {
    const char *keys[PARAMETERS_MAX + 1], *values[PARAMETERS_MAX + 1];
    int n;
};

/* If a key is there twice, the later value is taken. */
static void add(struct parameters *parameters, const char *key, const char *value)
{
    if (parameters->n < PARAMETERS_MAX) {
        parameters->keys[parameters->n] = key;
        parameters->values[parameters->n++] = value;
    }
}

static void add_defaults(struct parameters *parameters, const char *identity, const char *patience)
{
    add(parameters, "application_name", identity);
    add(parameters, "connect_timeout", patience);
    add(parameters, "tcp_user_timeout", "10000");
    add(parameters, "keepalives_idle", "10");
    add(parameters, "keepalives_interval", "5");
    add(parameters, "keepalives_count", "3");
    add(parameters, "target_session_attrs", "read-write");
}

static const char *option(const PQconninfoOption *options, const char *key)
{
    for (; options->keyword; options++)
        if (strcmp(options->keyword, key) == 0 && options->val && *options->val)
            return options->val;
    return NULL;
}

static int patience_of(const PQconninfoOption *options, char error[SINK_ERROR_SIZE])
{
    const char *text = option(options, "connect_timeout");
    char *end;
    if (!text)
        return PATIENCE_S;
    long seconds = strtol(text, &end, 10);
    if (!*end && seconds >= 1 && seconds <= PATIENCE_MAX_S)
        return (int)seconds;
    text_format(error, SINK_ERROR_SIZE,
                "location: connect_timeout=%s: expected seconds from 1 to %d", text,
                PATIENCE_MAX_S);
    text_clean(error, SINK_ERROR_SIZE, '?');
    return 0;
}

/* A password is refused: more people may read a configuration than a file of credentials. The text
 * itself is not shown, since it may have a password. */
static PQconninfoOption *parse_location(const char *location, char error[SINK_ERROR_SIZE])
{
    char *why = NULL;
    PQconninfoOption *options = PQconninfoParse(location, &why);
    if (!options)
        text_format(
            error, SINK_ERROR_SIZE,
            why ? "location: it is neither a connection URI nor keywords and values of libpq"
                : "out of memory");
    else if (option(options, "password") || option(options, "sslpassword")) {
        text_format(error, SINK_ERROR_SIZE,
                    "location: a password does not belong there, but into a file of credentials");
        PQconninfoFree(options);
        options = NULL;
    }
    PQfreemem(why);
    return options;
}

static int read_credentials(const struct outlet_sink *settings, struct credentials *credentials,
                            char error[SINK_ERROR_SIZE])
{
    char why[512] = "";
    memset(credentials, 0, sizeof *credentials);
    if (!*settings->credentials)
        return 0;
    if (!credentials_read(settings->credentials, credentials, why)) {
        text_format(error, SINK_ERROR_SIZE, "%s", why);
        return EINVAL;
    }
    if (!*credentials->token)
        return 0;
    text_format(error, SINK_ERROR_SIZE, "%s: postgresql has a user and a password, not a token",
                settings->credentials);
    return EINVAL;
}

/* -- Waiting --------------------------------------------------------------------------------- */

/* Waits until the socket is readable or, if that is wanted, writable. */
static int wait_for(struct connection *connection, bool writing, char error[SINK_ERROR_SIZE])
{
    struct pollfd ready = {.fd = PQsocket(connection->pg),
                           .events = (short)(writing ? POLLIN | POLLOUT : POLLIN)};
    int n;
    do
        n = poll(&ready, 1, connection->patience_ms);
    while (n < 0 && errno == EINTR);
    char why[64];
    text_format(why, sizeof why, "nothing was heard of the server for %d seconds",
                connection->patience_ms / 1000);
    if (n == 0)
        return lose(connection, error, why);
    if (n < 0)
        return lose(connection, error, strerror(errno));
    if ((ready.revents & ~POLLOUT) && !PQconsumeInput(connection->pg))
        return lose(connection, error, PQerrorMessage(connection->pg));
    return 0;
}

static int flush(struct connection *connection, char error[SINK_ERROR_SIZE])
{
    int left;
    while ((left = PQflush(connection->pg)) == 1)
        if (wait_for(connection, true, error) != 0)
            return EIO;
    return left == 0 ? 0 : lose(connection, error, PQerrorMessage(connection->pg));
}

/* Waits for the next result; NULL: there is no other one. */
static int next_result(struct connection *connection, PGresult **result,
                       char error[SINK_ERROR_SIZE])
{
    *result = NULL;
    if (flush(connection, error) != 0)
        return EIO;
    while (PQisBusy(connection->pg))
        if (wait_for(connection, false, error) != 0)
            return EIO;
    *result = PQgetResult(connection->pg);
    return 0;
}

/* Takes the results of a statement up to the end, and returns the last one. */
static int finish(struct connection *connection, PGresult **last, char error[SINK_ERROR_SIZE])
{
    PGresult *result;
    int status = 0;
    *last = NULL;
    for (;;) {
        if (next_result(connection, &result, error) != 0)
            return EIO;
        if (!result)
            return connection->is_lost ? EIO : status;
        ExecStatusType how = PQresultStatus(result);
        if (how != PGRES_COMMAND_OK && how != PGRES_TUPLES_OK)
            status = refuse(connection, result, error);
        PQclear(*last);
        *last = result;
        if (how == PGRES_COPY_IN || connection->is_lost)
            return status;
    }
}

/* -- Opening and closing --------------------------------------------------------------------- */

static void name_place(struct connection *connection, const PQconninfoOption *options)
{
    const char *host = connection->pg ? PQhost(connection->pg) : NULL;
    const char *port = connection->pg ? PQport(connection->pg) : NULL;
    const char *database = connection->pg ? PQdb(connection->pg) : NULL;
    if (!host || !*host)
        host = option(options, "host");
    if (!database || !*database)
        database = option(options, "dbname");
    text_format(connection->where, sizeof connection->where, "postgresql %s%s%s%s%s",
                host ? host : "local", port && *port ? ":" : "", port ? port : "",
                database ? "/" : "", database ? database : "");
}

/* A PQnoticeReceiver: what the server remarks by the way does not belong into a log. */
static void ignore_notice(void *context, const PGresult *result)
{
    (void)context;
    (void)result;
}

/* A transaction that is confirmed must still be there after a crash of the server. The server gives
 * up a statement sooner than this side gives up the server, so that its reason is heard and the
 * connection stays. */
static int prepare(struct connection *connection, char error[SINK_ERROR_SIZE])
{
    const char *encoding = PQparameterStatus(connection->pg, "server_encoding");
    const int server_ms = connection->patience_ms / 4 * 3;
    char sql[512];
    PQsetNoticeReceiver(connection->pg, ignore_notice, NULL);
    if (!encoding || strcmp(encoding, "UTF8") != 0) {
        connection_say(connection, error, "the encoding of the database is not UTF8");
        return EIO;
    }
    text_format(sql, sizeof sql,
                "SET statement_timeout = %d; SET lock_timeout = %d; SET search_path = dcamp; "
                "SELECT set_config('synchronous_commit', 'on', false) "
                "WHERE current_setting('synchronous_commit') = 'off'",
                server_ms, server_ms);
    return connection_query(connection, sql, 0, NULL, NULL, error);
}

static int connect_by(struct connection *connection, const PQconninfoOption *options,
                      const char *identity, const struct credentials *credentials,
                      char error[SINK_ERROR_SIZE])
{
    struct parameters parameters = {.n = 0};
    char patience[16];
    text_format(patience, sizeof patience, "%d", connection->patience_ms / 1000);
    add_defaults(&parameters, identity, patience);
    if (*credentials->user)
        add(&parameters, "user", credentials->user);
    if (*credentials->password)
        add(&parameters, "password", credentials->password);
    for (const PQconninfoOption *one = options; one->keyword; one++)
        if (one->val && *one->val)
            add(&parameters, one->keyword, one->val);
    add(&parameters, "client_encoding", "UTF8");
    connection->pg = PQconnectdbParams(parameters.keys, parameters.values, 0);
    if (!connection->pg) {
        text_format(error, SINK_ERROR_SIZE, "out of memory");
        return ENOMEM;
    }
    name_place(connection, options);
    if (PQstatus(connection->pg) != CONNECTION_OK || PQsetnonblocking(connection->pg, 1) != 0)
        return lose(connection, error, PQerrorMessage(connection->pg));
    return prepare(connection, error);
}

static int open_by(struct connection *connection, const struct outlet_sink *settings,
                   char identity[IDENTITY_SIZE], char error[SINK_ERROR_SIZE])
{
    struct credentials credentials;
    PQconninfoOption *options = parse_location(settings->location, error);
    int status = options ? 0 : EINVAL;
    if (!status) {
        identity_text(identity, option(options, "application_name"), settings);
        connection->patience_ms = 1000 * patience_of(options, error);
        status = connection->patience_ms > 0 ? 0 : EINVAL;
    }
    if (!status)
        status = read_credentials(settings, &credentials, error);
    if (!status)
        status = connect_by(connection, options, identity, &credentials, error);
    explicit_bzero(&credentials, sizeof credentials);
    PQconninfoFree(options);
    return status;
}

int connection_open(const struct outlet_sink *settings, struct connection **connection,
                    char identity[IDENTITY_SIZE], char error[SINK_ERROR_SIZE])
{
    *connection = calloc(1, sizeof **connection);
    if (!*connection) {
        text_format(error, SINK_ERROR_SIZE, "out of memory");
        return ENOMEM;
    }
    int status = open_by(*connection, settings, identity, error);
    if (status != 0) {
        connection_close(*connection);
        *connection = NULL;
    }
    return status;
}

void connection_close(struct connection *connection)
{
    if (!connection)
        return;
    PQfinish(connection->pg);
    free(connection);
}

bool connection_is_lost(const struct connection *connection)
{
    return connection->is_lost;
}

const char *connection_state(const struct connection *connection)
{
    return connection->state;
}

/* -- Statements ------------------------------------------------------------------------------ */

int connection_query(struct connection *connection, const char *sql, int n,
                     const char *const *parameters, PGresult **result, char error[SINK_ERROR_SIZE])
{
    PGresult *last = NULL;
    if (result)
        *result = NULL;
    int is_sent = n > 0 ? PQsendQueryParams(connection->pg, sql, n, NULL, parameters, NULL, NULL, 0)
                        : PQsendQuery(connection->pg, sql);
    int status = is_sent ? finish(connection, &last, error)
                         : lose(connection, error, PQerrorMessage(connection->pg));
    if (status == 0 && result)
        *result = last;
    else
        PQclear(last);
    return status;
}

static int put(struct connection *connection, const uint8_t *octets, size_t len,
               char error[SINK_ERROR_SIZE])
{
    while (len > 0) {
        size_t part = len < CHUNK ? len : CHUNK;
        int status = PQputCopyData(connection->pg, (const char *)octets, (int)part);
        if (status < 0)
            return lose(connection, error, PQerrorMessage(connection->pg));
        if (status == 0 && wait_for(connection, true, error) != 0)
            return EIO;
        octets += status ? part : 0;
        len -= status ? part : 0;
    }
    return 0;
}

static int put_end(struct connection *connection, char error[SINK_ERROR_SIZE])
{
    int status;
    while ((status = PQputCopyEnd(connection->pg, NULL)) == 0)
        if (wait_for(connection, true, error) != 0)
            return EIO;
    return status > 0 ? 0 : lose(connection, error, PQerrorMessage(connection->pg));
}

int connection_copy(struct connection *connection, const char *sql, const uint8_t *octets,
                    size_t len, char error[SINK_ERROR_SIZE])
{
    PGresult *result = NULL;
    if (!PQsendQuery(connection->pg, sql))
        return lose(connection, error, PQerrorMessage(connection->pg));
    int status = next_result(connection, &result, error);
    if (status == 0 && PQresultStatus(result) != PGRES_COPY_IN) {
        status = refuse(connection, result, error);
        PQclear(result);
        char ignored[SINK_ERROR_SIZE];
        finish(connection, &result, ignored);
        PQclear(result);
        return status;
    }
    PQclear(result);
    result = NULL;
    if (status == 0)
        status = put(connection, octets, len, error);
    if (status == 0)
        status = put_end(connection, error);
    if (status == 0)
        status = finish(connection, &result, error);
    PQclear(result);
    return status;
}
