#include "director/packed.h"

#include <sha2.h>
#include <stdlib.h>
#include <zlib.h>

static void make_digest(struct packed *packed)
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, packed->octets, packed->len);
    SHA256Final(packed->digest, &context);
}

struct packed *packed_make(const char *text, size_t len)
{
    uLongf room = compressBound(len);
    struct packed *packed = malloc(sizeof *packed + room), *whole;
    if (!packed)
        return NULL;
    if (compress2(packed->octets, &room, (const Bytef *)text, len, Z_BEST_COMPRESSION) != Z_OK ||
        room > PACKED_MAX) {
        free(packed);
        return NULL;
    }
    whole = realloc(packed, sizeof *packed + room);
    packed = whole ? whole : packed; /* the larger one is as good */
    packed->users = 1;
    packed->len = (uint32_t)room;
    make_digest(packed);
    return packed;
}

struct packed *packed_use(struct packed *packed)
{
    packed->users++;
    return packed;
}

void packed_drop(struct packed *packed)
{
    if (packed && --packed->users == 0)
        free(packed);
}
