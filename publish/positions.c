#include "publish/positions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/table.h"
#include "base/text.h"
#include "publish/elapsed.h"

/* What identifies a stream. */
struct name {
    uint32_t boot;
    uint32_t engine_id_len;
    uint8_t engine_id[ENGINE_ID_MAX];
    char path[ALARM_PATH_SIZE];
};

struct position {
    struct name name; /* the key: each octet of it is set */
    uint32_t committed, taken;
    int64_t used_ms; /* as of struct elapsed */
    UT_hash_handle hh;
};

struct positions {
    struct position *all;
    struct position *last; /* the one that was taken last */
    struct elapsed elapsed;
};

struct positions *positions_new(void)
{
    return calloc(1, sizeof(struct positions));
}

void positions_free(struct positions *positions)
{
    struct position *position, *next;
    if (!positions)
        return;
    HASH_ITER(hh, positions->all, position, next)
    {
        HASH_DEL(positions->all, position);
        free(position);
    }
    free(positions);
}

static struct position *find(const struct positions *positions, const struct name *name)
{
    struct position *position;
    if (positions->last && memcmp(&positions->last->name, name, sizeof *name) == 0)
        return positions->last;
    HASH_FIND(hh, positions->all, name, sizeof *name, position);
    return position;
}

/* NULL: no memory. */
static struct position *add(struct positions *positions, const struct name *name)
{
    struct position *position = calloc(1, sizeof *position);
    if (!position)
        return NULL;
    position->name = *name;
    HASH_ADD(hh, positions->all, name, sizeof position->name, position);
    if (!table_has(hh, position)) {
        free(position);
        return NULL;
    }
    return position;
}

int positions_take(struct positions *positions, const struct sink_stream *stream, uint32_t number,
                   int64_t now_ms)
{
    struct name name;
    memset(&name, 0, sizeof name);
    name.boot = stream->boot;
    name.engine_id_len = (uint32_t)stream->engine_id_len;
    if (stream->engine_id_len > 0) /* it may be NULL */
        memcpy(name.engine_id, stream->engine_id, stream->engine_id_len);
    memcpy(name.path, stream->path, strlen(stream->path));
    struct position *position = find(positions, &name);
    if (!position)
        position = add(positions, &name);
    if (!position)
        return ENOMEM;
    position->taken = number + 1;
    position->used_ms = elapsed_now(&positions->elapsed, now_ms);
    positions->last = position;
    return 0;
}

void positions_commit(struct positions *positions)
{
    for (struct position *position = positions->all; position; position = position->hh.next)
        position->committed = position->taken;
}

void positions_undo(struct positions *positions)
{
    for (struct position *position = positions->all; position; position = position->hh.next)
        position->taken = position->committed;
}

void positions_each(const struct positions *positions, sink_cursor_fn *each, void *context)
{
    for (struct position *position = positions->all; position; position = position->hh.next) {
        if (position->committed == 0)
            continue;
        struct sink_stream stream = {.boot = position->name.boot,
                                     .path = position->name.path,
                                     .name = "",
                                     .group = "",
                                     .engine_id = position->name.engine_id,
                                     .engine_id_len = position->name.engine_id_len};
        each(context, &stream, position->committed);
    }
}

static void add_hex(struct octets *text, const void *octets, size_t len)
{
    char digits[2 * ALARM_PATH_SIZE + 1];
    hex_from_octets(digits, octets, len, HEX_LOWER);
    octets_add_text(text, " ");
    octets_add_text(text, len > 0 ? digits : "-");
}

void positions_write(const struct positions *positions, bool taken, struct octets *text)
{
    char line[96];
    for (struct position *position = positions->all; position; position = position->hh.next) {
        uint32_t next = taken ? position->taken : position->committed;
        if (next == 0 || positions->elapsed.at_ms - position->used_ms > POSITIONS_KEEP_MS)
            continue;
        text_format(line, sizeof line, "stream %" PRIu32 " %" PRIu32 " %" PRId64,
                    position->name.boot, next, position->used_ms);
        octets_add_text(text, line);
        add_hex(text, position->name.engine_id, position->name.engine_id_len);
        add_hex(text, position->name.path, strlen(position->name.path));
        octets_add_text(text, "\n");
    }
}

/* Tells how many octets "-" or pairs of digits stand for; false: it is neither, or they are too
 * many. */
static bool read_hex(const char *digits, void *octets, size_t room, size_t *len)
{
    size_t n = strlen(digits);
    *len = 0;
    if (strcmp(digits, "-") == 0)
        return true;
    *len = hex_to_octets(digits, octets, room);
    return n > 0 && n % 2 == 0 && *len == n / 2;
}

int positions_read(struct positions *positions, const char *line, size_t len)
{
    char text[512], engine[2 * ENGINE_ID_MAX + 1], path[2 * ALARM_PATH_SIZE + 1];
    struct name name;
    size_t engine_len, path_len;
    uint32_t next;
    int64_t used_ms;
    int end = 0;
    memset(&name, 0, sizeof name);
    text_format(text, sizeof text, "%.*s", (int)len, line);
    if (len >= sizeof text ||
        sscanf(text, "stream %" SCNu32 " %" SCNu32 " %" SCNd64 " %64s %256s%n", &name.boot, &next,
               &used_ms, engine, path, &end) != 5 ||
        strcmp(text + end, "\n") != 0 || next == 0 ||
        !read_hex(engine, name.engine_id, sizeof name.engine_id, &engine_len) ||
        !read_hex(path, name.path, sizeof name.path - 1, &path_len))
        return EBADMSG;
    name.engine_id_len = (uint32_t)engine_len;
    struct position *position = find(positions, &name);
    if (!position)
        position = add(positions, &name);
    if (!position)
        return ENOMEM;
    position->committed = position->taken = next;
    position->used_ms = used_ms;
    elapsed_read(&positions->elapsed, used_ms);
    return 0;
}
