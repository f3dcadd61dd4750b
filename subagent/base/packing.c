#include "base/packing.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>

#define FIRST_ROOM 16384u

static const char no_memory[] = "no memory", too_large[] = "its text is larger than 8 MiB";

/* Makes room for more text. False: the text has reached its largest size, or there is no memory. */
static bool grow(z_stream *stream, char **text, size_t *room)
{
    size_t more = *room ? *room * 2 : FIRST_ROOM;
    if (more > PACKING_TEXT_MAX)
        more = PACKING_TEXT_MAX + 1; /* a text that fills this is too large */
    char *grown = more > *room ? realloc(*text, more + 1) : NULL;
    if (!grown)
        return false;
    *text = grown;
    stream->next_out = (unsigned char *)grown + *room;
    stream->avail_out = (uInt)(more - *room);
    *room = more;
    return true;
}

static const char *inflate_all(z_stream *stream, char **text)
{
    size_t room = 0;
    int code = Z_OK;
    while (code == Z_OK) {
        if (stream->avail_out == 0 && !grow(stream, text, &room))
            return room <= PACKING_TEXT_MAX ? no_memory : too_large;
        code = inflate(stream, Z_NO_FLUSH);
    }
    if (code == Z_MEM_ERROR)
        return no_memory;
    if (code != Z_STREAM_END)
        return "it cannot be unpacked; it must be what compress2 of zlib makes";
    if (stream->total_out > PACKING_TEXT_MAX)
        return too_large;
    return stream->avail_in > 0 ? "there are octets behind its end" : NULL;
}

char *packing_unpack(const uint8_t *octets, size_t n, size_t *len, const char **fault)
{
    z_stream stream = {.next_in = (unsigned char *)octets, .avail_in = (uInt)n};
    char *text = NULL;
    *fault = inflateInit(&stream) == Z_OK ? inflate_all(&stream, &text) : no_memory;
    inflateEnd(&stream);
    if (*fault) {
        free(text);
        errno = *fault == no_memory ? ENOMEM : EBADMSG;
        return NULL;
    }
    *len = stream.total_out;
    text[*len] = '\0';
    char *fitting = realloc(text, *len + 1);
    if (fitting)
        text = fitting;
    return text;
}

uint8_t *packing_pack(const char *text, size_t len, size_t *n)
{
    uLongf room = compressBound(len);
    uint8_t *octets = malloc(room);
    if (!octets)
        return NULL;
    if (compress2(octets, &room, (const unsigned char *)text, len, Z_BEST_COMPRESSION) != Z_OK) {
        free(octets);
        return NULL;
    }
    *n = room;
    return octets;
}
