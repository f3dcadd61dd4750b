#include "application/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How much memory is kept for the next file, and the steps in which more is allocated. */
#define KEPT (1u << 20)
#define STEP SEGMENT_EXTENT

/* The alignment of the memory: to a page, as the file is. Some processors (AMD since Zen 3) copy
 * three times as slowly by "rep movsb", which the kernel uses, to 16 octets behind the beginning of
 * a page, which is where malloc(3) places large blocks. */
#define ALIGNMENT 4096

void copies_release(struct copies *copies)
{
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        free(copies->copy[i].memory);
    *copies = (struct copies){0};
}

void copies_shrink(struct copies *copies)
{
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        if (copies->copy[i].room > KEPT) {
            copies_release(copies);
            return;
        }
}

static bool make_room(struct copy *copy, size_t size)
{
    if (size <= copy->room)
        return true;
    char *memory = malloc(size + ALIGNMENT);
    if (!memory)
        return false;
    char *octets = memory + (ALIGNMENT - (uintptr_t)memory % ALIGNMENT) % ALIGNMENT;
    if (copy->size > 0)
        memcpy(octets, copy->octets, copy->size);
    free(copy->memory);
    copy->memory = memory;
    copy->octets = octets;
    copy->room = size;
    return true;
}

/* Reads from the end of what the buffer has up to that size, or to the end of the file. */
static int read_up_to(struct copy *copy, int fd, size_t size, uint64_t *octets)
{
    while (copy->size < size) {
        ssize_t n = pread(fd, copy->octets + copy->size, size - copy->size, (off_t)copy->size);
        if (n < 0 && errno != EINTR)
            return errno;
        if (n == 0)
            break;
        copy->size += n > 0 ? (size_t)n : 0;
        *octets += n > 0 ? (uint64_t)n : 0;
    }
    return 0;
}

static struct segment_panel *panel_at(const struct copy *copy, uint32_t index)
{
    char *octets = copy->octets + SEGMENT_HEADER_SIZE + (size_t)index * SEGMENT_PANEL_SIZE;
    return (struct segment_panel *)(void *)octets;
}

static size_t end_of(uint32_t panels)
{
    return SEGMENT_HEADER_SIZE + (size_t)panels * SEGMENT_PANEL_SIZE;
}

/* Reads up to a gap, which gets panels of no kind; or to the end of the file, if that comes
 * before. */
static int read_to_gap(struct copy *copy, int fd, const struct gap *gap, uint64_t *octets)
{
    int error = read_up_to(copy, fd, end_of(gap->first), octets);
    if (error || copy->size < end_of(gap->first))
        return error;
    for (uint32_t i = gap->first; i < gap->first + gap->panels; i++)
        panel_at(copy, i)->place = 0;
    copy->size = end_of(gap->first + gap->panels);
    return 0;
}

/* Whether there are panels in use behind all that were known. */
static bool has_more(const struct copy *copy, const struct gaps *gaps)
{
    for (uint32_t i = gaps->panels; end_of(i + 1) <= copy->size; i++)
        if (panel_at(copy, i)->place)
            return true;
    return false;
}

/* Reads what was known, except for the gaps that lie within that size, and what follows it
 * directly. is_all: there is no more. */
static int read_known(struct copy *copy, int fd, const struct gaps *gaps, size_t size,
                      uint64_t *octets, bool *is_all)
{
    int error = read_up_to(copy, fd, SEGMENT_HEADER_SIZE, octets);
    size_t end = end_of(gaps->panels + GAPS_MARGIN);
    if (end > size + STEP)
        end = size + STEP;
    for (size_t i = 0; i < gaps->n && !error; i++) {
        const struct gap *gap = &gaps->gap[i];
        if (gap->panels >= GAPS_LEAST && end_of(gap->first + gap->panels) <= size)
            error = read_to_gap(copy, fd, gap, octets);
    }
    if (!error)
        error = read_up_to(copy, fd, end, octets);
    *is_all = copy->size < end || !has_more(copy, gaps);
    return error;
}

/* The file may have grown since its size was asked for: then no room is left at the end. */
static int read_all(struct copy *copy, int fd, size_t next, uint64_t *octets)
{
    size_t size = SEGMENT_HEADER_SIZE;
    do {
        if (!make_room(copy, next > size ? next : size))
            return ENOMEM;
        int error = read_up_to(copy, fd, size, octets);
        if (error)
            return error;
        if (copy->size < size)
            return 0;
        size = next > size ? next : size + STEP;
    } while (copy->size <= SEGMENT_SIZE_MAX);
    return EFBIG;
}

static int read_copy(struct copy *copy, int fd, const struct gaps *gaps, uint64_t *octets)
{
    struct stat status;
    bool is_all = false;
    if (fstat(fd, &status) < 0)
        return errno;
    if (status.st_size > SEGMENT_SIZE_MAX)
        return EFBIG;
    size_t size = (size_t)status.st_size;
    copy->size = 0;
    if (!make_room(copy, size + STEP))
        return ENOMEM;
    int error = gaps && gaps->panels ? read_known(copy, fd, gaps, size, octets, &is_all) : 0;
    return error || is_all ? error : read_all(copy, fd, size + STEP, octets);
}

int copies_read(struct copies *copies, int fd, bool thrice, const struct gaps *gaps,
                struct segment_copy copy[SEGMENT_COPIES], uint64_t *octets)
{
    unsigned first = thrice ? 0 : SEGMENT_READ, last = thrice ? SEGMENT_COPIES - 1 : SEGMENT_READ;
    for (unsigned i = 0; i < SEGMENT_COPIES; i++)
        copy[i] = (struct segment_copy){NULL, 0};
    for (unsigned i = first; i <= last; i++) {
        int error = read_copy(&copies->copy[i], fd, gaps, octets);
        if (error)
            return error;
        copy[i] = (struct segment_copy){copies->copy[i].octets, copies->copy[i].size};
    }
    return 0;
}

bool copies_writer_lives(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) < 0 || lock.l_type != F_UNLCK;
}
