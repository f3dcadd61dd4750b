#include "config/parcel.h"

#include <errno.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <openssl/evp.h>
#include <zlib.h>

#include "base/text.h"

struct parcel *parcel_use(struct parcel *parcel)
{
    if (parcel)
        parcel->users++;
    return parcel;
}

void parcel_drop(struct parcel *parcel)
{
    if (!parcel || --parcel->users > 0)
        return;
    free(parcel->base64);
    free(parcel);
}

struct parcel *parcel_of(const uint8_t *octets, size_t len)
{
    if (len == 0 || len > PARCEL_MAX)
        return NULL;
    struct parcel *parcel = malloc(sizeof *parcel + len);
    if (!parcel)
        return NULL;
    *parcel = (struct parcel){.users = 1, .len = (uint32_t)len};
    memcpy(parcel->octets, octets, len);
    SHA2_CTX hash;
    SHA256Init(&hash);
    SHA256Update(&hash, octets, len);
    SHA256Final(parcel->digest, &hash);
    return parcel;
}

/* -- In the state file ------------------------------------------------------------------------ */

#define BASE64_SIZE(len) (((len) + 2) / 3 * 4 + 1)

const char *parcel_base64(struct parcel *parcel)
{
    if (!parcel->base64)
        parcel->base64 = malloc(BASE64_SIZE((size_t)parcel->len));
    else
        return parcel->base64;
    if (parcel->base64)
        EVP_EncodeBlock((unsigned char *)parcel->base64, parcel->octets, (int)parcel->len);
    return parcel->base64;
}

/* Blanks and line ends may be anywhere in it. 0 or an errno; *len: what there is. */
static int decode(EVP_ENCODE_CTX *context, const char *text, size_t n, uint8_t *octets, size_t *len)
{
    int first = 0, last = 0;
    EVP_DecodeInit(context);
    if (EVP_DecodeUpdate(context, octets, &first, (const unsigned char *)text, (int)n) < 0 ||
        EVP_DecodeFinal(context, octets + first, &last) < 0)
        return EBADMSG;
    *len = (size_t)first + (size_t)last;
    return 0;
}

int parcel_from_base64(const char *text, size_t len, struct parcel **parcel)
{
    *parcel = NULL;
    if (len > 2 * BASE64_SIZE((size_t)PARCEL_MAX))
        return EBADMSG;
    uint8_t *octets = malloc(len / 4 * 3 + 3);
    EVP_ENCODE_CTX *context = EVP_ENCODE_CTX_new();
    size_t n = 0;
    int code = octets && context ? decode(context, text, len, octets, &n) : ENOMEM;
    if (!code && (n == 0 || n > PARCEL_MAX))
        code = EBADMSG;
    if (!code)
        *parcel = parcel_of(octets, n);
    EVP_ENCODE_CTX_free(context);
    free(octets);
    return code ? code : *parcel ? 0 : ENOMEM;
}

/* -- Packed ----------------------------------------------------------------------------------- */

#define FIRST_ROOM 16384u
#define NO_MEMORY "no memory"
#define TOO_LARGE "its text is larger than 8 MiB"

/* Makes room for more text. False: there is as much as there may be, or no memory. */
static bool grow(z_stream *stream, char **text, size_t *room)
{
    size_t more = *room ? *room * 2 : FIRST_ROOM;
    if (more > PARCEL_TEXT_MAX)
        more = PARCEL_TEXT_MAX + 1; /* what fills it is too large */
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
            return room <= PARCEL_TEXT_MAX ? NO_MEMORY : TOO_LARGE;
        code = inflate(stream, Z_NO_FLUSH);
    }
    if (code == Z_MEM_ERROR)
        return NO_MEMORY;
    if (code != Z_STREAM_END)
        return "it cannot be unpacked; it must be what compress2 of zlib makes";
    if (stream->total_out > PARCEL_TEXT_MAX)
        return TOO_LARGE;
    return stream->avail_in > 0 ? "there are octets behind its end" : NULL;
}

char *parcel_unpack(const uint8_t *octets, size_t n, size_t *len, char error[FAULT_SIZE])
{
    z_stream stream = {.next_in = (unsigned char *)octets, .avail_in = (uInt)n};
    char *text = NULL;
    const char *fault = inflateInit(&stream) == Z_OK ? inflate_all(&stream, &text) : NO_MEMORY;
    inflateEnd(&stream);
    if (fault) {
        text_format(error, FAULT_SIZE, "%s", fault);
        free(text);
        errno = strcmp(fault, NO_MEMORY) == 0 ? ENOMEM : EBADMSG;
        return NULL;
    }
    *len = stream.total_out;
    text[*len] = '\0';
    char *fitting = realloc(text, *len + 1);
    if (fitting)
        return fitting;
    return text;
}

uint8_t *parcel_pack(const char *text, size_t len, size_t *n)
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

struct parcel *parcel_make(const char *text, size_t len)
{
    size_t n = 0;
    uint8_t *octets = parcel_pack(text, len, &n);
    struct parcel *parcel = octets ? parcel_of(octets, n) : NULL;
    free(octets);
    return parcel;
}
