#include "cli/packed.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/packing.h"
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

bool packed_is(const uint8_t *octets, size_t len, const uint8_t digest[PACKED_DIGEST])
{
    uint8_t own[PACKED_DIGEST];
    digest_of(octets, len, own);
    return memcmp(own, digest, sizeof own) == 0;
}

bool packed_text(struct packed *packed, const char *text, size_t len, char error[512])
{
    *packed = (struct packed){.octets = NULL};
    if (len == 0)
        return fail(error, "it is empty");
    if (len > PACKING_TEXT_MAX)
        return fail(error, "it has more than 8 MiB");
    packed->octets = packing_pack(text, len, &packed->len);
    if (!packed->octets)
        return fail(error, "no memory");
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

/* The octets and a NUL behind them. NULL: why holds the reason. */
static char *read_open(int fd, size_t *len, char why[512])
{
    char *text = malloc(PACKING_TEXT_MAX + 2);
    ssize_t n = text ? read_up_to(fd, text, PACKING_TEXT_MAX + 1) : -1;
    if (n < 0) {
        fail(why, text ? strerror(errno) : "no memory");
        free(text);
        return NULL;
    }
    text[n] = '\0';
    *len = (size_t)n;
    return text;
}

static void fail_of(const char *path, const char *why, char error[512])
{
    text_format(error, 512, "%s: %.300s", path, why);
}

char *packed_read(const char *path, size_t *len, char error[512])
{
    char why[512];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        fail_of(path, strerror(errno), error);
        return NULL;
    }
    char *text = read_open(fd, len, why);
    close(fd);
    if (!text)
        fail_of(path, why, error);
    return text;
}

char *packed_text_of(struct packed *packed, const char *path, char error[512])
{
    char why[512];
    size_t len;
    char *text = packed_read(path, &len, error);
    if (!text || packed_text(packed, text, len, why))
        return text;
    fail_of(path, why, error);
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
