/* The file of a segment: created, locked, and allocated on the disk before it is used. */
#ifndef DCAMP_FILE_H
#define DCAMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file {
    int fd;       /* -1: none, the memory is private */
    dev_t device; /* which file that was: programs close descriptors that they do not know */
    ino_t inode;
    unsigned char *base; /* SEGMENT_SIZE_MAX octets of addresses, of which those in the file may be
                            used */
};

/* The start time of a process, field 22 of the text of its /proc/PID/stat; 0: none. Pure. */
uint64_t dcamp_file_start_time(const char *stat);

/* Creates the file of this process in the directory, with one extent, and maps it. What is said of
 * the file of this name that an earlier image of the process has left is in segment.h. On failure
 * an error number, and *step is what failed, for people; then nothing is left. */
int dcamp_file_create(struct file *file, const char *directory, uint64_t *start_time,
                      const char **step);

/* Memory that nobody else sees instead. ENOMEM. */
int dcamp_file_pretend(struct file *file);

/* Allocates [from, from + size) of the disk, and of the memory, if it is mapped. ENOMEM, EFBIG
 * where the limit of the process or SEGMENT_SIZE_MAX forbids it, ENOSPC, EOPNOTSUPP where the file
 * system cannot, EBADF where the descriptor has become that of another file, EINTR. Safe in
 * handlers of signals. */
int dcamp_file_allocate(const struct file *file, uint64_t from, uint64_t size);

/* Closes the file, which stays, and gives its lock back. Its memory is still that of the file. */
void dcamp_file_close(struct file *file);

/* The same; and what still writes to its addresses writes to private memory. */
void dcamp_file_release(struct file *file);

/* The same in a child, which has file and lock together with its parent: that keeps both. */
void dcamp_file_leave(struct file *file);

/* Removes what dcamp_file_create() has just made, and lets go of it. */
void dcamp_file_undo(struct file *file, const char *directory, uint64_t start_time);

#endif
