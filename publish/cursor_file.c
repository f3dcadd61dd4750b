#include "publish/cursor_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomicfile.h"
#include "base/hex.h"
#include "base/log.h"
#include "base/text.h"
#include "publish/elapsed.h"

#define FIRST_LINE "dcamp-publish cursors 1\n"
#define LINE_SIZE 512

struct cursor {
    UT_hash_handle hh;
    struct stream_key key;
    uint32_t next;
    int64_t moved_ms; /* as of struct elapsed */
};

struct cursor_file {
    char *directory;
    struct cursor *all; /* in the order in which they were added */
    struct elapsed elapsed;
};

static int put(struct cursor_file *cursors, const struct stream_key *key, uint32_t next,
               int64_t moved_ms)
{
    struct cursor *cursor;
    HASH_FIND(hh, cursors->all, key, sizeof *key, cursor);
    if (!cursor) {
        cursor = calloc(1, sizeof *cursor);
        if (!cursor)
            return ENOMEM;
        cursor->key = *key;
        HASH_ADD(hh, cursors->all, key, sizeof cursor->key, cursor);
        if (!table_has(hh, cursor)) {
            free(cursor);
            return ENOMEM;
        }
    }
    elapsed_read(&cursors->elapsed, moved_ms);
    cursor->next = next;
    cursor->moved_ms = moved_ms;
    return 0;
}

static void forget(struct cursor_file *cursors, struct cursor *cursor)
{
    HASH_DEL(cursors->all, cursor);
    free(cursor);
}

static void forget_all(struct cursor_file *cursors)
{
    while (cursors->all)
        forget(cursors, cursors->all);
}

/* -- Lines ----------------------------------------------------------------------------------- */

/* "BOOT NEXT MOVED ENGINE PATH": the engine is "-" where it is not known, and the path, which may
 * be empty, is the rest of the line. */
static bool read_line(const char *line, struct stream_key *key, uint32_t *next, int64_t *moved_ms)
{
    char engine[2 * ENGINE_ID_MAX + 1], path[ALARM_PATH_SIZE] = "";
    uint8_t octets[ENGINE_ID_MAX];
    uint32_t boot;
    size_t len = 0;
    int at = -1;
    if (sscanf(line, "%" SCNu32 " %" SCNu32 " %" SCNd64 " %64s%n", &boot, next, moved_ms, engine,
               &at) != 4 ||
        at < 0 || line[at] != ' ')
        return false;
    size_t rest = strlen(line + at + 1);
    if (rest == 0 || line[at + rest] != '\n' || rest > sizeof path)
        return false;
    memcpy(path, line + at + 1, rest - 1);
    if (strcmp(engine, "-") != 0) {
        len = hex_to_octets(engine, octets, sizeof octets);
        if (2 * len != strlen(engine))
            return false;
    }
    stream_key_set(key, path, boot, octets, len);
    return true;
}

static void write_line(FILE *to, const struct cursor *cursor)
{
    fprintf(to, "%" PRIu32 " %" PRIu32 " %" PRId64 " ", cursor->key.boot, cursor->next,
            cursor->moved_ms);
    for (uint32_t i = 0; i < cursor->key.engine_id_len; i++)
        fprintf(to, "%02x", cursor->key.engine_id[i]);
    fprintf(to, "%s %s\n", cursor->key.engine_id_len ? "" : "-", cursor->key.path);
}

/* 0; ENOMEM; EIO; EBADMSG: *number says which line is not valid. */
static int read_lines(struct cursor_file *cursors, FILE *file, int *number)
{
    char line[LINE_SIZE];
    struct stream_key key;
    uint32_t next;
    int64_t moved_ms;
    int error = 0;
    *number = 1;
    if (!fgets(line, sizeof line, file) || strcmp(line, FIRST_LINE) != 0)
        return ferror(file) ? EIO : EBADMSG;
    while (!error && fgets(line, sizeof line, file)) {
        ++*number;
        error =
            read_line(line, &key, &next, &moved_ms) ? put(cursors, &key, next, moved_ms) : EBADMSG;
    }
    return !error && ferror(file) ? EIO : error;
}

static int set_aside(struct cursor_file *cursors, const char *path, int number)
{
    char other[4200];
    forget_all(cursors);
    text_format(other, sizeof other, "%s.broken", path);
    if (rename(path, other) < 0)
        return errno;
    log_error("publish",
              "%s:%d: this is no cursor; the file is kept as %s, and what nodes keep still is "
              "published again",
              path, number, other);
    return 0;
}

static int read_file(struct cursor_file *cursors)
{
    char path[4160];
    int number;
    text_format(path, sizeof path, "%s/" CURSOR_FILE, cursors->directory);
    FILE *file = fopen(path, "re");
    if (!file)
        return errno == ENOENT ? 0 : errno;
    int error = read_lines(cursors, file, &number);
    fclose(file);
    return error == EBADMSG ? set_aside(cursors, path, number) : error;
}

struct cursor_file *cursor_file_open(const char *directory, int *error)
{
    struct cursor_file *cursors = calloc(1, sizeof *cursors);
    *error = ENOMEM;
    if (!cursors)
        return NULL;
    cursors->directory = strdup(directory);
    if (cursors->directory)
        *error = read_file(cursors);
    if (!*error)
        return cursors;
    cursor_file_close(cursors);
    return NULL;
}

void cursor_file_close(struct cursor_file *cursors)
{
    if (!cursors)
        return;
    forget_all(cursors);
    free(cursors->directory);
    free(cursors);
}

/* -- Boots ----------------------------------------------------------------------------------- */

/* When a node has begun another boot and has too many, forgets the one that was added first. */
static void forget_boots(struct cursor_file *cursors, const struct stream_key *key)
{
    struct cursor *at, *next, *first = NULL;
    unsigned n = 0;
    HASH_ITER(hh, cursors->all, at, next)
    {
        if (strcmp(at->key.path, key->path) != 0 || at->key.boot == key->boot)
            continue;
        first = first ? first : at;
        n++;
    }
    if (n >= CURSOR_FILE_BOOTS)
        forget(cursors, first);
}

int cursor_file_set(struct cursor_file *cursors, const struct stream_key *key, uint32_t next,
                    int64_t now_ms)
{
    unsigned before = HASH_COUNT(cursors->all);
    int error = put(cursors, key, next, elapsed_now(&cursors->elapsed, now_ms));
    if (!error && HASH_COUNT(cursors->all) > before)
        forget_boots(cursors, key);
    return error;
}

int cursor_file_save(struct cursor_file *cursors, int64_t now_ms)
{
    char *text = NULL;
    size_t size = 0;
    struct cursor *at, *next;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return ENOMEM;
    int64_t seen_ms = elapsed_now(&cursors->elapsed, now_ms);
    fputs(FIRST_LINE, to);
    HASH_ITER(hh, cursors->all, at, next)
    {
        if (seen_ms - at->moved_ms > CURSOR_FILE_AGE_MS)
            forget(cursors, at);
        else
            write_line(to, at);
    }
    int error = ferror(to) ? ENOMEM : 0;
    if (fclose(to) != 0)
        error = ENOMEM;
    if (!error)
        error = atomicfile_write(cursors->directory, CURSOR_FILE, text, size, false);
    free(text);
    return error;
}

void cursor_file_each(const struct cursor_file *cursors, cursor_file_fn *each, void *context)
{
    for (const struct cursor *at = cursors->all; at; at = at->hh.next)
        each(context, &at->key, at->next);
}
