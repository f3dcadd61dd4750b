#include "application/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory that is kept for the next file, and steps in which more of it is asked for. */
#define KEPT (1u << 20)
#define STEP SEGMENT_EXTENT

/* Where the memory begins: on a page, as the file does. Some processors (AMD since Zen 3) copy three
 * times as slowly by "rep movsb", as the kernel does, to 16 octets behind the beginning of a page,
 * which is where malloc(3) has large memory. */
#define ALIGNMENT 4096

void copies_release(struct copies *copies)
{
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        free(copies->buffer[i].memory);
    *copies = (struct copies){0};
}

void copies_shrink(struct copies *copies)
{
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        if (copies->buffer[i].room > KEPT) {
            copies_release(copies);
            return;
        }
}

static bool make_room(struct copies *copies, unsigned i, size_t size)
{
    if (size <= copies->buffer[i].room)
        return true;
    char *memory = malloc(size + ALIGNMENT);
    if (!memory)
        return false;
    char *octets = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
    if (copies->buffer[i].size > 0)
        memcpy(octets, copies->buffer[i].octets, copies->buffer[i].size);
    free(copies->buffer[i].memory);
    copies->buffer[i].memory = memory;
    copies->buffer[i].octets = octets;
    copies->buffer[i].room = size;
    return true;
}

/* From the end of what the buffer has up to that size, or to the end of the file. */
static int read_up_to(struct copies *copies, unsigned i, int fd, size_t size)
{
    size_t *have = &copies->buffer[i].size;
    while (*have < size) {
        ssize_t n = pread(fd, copies->buffer[i].octets + *have, size - *have, (off_t)*have);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n == 0)
            break;
        *have += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* The file may have grown since its size was asked for: then there is no room left at the end. */
static int read_copy(struct copies *copies, unsigned i, int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return errno;
    if (status.st_size > SEGMENT_SIZE_MAX)
        return EFBIG;
    size_t size = SEGMENT_HEADER_SIZE, next = (size_t)status.st_size + STEP;
    copies->buffer[i].size = 0;
    do {
        if (!make_room(copies, i, next > size ? next : size))
            return ENOMEM;
        int error = read_up_to(copies, i, fd, size);
        if (error)
            return error;
        if (copies->buffer[i].size < size)
            return 0;
        size = next > size ? next : size + STEP;
    } while (copies->buffer[i].size <= SEGMENT_SIZE_MAX);
    return EFBIG;
}

int copies_read(struct copies *copies, int fd, bool thrice,
                struct segment_copy copy[SEGMENT_COPIES], uint64_t *octets)
{
    unsigned first = thrice ? 0 : SEGMENT_READ, last = thrice ? SEGMENT_COPIES - 1 : SEGMENT_READ;
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        copy[i] = (struct segment_copy){NULL, 0};
    for (unsigned i = first; i <= last; i++) {
        int error = read_copy(copies, i, fd);
        *octets += copies->buffer[i].size;
        if (error)
            return error;
        copy[i] = (struct segment_copy){copies->buffer[i].octets, copies->buffer[i].size};
    }
    return 0;
}

bool copies_writer_lives(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}
