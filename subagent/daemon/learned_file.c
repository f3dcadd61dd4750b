#include "daemon/learned_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomicfile.h"
#include "base/text.h"

/* The CBOR of an array of two; the format; a byte string of 32 octets: RFC 8949, section 3. */
static const uint8_t head[] = {0x82, 0x01, 0x58, SHA256_DIGEST_LENGTH};

_Static_assert(sizeof head + SHA256_DIGEST_LENGTH == LEARNED_FILE_HEAD, "as its header says");

static void digest_of(const uint8_t *octets, size_t n, uint8_t digest[SHA256_DIGEST_LENGTH])
{
    SHA2_CTX hash;
    SHA256Init(&hash);
    SHA256Update(&hash, octets, n);
    SHA256Final(digest, &hash);
}

int learned_file_write(const char *dir, uint8_t *octets, size_t n)
{
    if (n > LEARNED_FILE_MAX)
        return EFBIG;
    memcpy(octets, head, sizeof head);
    digest_of(octets + LEARNED_FILE_HEAD, n - LEARNED_FILE_HEAD, octets + sizeof head);
    return atomicfile_write(dir, LEARNED_FILE, octets, n, false);
}

static int read_all(int fd, uint8_t *at, size_t n)
{
    while (n > 0) {
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? errno : EBADMSG;
        at += got;
        n -= (size_t)got;
    }
    return 0;
}

static int read_open(int fd, uint8_t **octets, size_t *n)
{
    struct stat file;
    if (fstat(fd, &file) < 0)
        return errno;
    if (!S_ISREG(file.st_mode) || file.st_size > LEARNED_FILE_MAX ||
        file.st_size < LEARNED_FILE_HEAD)
        return EBADMSG;
    *n = (size_t)file.st_size;
    *octets = malloc(*n);
    return *octets ? read_all(fd, *octets, *n) : ENOMEM;
}

/* Why the octets cannot be used; NULL: they can. */
static const char *fault_of(const uint8_t *octets, size_t n)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];
    if (memcmp(octets, head, sizeof head) != 0)
        return "is none of this version of dcampd";
    digest_of(octets + LEARNED_FILE_HEAD, n - LEARNED_FILE_HEAD, digest);
    return memcmp(digest, octets + sizeof head, sizeof digest) == 0
               ? NULL
               : "is damaged: its SHA-256 is another one";
}

int learned_file_read(const char *dir, uint8_t **octets, size_t *n, char error[1024])
{
    char path[PATH_MAX];
    *octets = NULL;
    if (snprintf(path, sizeof path, "%s/" LEARNED_FILE, dir) >= (int)sizeof path)
        return ENOENT;
    /* Without O_NONBLOCK, a pipe that nobody writes would block this. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 && errno == ENOENT)
        return ENOENT;
    int code = fd < 0 ? errno : read_open(fd, octets, n);
    const char *fault = code == EBADMSG ? "is damaged: it is cut, too large, or no file"
                        : code          ? strerror(code)
                                        : fault_of(*octets, *n);
    if (fd >= 0)
        close(fd);
    if (fault) {
        text_format(error, 1024, "%s: %s", path, fault);
        free(*octets);
        *octets = NULL;
        return code ? code : EBADMSG;
    }
    *n -= LEARNED_FILE_HEAD;
    memmove(*octets, *octets + LEARNED_FILE_HEAD, *n);
    return 0;
}

int learned_file_set_aside(const char *dir)
{
    char path[PATH_MAX], bad[PATH_MAX];
    if (snprintf(bad, sizeof bad, "%s/" LEARNED_FILE ".bad", dir) >= (int)sizeof bad)
        return ENAMETOOLONG;
    snprintf(path, sizeof path, "%s/" LEARNED_FILE, dir);
    return rename(path, bad) == 0 ? 0 : errno;
}
