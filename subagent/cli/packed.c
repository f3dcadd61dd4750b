#include "cli/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text.h"

static bool fail(char error[512], const char *what)
{
    text_format(error, 512, "%s", what);
    return false;
}

static void digest_of(const uint8_t *octets, size_t len, uint8_t digest[PACKED_DIGEST])
{
    SHA2_CTX context;
    SHA256Init(&context);
    SHA256Update(&context, octets, len);
    SHA256Final(digest, &context);
}

bool packed_text(struct packed *packed, const char *text, size_t len, char error[512])
{
    *packed = (struct packed){.octets = NULL};
    if (len == 0)
        return fail(error, "it is empty");
    if (len > PACKED_TEXT_MAX)
        return fail(error, "it has more than 8 MiB");
    uLongf room = compressBound(len);
    packed->octets = malloc(room);
    if (!packed->octets ||
        compress2(packed->octets, &room, (const Bytef *)text, len, Z_BEST_COMPRESSION) != Z_OK) {
        packed_free(packed);
        return fail(error, "no memory");
    }
    packed->len = room;
    digest_of(packed->octets, packed->len, packed->digest);
    if (packed->len <= PACKED_MAX)
        return true;
    packed_free(packed);
    return fail(error, "it has more than 1 MiB, even when it is packed");
}

void packed_free(struct packed *packed)
{
    free(packed->octets);
    packed->octets = NULL;
}

/* Returns how much was read, up to size; -1: it failed. */
static ssize_t read_up_to(int fd, char *text, size_t size)
{
    size_t len = 0;
    while (len < size) {
        ssize_t n = read(fd, text + len, size - len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        if (n == 0)
            break;
        len += (size_t)n;
    }
    return (ssize_t)len;
}

static char *read_open(int fd, size_t *len, char why[512])
{
    char *text = malloc(PACKED_TEXT_MAX + 2);
    ssize_t n = text ? read_up_to(fd, text, PACKED_TEXT_MAX + 1) : -1;
    if (n < 0) {
        fail(why, text ? strerror(errno) : "no memory");
        free(text);
        return NULL;
    }
    text[n] = '\0';
    *len = (size_t)n;
    return text;
}

char *packed_text_of(struct packed *packed, const char *path, char error[512])
{
    char why[512];
    size_t len;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = fd >= 0 ? read_open(fd, &len, why) : NULL;
    bool good = text && packed_text(packed, text, len, why);
    if (fd < 0)
        text_format(why, sizeof why, "%s", strerror(errno));
    else
        close(fd);
    if (good)
        return text;
    text_format(error, 512, "%s: %.300s", path, why);
    free(text);
    return NULL;
}

bool packed_file(struct packed *packed, const char *path, char error[512])
{
    char *text = packed_text_of(packed, path, error);
    bool good = text != NULL;
    free(text);
    return good;
}
