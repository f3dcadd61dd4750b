/* Private copies of the octets of a file that somebody else writes, cuts and lets grow meanwhile:
 * by pread(2) and never by a mapping, which would raise SIGBUS where the file was cut. */
#ifndef DCAMP_APPLICATION_COPIES_H
#define DCAMP_APPLICATION_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "application/gaps.h"
#include "application/segment.h"

/* Memory that is used for one file after the other. All zero octets have none. */
struct copies {
    struct copy {
        void *memory;
        char *octets; /* in it */
        size_t room, size;
    } copy[SEGMENT_COPIES];
};

void copies_release(struct copies *copies);

/* Gives back what a very large file needed. */
void copies_shrink(struct copies *copies);

/* Copies a regular file: once, or three times, one after the other. Each has the header first, so
 * that what this announces is in the rest. The copies stay until the next call. *octets grows by
 * what was read. 0; EFBIG: it is larger than SEGMENT_SIZE_MAX; ENOMEM, or what the system says.
 *
 * gaps: these are not read, but for NULL; in the copy, their panels are of no kind. Nor is what is
 * behind all panels that are in use. */
int copies_read(struct copies *copies, int fd, bool thrice, const struct gaps *gaps,
                struct segment_copy copy[SEGMENT_COPIES], uint64_t *octets);

/* Whether somebody holds the lock of the file, or it cannot be known that nobody does. */
bool copies_writer_lives(int fd);

#endif
