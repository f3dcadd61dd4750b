#include "publish/kafka/message.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* -- Lines ----------------------------------------------------------------------------------- */

static void add_text(struct octets *octets, const char *text)
{
    octets_add_percent(octets, text, strlen(text));
}

void message_add_key(struct octets *key, const struct line *line)
{
    add_text(key, line->node);
    if (line->kind == LINE_ALARM || line->kind == LINE_ALARM_CLEARED) {
        octets_add_text(key, "/$alarm/");
        octets_add_unsigned(key, line->alarm_id);
        return;
    }
    octets_add(key, "/", 1);
    add_text(key, line->words.sensor);
    octets_add(key, "/", 1);
    add_text(key, line->words.instance);
}

int64_t message_time(int64_t wall_ms, int64_t now_ms)
{
    return wall_ms > 0 && wall_ms <= now_ms + MESSAGE_AHEAD_MS ? wall_ms : now_ms;
}

/* -- Cursors --------------------------------------------------------------------------------- */

void message_add_cursor_key(struct octets *key, const char *identity,
                            const struct sink_stream *stream)
{
    char hexadecimal[3];
    add_text(key, identity);
    octets_add(key, " ", 1);
    add_text(key, stream->path);
    octets_add(key, " ", 1);
    for (size_t i = 0; i < stream->engine_id_len; i++) {
        snprintf(hexadecimal, sizeof hexadecimal, "%02x", stream->engine_id[i]);
        octets_add(key, hexadecimal, 2);
    }
    octets_add(key, " ", 1);
    octets_add_unsigned(key, stream->boot);
}

/* What is left of a key. */
struct rest {
    const char *at;
    size_t len;
};

/* Takes the part up to the next blank, or the end; false: there is no part left. */
static bool next_part(struct rest *rest, struct rest *part)
{
    if (!rest->at)
        return false;
    const char *blank = memchr(rest->at, ' ', rest->len);
    *part = (struct rest){rest->at, blank ? (size_t)(blank - rest->at) : rest->len};
    *rest = blank ? (struct rest){blank + 1, rest->len - part->len - 1} : (struct rest){NULL, 0};
    return true;
}

static bool read_octet(const char *at, const char *digits, uint8_t *octet)
{
    const char *high = at[0] ? strchr(digits, at[0]) : NULL;
    const char *low = at[1] ? strchr(digits, at[1]) : NULL;
    if (!high || !low)
        return false;
    *octet = (uint8_t)((high - digits) << 4 | (low - digits));
    return true;
}

/* Reads the text from which octets_add_percent() has made this part. */
static bool read_text(struct rest part, char *text, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < part.len; i++) {
        uint8_t octet = (uint8_t)part.at[i];
        if (n + 1 >= size)
            return false;
        if (octet == '%') {
            if (i + 2 >= part.len || !read_octet(part.at + i + 1, "0123456789ABCDEF", &octet))
                return false;
            i += 2;
        }
        if (octet == 0)
            return false;
        text[n++] = (char)octet;
    }
    text[n] = '\0';
    return true;
}

static bool read_engine(struct rest part, uint8_t engine_id[ENGINE_ID_MAX], size_t *len)
{
    *len = part.len / 2;
    if (part.len % 2 != 0 || *len > ENGINE_ID_MAX)
        return false;
    for (size_t i = 0; i < *len; i++)
        if (!read_octet(part.at + 2 * i, "0123456789abcdef", &engine_id[i]))
            return false;
    return true;
}

bool message_read_next(uint32_t *next, const char *value, size_t len)
{
    uint64_t number = 0;
    if (len == 0 || len > 10)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (!isdigit((unsigned char)value[i]))
            return false;
        number = number * 10 + (uint64_t)(value[i] - '0');
    }
    *next = (uint32_t)number;
    return number <= UINT32_MAX;
}

bool message_read_cursor_key(struct message_cursor *cursor, const char *identity, const char *key,
                             size_t len)
{
    struct rest rest = {key, len}, part[4];
    char whose[4096];
    struct sink_stream *stream = &cursor->stream;
    *cursor = (struct message_cursor){
        .stream = {.name = "", .group = "", .path = cursor->path, .engine_id = cursor->engine_id}};
    for (int i = 0; i < 4; i++)
        if (!next_part(&rest, &part[i]))
            return false;
    return !rest.at && read_text(part[0], whose, sizeof whose) && strcmp(whose, identity) == 0 &&
           read_text(part[1], cursor->path, sizeof cursor->path) &&
           read_engine(part[2], cursor->engine_id, &stream->engine_id_len) &&
           message_read_next(&stream->boot, part[3].at, part[3].len);
}
