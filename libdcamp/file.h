/* The file of a segment: created, locked, and allocated on the disk before it is used. */
#ifndef DCAMP_FILE_H
#define DCAMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct file {
    int fd;       /* -1 if there is no file, and the memory is private */
    dev_t device; /* the file behind fd: programs close descriptors that they do not know */
    ino_t inode;
    unsigned char *base; /* SEGMENT_SIZE_MAX octets of addresses; those that the file has may be
                          * used */
};

/* The start time of a process: field 22 of the text of its /proc/PID/stat; 0 if none. Pure. */
uint64_t dcamp_file_start_time(const char *stat);

/* Creates the file of this process in the directory, with one extent, and maps it. segment.h says
 * what happens to a file of this name that an earlier image of the process has left. On failure, it
 * returns an error number, *step says what failed, for people, and nothing is left. */
int dcamp_file_create(struct file *file, const char *directory, uint64_t *start_time,
                      const char **step);

/* Provides memory that nobody else sees, instead of a file. Returns 0 or ENOMEM. */
int dcamp_file_pretend(struct file *file);

/* Allocates [from, from + size) on the disk, and in memory if it is mapped. Returns 0 or ENOMEM;
 * EFBIG if the limit of the process or SEGMENT_SIZE_MAX forbids it; ENOSPC; EOPNOTSUPP if the file
 * system does not support it; EBADF if the descriptor is now that of another file; EINTR. Safe in
 * signal handlers. */
int dcamp_file_allocate(const struct file *file, uint64_t from, uint64_t size);

/* Closes the file, which stays, and releases its lock. The memory still belongs to the file. */
void dcamp_file_close(struct file *file);

/* The same, and further writes to its addresses go to private memory. */
void dcamp_file_release(struct file *file);

/* The same in a child, which shares file and lock with its parent: the parent keeps both. */
void dcamp_file_leave(struct file *file);

/* Removes the file that dcamp_file_create() has just made, and lets go of it. */
void dcamp_file_undo(struct file *file, const char *directory, uint64_t start_time);

#endif
