#include "publish/postgresql/names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/postgresql/known.h"
#include "publish/postgresql/rows.h"

#define TEXTS 4
#define KEY_MAX 2048

/* A letter, the number of its owner, and texts with a NUL behind each. */
struct key {
    char octets[KEY_MAX];
    size_t len;
};

static void key_begin(struct key *key, char what, int32_t owner)
{
    key->octets[0] = what;
    memcpy(key->octets + 1, &owner, sizeof owner);
    key->len = 1 + sizeof owner;
}

/* Names from the outlet are much shorter than what a key has room for. */
static bool key_add(struct key *key, const char *text, size_t len)
{
    if (key->len + len + 1 > sizeof key->octets)
        return false;
    memcpy(key->octets + key->len, text, len);
    key->len += len;
    key->octets[key->len++] = '\0';
    return true;
}

/* Asks for the number that a statement returns, whose parameters are a number and texts. */
static int ask(struct connection *connection, const char *sql, int32_t owner,
               const char *const texts[], int n, int32_t *id, char error[SINK_ERROR_SIZE])
{
    char number[16];
    char *clean[TEXTS + 1] = {NULL};
    const char *parameters[TEXTS + 2] = {number};
    bool is_short = false;
    PGresult *result = NULL;
    text_format(number, sizeof number, "%" PRId32, owner);
    for (int i = 0; i < n; i++) {
        clean[i] = rows_clean_text(texts[i], strlen(texts[i]));
        is_short |= !clean[i];
        parameters[i + 1] = clean[i];
    }
    int status =
        is_short ? ENOMEM : connection_query(connection, sql, n + 1, parameters, &result, error);
    for (int i = 0; i < n; i++)
        free(clean[i]);
    if (is_short)
        text_format(error, SINK_ERROR_SIZE, "out of memory");
    if (status)
        return status;
    *id = (int32_t)strtol(PQgetvalue(result, 0, 0), NULL, 10);
    PQclear(result);
    return 0;
}

static int get(struct known *known, struct connection *connection, const struct key *key,
               const char *sql, int32_t owner, const char *const texts[], int n, int32_t *id,
               char error[SINK_ERROR_SIZE])
{
    if (known_find(known, key->octets, key->len, id))
        return 0;
    int status = ask(connection, sql, owner, texts, n, id, error);
    if (status)
        return status;
    status = known_add(known, key->octets, key->len, *id);
    if (status)
        text_format(error, SINK_ERROR_SIZE, "out of memory");
    return status;
}

int names_node(struct known *known, struct connection *connection, int32_t publisher,
               const struct sink_stream *stream, int32_t *node, char error[SINK_ERROR_SIZE])
{
    static const char sql[] =
        "INSERT INTO dcamp.node (publisher, path, engine, name, \"group\", boot) VALUES "
        "($1::integer, $2, decode(left($3, strpos($3, ' ') - 1), 'hex'), $4, $5, "
        "substr($3, strpos($3, ' ') + 1)::bigint) ON CONFLICT (publisher, path, engine) DO UPDATE "
        "SET name = excluded.name, \"group\" = excluded.\"group\", "
        "boot = greatest(node.boot, excluded.boot) RETURNING id";
    char engine_boot[2 * ENGINE_ID_MAX + 16];
    size_t len = 0;
    for (size_t i = 0; i < stream->engine_id_len && i < ENGINE_ID_MAX; i++)
        len += (size_t)snprintf(engine_boot + len, 3, "%02x", stream->engine_id[i]);
    text_format(engine_boot + len, sizeof engine_boot - len, " %" PRIu32, stream->boot);
    const char *const texts[TEXTS] = {stream->path, engine_boot, stream->name, stream->group};
    struct key key;
    key_begin(&key, 'n', publisher);
    for (int i = 0; i < TEXTS; i++)
        if (!key_add(&key, texts[i], strlen(texts[i])))
            return EINVAL;
    return get(known, connection, &key, sql, publisher, texts, TEXTS, node, error);
}

/* A series that is there already is left as it is, and uses up no number. */
int names_series(struct known *known, struct connection *connection, int32_t node,
                 const struct sink_words *words, int32_t *series, char error[SINK_ERROR_SIZE])
{
    static const char sql[] =
        "WITH known AS (SELECT id FROM dcamp.series WHERE node = $1::integer AND sensor = $2 AND "
        "instance = $3 AND metric = $4 AND unit = $5), added AS (INSERT INTO dcamp.series (node, "
        "sensor, instance, metric, unit) SELECT $1::integer, $2, $3, $4, $5 WHERE NOT EXISTS "
        "(SELECT FROM known) RETURNING id) SELECT id FROM known UNION ALL SELECT id FROM added";
    const char *const texts[TEXTS] = {words->sensor, words->instance, words->metric, words->unit};
    struct key key;
    key_begin(&key, 's', node);
    for (int i = 0; i < TEXTS; i++)
        if (!key_add(&key, texts[i], strlen(texts[i])))
            return EINVAL;
    return get(known, connection, &key, sql, node, texts, TEXTS, series, error);
}
