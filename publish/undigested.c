#include "publish/undigested.h"

#include <errno.h>
#include <stdlib.h>

#include "publish/meanings.h"

struct undigested_node {
    int64_t source;
    struct digest digest; /* of all series, or of only one */
};

void undigested_release(struct undigested *undigested)
{
    for (size_t i = 0; i < undigested->n; i++)
        digest_release(&undigested->nodes[i].digest);
    free(undigested->nodes);
    *undigested = (struct undigested){.version = undigested->version};
}

struct node_reader {
    struct meanings meanings;
    int64_t stream; /* whose blocks are read */
    struct digest digest;
};

/* A digest_name_fn. */
static int64_t meaning_of(const void *context, const struct report_entry *entry)
{
    const struct node_reader *reader = context;
    const struct meaning *at = meanings_find(&reader->meanings, reader->stream, entry->series);
    if (!at)
        return 0;
    return retold_is_told(&at->until, entry) ? DIGEST_TOLD : at->series;
}

static int take_meaning(struct node_reader *reader, sqlite3_stmt *select)
{
    struct meaning meaning = {.stream = sqlite3_column_int64(select, 0),
                              .number = sqlite3_column_int64(select, 1),
                              .series = sqlite3_column_int64(select, 2),
                              .until = {INT64_MIN, INT64_MIN}};
    if (sqlite3_column_type(select, 3) != SQLITE_NULL)
        meaning.until =
            (struct retold_until){sqlite3_column_int64(select, 3), sqlite3_column_int64(select, 4)};
    return meanings_add(&reader->meanings, &meaning) ? SQLITE_OK : SQLITE_NOMEM;
}

/* A block that is not valid was counted when it came. */
static int take_block(struct node_reader *reader, sqlite3_stmt *select)
{
    reader->stream = sqlite3_column_int64(select, 0);
    int error = digest_block(&reader->digest, sqlite3_column_blob(select, 1),
                             (size_t)sqlite3_column_bytes(select, 1), meaning_of, reader);
    return error == ENOMEM ? SQLITE_NOMEM : SQLITE_OK;
}

static int each_row(struct node_reader *reader, struct statements *sql, const char *text,
                    int64_t source, int (*take)(struct node_reader *, sqlite3_stmt *))
{
    sqlite3_stmt *select = statements_get(sql, text);
    int code = database_bind(select, "i", source);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = take(reader, select);
    sqlite3_reset(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* If the node has many series, reads only this one; 0: reads all, however many. */
static int read_node(struct node_reader *reader, struct statements *sql, int64_t source,
                     int64_t only)
{
    reader->digest = (struct digest){.from_ms = INT64_MIN, .to_ms = INT64_MAX};
    int code = each_row(reader, sql,
                        "SELECT stream, number, series, samples, windows FROM name"
                        " LEFT JOIN again USING(stream, number) WHERE stream IN (SELECT id FROM "
                        "stream WHERE source = ?)"
                        " ORDER BY stream, number",
                        source, take_meaning);
    if (reader->meanings.n > UNDIGESTED_FEW)
        reader->digest.only = only;
    if (code == SQLITE_OK)
        code = each_row(
            reader, sql,
            "WITH RECURSIVE chain(stream, id) AS (SELECT id, last FROM stream WHERE source = ?"
            " UNION ALL SELECT stream, before FROM chain JOIN inbox USING(id))"
            " SELECT stream, block FROM chain JOIN inbox USING(id) ORDER BY stream, id",
            source, take_block);
    digest_end(&reader->digest);
    digest_fit(&reader->digest);
    meanings_release(&reader->meanings);
    return code;
}

/* NULL: no memory. */
static struct undigested_node *keep(struct undigested *undigested,
                                    const struct undigested_node *node)
{
    size_t n_entries = node->digest.n_samples + node->digest.n_windows;
    if (undigested->n_entries + n_entries > UNDIGESTED_MAX)
        undigested_release(undigested);
    void *larger = reallocarray(undigested->nodes, undigested->n + 1, sizeof *node);
    if (!larger)
        return NULL;
    undigested->nodes = larger;
    undigested->nodes[undigested->n] = *node;
    undigested->n_entries += n_entries;
    return &undigested->nodes[undigested->n++];
}

/* What is kept of a source; NULL: nothing. */
static struct undigested_node *find(struct undigested *undigested, int64_t source)
{
    for (size_t i = 0; i < undigested->n; i++)
        if (undigested->nodes[i].source == source)
            return &undigested->nodes[i];
    return NULL;
}

static void forget(struct undigested *undigested, struct undigested_node *node)
{
    undigested->n_entries -= node->digest.n_samples + node->digest.n_windows;
    digest_release(&node->digest);
    *node = undigested->nodes[--undigested->n];
}

/* Forgets what was kept if something was written since. */
static int check_version(struct undigested *undigested, struct statements *sql)
{
    int64_t version;
    int code = statements_find(sql, &version, "PRAGMA data_version", "");
    if (code == SQLITE_OK && version != undigested->version)
        undigested_release(undigested);
    if (code == SQLITE_OK)
        undigested->version = version;
    return code;
}

const struct digest *undigested_of(struct undigested *undigested, struct statements *sql,
                                   int64_t source, int64_t series, int *code)
{
    *code = check_version(undigested, sql);
    if (*code != SQLITE_OK)
        return NULL;
    struct undigested_node *kept = find(undigested, source);
    if (kept && (kept->digest.only == 0 || kept->digest.only == series))
        return &kept->digest;
    struct node_reader reader = {0};
    *code = read_node(&reader, sql, source, kept ? 0 : series);
    if (kept)
        forget(undigested, kept);
    const struct undigested_node node = {source, reader.digest};
    kept = *code == SQLITE_OK ? keep(undigested, &node) : NULL;
    if (kept)
        return &kept->digest;
    digest_release(&reader.digest);
    *code = *code == SQLITE_OK ? SQLITE_NOMEM : *code;
    return NULL;
}
