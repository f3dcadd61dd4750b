#include "publish/chronicle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/log.h"
#include "base/text.h"
#include "publish/events.h"
#include "publish/expiry.h"
#include "publish/inbox.h"
#include "publish/tiers.h"

/* The clock of a node may be ahead by this much: what is later is left out. */
#define AHEAD_MS HOUR_MS
/* How long the position in a stream that has ended is remembered. */
#define ENDED_MS DAY_MS

struct chronicle {
    struct chronicle_settings settings;
    struct chronicle_counters counters;
    struct statements sql;
    char name[DATABASE_NAME_SIZE]; /* of its file */
    int64_t end_ms;                /* of its month */
    int lock;
    bool is_begun; /* a transaction is under way */
    struct stream *streams;
    struct inbox inbox;
    struct digest digest; /* empty, but for its memory */
    int64_t looked_at;    /* id of the stream that was digested last */
    struct expiry expiry;
    char error[CHRONICLE_ERROR_SIZE];
};

const struct chronicle_counters *chronicle_counters(const struct chronicle *chronicle)
{
    return &chronicle->counters;
}

const char *chronicle_error(const struct chronicle *chronicle)
{
    return chronicle->error;
}

static void path_of(const struct chronicle *chronicle, const char *name,
                    char path[DATABASE_PATH_SIZE])
{
    text_format(path, DATABASE_PATH_SIZE, "%s/%s", chronicle->settings.directory, name);
}

/* -- Transactions ---------------------------------------------------------------------------- */

static int begin(struct chronicle *chronicle)
{
    if (chronicle->is_begun)
        return SQLITE_OK;
    int code = statements_run(&chronicle->sql, "BEGIN IMMEDIATE", "");
    chronicle->is_begun = code == SQLITE_OK;
    return code;
}

static int commit(struct chronicle *chronicle)
{
    if (!chronicle->is_begun)
        return SQLITE_OK;
    int code = streams_write_cursors(chronicle->streams, &chronicle->sql);
    if (code == SQLITE_OK)
        code = statements_run(&chronicle->sql, "COMMIT", "");
    if (code != SQLITE_OK)
        return code;
    chronicle->is_begun = false;
    streams_committed(&chronicle->streams);
    return SQLITE_OK;
}

static void undo(struct chronicle *chronicle)
{
    if (chronicle->sql.db && !sqlite3_get_autocommit(chronicle->sql.db))
        database_run(chronicle->sql.db, "ROLLBACK");
    chronicle->is_begun = false;
    streams_undone(&chronicle->streams);
}

/* -- Files ----------------------------------------------------------------------------------- */

static void close_file(struct chronicle *chronicle)
{
    statements_release(&chronicle->sql);
    database_close(chronicle->sql.db);
    chronicle->sql.db = NULL;
    chronicle->is_begun = false;
}

static int open_at(struct chronicle *chronicle, const char *name)
{
    char path[DATABASE_PATH_SIZE];
    path_of(chronicle, name, path);
    int code = database_open(path, true, &chronicle->sql.db);
    if (code == SQLITE_OK && chronicle->settings.outlasts_power)
        code = database_run(chronicle->sql.db, "PRAGMA synchronous=FULL");
    return code;
}

/* Streams that are known already are kept; else they are read from the file. */
static int open_file(struct chronicle *chronicle, const char *name)
{
    text_format(chronicle->name, sizeof chronicle->name, "%s", name);
    database_file_end(chronicle->name, &chronicle->end_ms);
    int code = open_at(chronicle, name);
    if (code == SQLITE_OK && !chronicle->streams)
        code = streams_read(&chronicle->streams, &chronicle->sql);
    if (code == SQLITE_OK)
        code = inbox_open(&chronicle->inbox, &chronicle->sql);
    return code;
}

/* Why a file is put aside, in its new name and in the log. */
struct aside {
    const char *word, *reason;
};

static const struct aside broken = {"broken", "the file is broken"};
static const struct aside another_version = {"version", "the file is of another version of dCAMP"};

static void set_aside(struct chronicle *chronicle, const struct aside *why, int64_t now_ms)
{
    char path[DATABASE_PATH_SIZE], other[DATABASE_PATH_SIZE + 64];
    static const char *const ends[] = {"", "-wal", "-shm"};
    close_file(chronicle);
    chronicle->counters.broken++;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        path_of(chronicle, chronicle->name, path);
        text_format(other, sizeof other, "%s.%s-%lld%s", path, why->word, (long long)now_ms,
                    ends[i]);
        strncat(path, ends[i], sizeof path - strlen(path) - 1);
        if (rename(path, other) != 0 && errno != ENOENT)
            log_error("history", "%s: %s, and cannot be renamed: %s", path, why->reason,
                      strerror(errno));
        else if (i == 0)
            log_error("history", "%s: %s; it is kept as %s, and a new one begun", path, why->reason,
                      other);
    }
}

/* Writes the streams into a new file, in which they go on where they were. */
static int write_streams(struct chronicle *chronicle)
{
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = streams_write(chronicle->streams, &chronicle->sql);
    return code == SQLITE_OK ? commit(chronicle) : code;
}

static int begin_anew(struct chronicle *chronicle, const struct aside *why, int64_t now_ms)
{
    char name[DATABASE_NAME_SIZE];
    set_aside(chronicle, why, now_ms);
    database_file_name(now_ms, name);
    int code = open_file(chronicle, name);
    return code == SQLITE_OK ? write_streams(chronicle) : code;
}

static const char *reason_of(const struct chronicle *chronicle, int code)
{
    if (code == SQLITE_MISMATCH)
        return another_version.reason;
    if (code == SQLITE_NOMEM)
        return "no memory";
    return chronicle->sql.db && sqlite3_errcode(chronicle->sql.db) == (code & 0xff)
               ? sqlite3_errmsg(chronicle->sql.db)
               : sqlite3_errstr(code);
}

/* Undoes what has failed, and replaces the file if it is broken. Returns the errno. */
static int fail(struct chronicle *chronicle, int code, int64_t now_ms)
{
    if (code == SQLITE_ERROR && chronicle->sql.db) /* a statement could not be prepared */
        code = sqlite3_errcode(chronicle->sql.db);
    text_format(chronicle->error, sizeof chronicle->error, "%s: %s", chronicle->name,
                reason_of(chronicle, code));
    undo(chronicle);
    int error = database_errno(code);
    if (error != EBADMSG)
        return error;
    code = begin_anew(chronicle, &broken, now_ms);
    return code == SQLITE_OK ? EBADMSG : code == SQLITE_NOMEM ? ENOMEM : EIO;
}

/* -- Months ---------------------------------------------------------------------------------- */

/* Copies what a new file has from the start: the streams go on where they were, with what is in
 * their inboxes, and all series are there, with the same ids. */
static int copy_into(sqlite3 *db, const char *old)
{
    sqlite3_stmt *attach = database_prepare(db, "ATTACH ? AS old%s", "");
    int code = database_bind(attach, "t", old);
    if (code == SQLITE_OK)
        code = database_finish(attach);
    sqlite3_finalize(attach);
    if (code == SQLITE_OK)
        code = database_run(db, "BEGIN IMMEDIATE;"
                                "INSERT INTO source SELECT * FROM old.source;"
                                "INSERT INTO stream SELECT * FROM old.stream;"
                                "INSERT INTO series SELECT * FROM old.series;"
                                "INSERT INTO name SELECT * FROM old.name;"
                                "INSERT INTO again SELECT * FROM old.again;"
                                "INSERT INTO newest SELECT * FROM old.newest;"
                                "INSERT INTO inbox SELECT * FROM old.inbox;"
                                "INSERT INTO alarm SELECT * FROM old.alarm WHERE cleared IS NULL;"
                                "INSERT INTO told SELECT * FROM old.told;"
                                "COMMIT; DETACH old");
    return code;
}

/* The content must be in the file itself, and nothing in its log, which is not renamed with it.
 * Closing would move it into the file, too, but would not report a failure, such as a full disk. */
static int make_month(struct chronicle *chronicle, const char *name, const char *old)
{
    bool is_held = false;
    int code = open_at(chronicle, name);
    if (code == SQLITE_OK)
        code = copy_into(chronicle->sql.db, old);
    if (code == SQLITE_OK)
        code = database_shrink(chronicle->sql.db, &is_held);
    close_file(chronicle);
    if (code == SQLITE_OK && is_held)
        code = SQLITE_BUSY;
    if (code != SQLITE_OK)
        expiry_remove(chronicle->settings.directory, name);
    return code;
}

/* The new file gets its name when it is whole. Readers look only into the inbox of the newest file:
 * the renaming moves what waits there from the old file to the new one (publish/expiry.h removes it
 * from the old one). */
static int begin_month(struct chronicle *chronicle, int64_t now_ms)
{
    char name[DATABASE_NAME_SIZE], next[DATABASE_NAME_SIZE + 8], before[DATABASE_NAME_SIZE];
    char old[DATABASE_PATH_SIZE], made[DATABASE_PATH_SIZE], path[DATABASE_PATH_SIZE];
    database_file_name(now_ms, name);
    text_format(before, sizeof before, "%s", chronicle->name);
    text_format(next, sizeof next, "%s.new", name);
    path_of(chronicle, before, old);
    path_of(chronicle, next, made);
    path_of(chronicle, name, path);
    close_file(chronicle);
    expiry_remove(chronicle->settings.directory, next);
    int code = make_month(chronicle, next, old);
    if (code == SQLITE_OK && rename(made, path) != 0)
        code = errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR;
    int opened = open_file(chronicle, code == SQLITE_OK ? name : before);
    return code == SQLITE_OK ? opened : code;
}

/* -- Opening --------------------------------------------------------------------------------- */

struct newest {
    char name[DATABASE_NAME_SIZE];
    int64_t end_ms;
};

static void take_newest(void *context, const char *name, int64_t end_ms)
{
    struct newest *newest = context;
    if (end_ms <= newest->end_ms)
        return;
    newest->end_ms = end_ms;
    text_format(newest->name, sizeof newest->name, "%s", name);
}

/* Opens the newest file, or makes the first one; then begins the file of this month, if that is
 * another one. */
static int open_newest(struct chronicle *chronicle, int64_t now_ms)
{
    struct newest newest = {.end_ms = INT64_MIN};
    database_each_file(chronicle->settings.directory, take_newest, &newest);
    if (newest.end_ms == INT64_MIN)
        database_file_name(now_ms, newest.name);
    int code = open_file(chronicle, newest.name);
    if (code == SQLITE_OK && now_ms >= chronicle->end_ms)
        code = begin_month(chronicle, now_ms);
    if (code != SQLITE_MISMATCH && database_errno(code) != EBADMSG)
        return code;
    streams_release(&chronicle->streams);
    return begin_anew(chronicle, code == SQLITE_MISMATCH ? &another_version : &broken, now_ms);
}

/* 0 or an errno, with the reason in error. */
static int lock_directory(struct chronicle *chronicle, char error[CHRONICLE_ERROR_SIZE])
{
    const char *directory = chronicle->settings.directory;
    pid_t holder = 0;
    int code = directory_lock(directory, &chronicle->lock, &holder);
    if (code == EBUSY)
        text_format(error, CHRONICLE_ERROR_SIZE, "%s: process %d writes there", directory,
                    (int)holder);
    else if (code)
        text_format(error, CHRONICLE_ERROR_SIZE, "%s: %s", directory, strerror(code));
    return code;
}

struct chronicle *chronicle_open(const struct chronicle_settings *settings, int64_t now_ms,
                                 char error[CHRONICLE_ERROR_SIZE])
{
    struct chronicle *chronicle = calloc(1, sizeof *chronicle);
    if (!chronicle) {
        text_format(error, CHRONICLE_ERROR_SIZE, "no memory");
        return NULL;
    }
    chronicle->settings = *settings;
    chronicle->expiry.settings = &chronicle->settings;
    if (lock_directory(chronicle, error) != 0) {
        free(chronicle);
        return NULL;
    }
    int code = open_newest(chronicle, now_ms);
    if (code == SQLITE_OK)
        return chronicle;
    text_format(error, CHRONICLE_ERROR_SIZE, "%s/%s: %s", settings->directory, chronicle->name,
                reason_of(chronicle, code));
    chronicle_close(chronicle);
    return NULL;
}

void chronicle_close(struct chronicle *chronicle)
{
    if (!chronicle)
        return;
    close_file(chronicle);
    streams_release(&chronicle->streams);
    digest_release(&chronicle->digest);
    close(chronicle->lock);
    free(chronicle);
}

void chronicle_cursors(struct chronicle *chronicle, sink_cursor_fn *each, void *context)
{
    for (struct stream *at = chronicle->streams; at; at = at->hh.next)
        if (at->is_saved)
            each(context, &at->is, at->saved_next);
}

/* -- Digesting one --------------------------------------------------------------------------- */

static void count_digest(struct chronicle *chronicle, const struct digest *digest)
{
    chronicle->counters.samples += digest->n_samples;
    chronicle->counters.windows += digest->n_windows;
    chronicle->counters.nameless += digest->nameless;
    chronicle->counters.beyond += digest->beyond;
}

/* Digests the inbox of a stream, in the transaction that is under way. */
static int digest_stream(struct chronicle *chronicle, struct stream *stream, int64_t now_ms)
{
    const struct chronicle_settings *settings = &chronicle->settings;
    struct digest *digest = &chronicle->digest;
    struct tiers tiers = {.raw_from_ms = now_ms - settings->raw_ms,
                          .has_raw = settings->raw_ms > 0,
                          .has_minutes = settings->minute_ms > 0,
                          .has_hours = settings->hour_ms > 0};
    uint64_t bad = 0;
    digest->from_ms = now_ms - expiry_longest_ms(settings);
    digest->to_ms = now_ms + AHEAD_MS;
    digest->nameless = digest->beyond = 0;
    int code = inbox_take(stream, &chronicle->sql, digest, &bad);
    if (code == SQLITE_OK)
        code = tiers_write(chronicle->sql.db, digest, &tiers);
    if (code == SQLITE_OK && stream->relays)
        code = retold_note(&chronicle->sql, stream->source, digest);
    if (code == SQLITE_OK)
        count_digest(chronicle, digest);
    chronicle->counters.broken_rows += tiers.broken_rows;
    digest_clear(digest);
    return code;
}

/* -- What comes ------------------------------------------------------------------------------ */

struct block_reader {
    struct chronicle *chronicle;
    const struct sink_block *block;
    struct stream *stream;
    struct events_counts counts;
    int64_t now_ms;
    int code;
};

static bool is_of_series(enum report_kind kind)
{
    return kind == REPORT_VALUE || kind == REPORT_WINDOW || kind == REPORT_RECORD ||
           kind == REPORT_KEYS;
}

/* The series of this number may have been told before, by another number or stream
 * (publish/retold.h). What waits of that is digested first, so that it is known up to when it was
 * told. */
static int begin_retold(struct chronicle *chronicle, struct stream *stream, uint32_t number,
                        int64_t now_ms)
{
    int64_t series = streams_meaning(stream, number), teller = 0;
    int code = SQLITE_OK;
    while (code == SQLITE_OK) {
        code = retold_teller(&chronicle->sql, series, stream->id, number, teller, &teller);
        if (code != SQLITE_OK || teller == 0)
            break;
        struct stream *before = streams_at(chronicle->streams, teller);
        if (before && before->inbox.n > 0)
            code = digest_stream(chronicle, before, now_ms);
    }
    return code == SQLITE_OK ? streams_begin_retold(stream, &chronicle->sql, number, now_ms) : code;
}

static int name_entry(struct block_reader *reader, uint32_t number)
{
    const struct sink_block *block = reader->block;
    const struct sink_words *words = block->words(block->context, number);
    if (!words)
        return SQLITE_OK;
    int code = streams_name(reader->stream, &reader->chronicle->sql, number, words);
    if (code == SQLITE_OK && words->path[0])
        code = begin_retold(reader->chronicle, reader->stream, number, reader->now_ms);
    return code;
}

/* A report_entry_fn. What a number means is written with the first block that has it. */
static int take_entry(void *context, const struct report_entry *entry)
{
    struct block_reader *reader = context;
    bool is_named = !is_of_series(entry->kind) || streams_meaning(reader->stream, entry->series);
    if (!is_named)
        reader->code = name_entry(reader, entry->series);
    if (reader->code == SQLITE_OK && entry->kind != REPORT_VALUE && entry->kind != REPORT_WINDOW)
        reader->code = events_take(reader->stream, &reader->chronicle->sql, entry, &reader->counts);
    return reader->code != SQLITE_OK;
}

static void count_events(struct chronicle *chronicle, const struct events_counts *counts)
{
    chronicle->counters.alarms += counts->alarms;
    chronicle->counters.records += counts->records;
    chronicle->counters.tops += counts->tops;
}

static int take_block(struct chronicle *chronicle, struct stream *stream,
                      const struct sink_block *block, int64_t now_ms)
{
    struct block_reader reader = {
        .chronicle = chronicle, .block = block, .stream = stream, .now_ms = now_ms};
    struct report_header header;
    const char *why;
    int code = streams_read_names(stream, &chronicle->sql);
    if (code == SQLITE_OK && stream->next > 0 && block->number > stream->next)
        code = events_miss(stream, &chronicle->sql);
    if (code != SQLITE_OK)
        return code;
    int error = report_decode(block->octets, block->len, &header, take_entry, &reader, &why);
    if (error == ENOMEM)
        return SQLITE_NOMEM;
    if (reader.code != SQLITE_OK)
        return reader.code;
    chronicle->counters.bad += error != 0;
    count_events(chronicle, &reader.counts);
    return inbox_put(&chronicle->inbox, stream, &chronicle->sql, block->number, block->octets,
                     error ? 0 : block->len, now_ms);
}

int chronicle_block(struct chronicle *chronicle, const struct sink_block *block, int64_t now_ms)
{
    struct stream *stream = NULL;
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = streams_find(&chronicle->streams, &chronicle->sql, block->stream, now_ms, &stream);
    if (code == SQLITE_OK && block->number < stream->next)
        chronicle->counters.doubles++;
    else if (code == SQLITE_OK)
        code = take_block(chronicle, stream, block, now_ms);
    chronicle->counters.blocks += code == SQLITE_OK;
    return code == SQLITE_OK ? 0 : fail(chronicle, code, now_ms);
}

int chronicle_commit(struct chronicle *chronicle, int64_t now_ms)
{
    int code = commit(chronicle);
    return code == SQLITE_OK ? 0 : fail(chronicle, code, now_ms);
}

/* -- Digesting ------------------------------------------------------------------------------- */

int chronicle_count_anew(struct chronicle *chronicle, const struct sink_stream *is, int64_t now_ms)
{
    struct stream *stream = NULL;
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = streams_find(&chronicle->streams, &chronicle->sql, is, now_ms, &stream);
    if (code == SQLITE_OK)
        code = digest_stream(chronicle, stream, now_ms);
    if (code == SQLITE_OK)
        code = streams_forget_names(stream, &chronicle->sql);
    if (code == SQLITE_OK)
        code = events_miss(stream, &chronicle->sql);
    if (code != SQLITE_OK)
        return fail(chronicle, code, now_ms);
    stream->next = 0;
    stream->is_changed = true;
    return 0;
}

/* A stream that relays has the series of many nodes. Its inbox may be larger, so that the chunks of
 * these have as many values as others. */
#define USUAL_SERIES 64
#define MANY_TIMES 16
static size_t inbox_octets(const struct chronicle *chronicle, const struct stream *stream)
{
    size_t times = stream->n_names / USUAL_SERIES;
    times = times < 1 ? 1 : times > MANY_TIMES ? MANY_TIMES : times;
    return times * chronicle->settings.inbox_octets;
}

static bool is_due(const struct chronicle *chronicle, const struct stream *stream, int64_t now_ms,
                   bool all)
{
    if (stream->inbox.n == 0)
        return false;
    return all || stream->inbox.octets >= inbox_octets(chronicle, stream) ||
           now_ms - stream->oldest_ms >= chronicle->settings.inbox_ms;
}

/* The next stream that is due, each in its turn, by their ids; NULL: none. */
static struct stream *next_due(const struct chronicle *chronicle, int64_t now_ms, bool all)
{
    struct stream *first = NULL;
    for (struct stream *at = chronicle->streams; at; at = at->hh.next) {
        if (!is_due(chronicle, at, now_ms, all))
            continue;
        if (at->id > chronicle->looked_at)
            return at;
        first = first ? first : at;
    }
    return first ? first : inbox_hinderer(&chronicle->inbox, chronicle->streams);
}

/* Several streams are digested in one transaction, since each writes to the ends of the same
 * tables; it ends after so many octets of blocks. */
#define DIGEST_OCTETS (1 << 20)

static int digest_due(struct chronicle *chronicle, int64_t now_ms, bool all, bool *more)
{
    struct stream *stream = next_due(chronicle, now_ms, all);
    int code = stream ? begin(chronicle) : SQLITE_OK;
    size_t octets = 0;
    while (stream && code == SQLITE_OK && octets < DIGEST_OCTETS) {
        octets += stream->inbox.octets;
        code = digest_stream(chronicle, stream, now_ms);
        chronicle->looked_at = stream->id;
        stream = next_due(chronicle, now_ms, all);
    }
    if (code == SQLITE_OK && octets > 0)
        code = inbox_sweep(&chronicle->inbox, chronicle->streams, &chronicle->sql);
    if (code == SQLITE_OK)
        code = commit(chronicle);
    *more = stream;
    return code;
}

static int expire_streams(struct chronicle *chronicle, int64_t now_ms)
{
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = streams_expire(chronicle->streams, &chronicle->sql, now_ms - ENDED_MS);
    return code == SQLITE_OK ? commit(chronicle) : code;
}

int chronicle_step(struct chronicle *chronicle, int64_t now_ms, bool all, bool *more)
{
    *more = false;
    int code = commit(chronicle);
    if (code == SQLITE_OK && now_ms >= chronicle->end_ms)
        code = begin_month(chronicle, now_ms);
    if (code == SQLITE_OK)
        code = digest_due(chronicle, now_ms, all, more);
    if (code == SQLITE_OK && expiry_is_due(&chronicle->expiry, now_ms))
        code = expire_streams(chronicle, now_ms);
    if (code == SQLITE_OK)
        code = expiry_look(&chronicle->expiry, chronicle->sql.db, chronicle->name, now_ms);
    chronicle->counters.evicted = chronicle->expiry.evicted;
    return code == SQLITE_OK ? 0 : fail(chronicle, code, now_ms);
}
