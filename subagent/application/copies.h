/* Private copies of the octets of a file that somebody else may write, truncate and extend
 * meanwhile: made by pread(2) and never by a mapping, which would raise SIGBUS if the file was
 * truncated. */
#ifndef DCAMP_APPLICATION_COPIES_H
#define DCAMP_APPLICATION_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "application/gaps.h"
#include "application/segment.h"

/* Memory that is used for one file after the other. An all-zero struct has none. */
struct copies {
    struct copy {
        void *memory;
        char *octets; /* within memory */
        size_t room, size;
    } copy[SEGMENT_COPIES];
};

void copies_release(struct copies *copies);

/* Gives back the memory that a very large file needed. */
void copies_shrink(struct copies *copies);

/* Copies a regular file: once, or three times in succession. Each copy has the header first, so
 * that everything that the header announces is in the rest. The copies stay valid until the next
 * call. *octets is increased by the octets that were read. 0; EFBIG: the file is larger than
 * SEGMENT_SIZE_MAX; ENOMEM, or the error of the system.
 *
 * gaps: unless NULL, these are not read; in the copy, their panels are of no kind. What is behind
 * all panels in use is not read either. */
int copies_read(struct copies *copies, int fd, bool thrice, const struct gaps *gaps,
                struct segment_copy copy[SEGMENT_COPIES], uint64_t *octets);

/* Whether somebody holds the lock of the file, or it cannot be known that nobody does. */
bool copies_writer_lives(int fd);

#endif
