/* Files of /proc and /sys, below a root that tests can choose. Errors are errno values. */
#ifndef DCAMP_BASE_PROCFILE_H
#define DCAMP_BASE_PROCFILE_H

#include <stddef.h>

/* A file that is read again and again: it is opened once, then read through the kept handle. The
 * handle follows the file, not its name: a test that fakes a file must rewrite it in place. */
struct procfile {
    char *path; /* with the root */
    int fd;     /* -1: closed */
    char *text; /* NUL-terminated after a read that returned 0 */
    size_t length;
    size_t capacity;
};

/* Joins root ("/" on a real system) and a path that begins with '/'. Returns 0 or ENAMETOOLONG. */
int procfile_path(char *joined, size_t size, const char *root, const char *path);

/* Opens nothing yet. Returns 0 or ENOMEM; procfile_release is allowed even then. */
int procfile_init(struct procfile *file, const char *root, const char *path);
void procfile_release(struct procfile *file);

/* Reads the whole file from its beginning. The text of the last read is lost on an error. */
int procfile_read(struct procfile *file);

/* Opens a file to be read. Below a root that a user has chosen, it may be a pipe: opening it does
 * not wait for its writer, and reading it fails with ESPIPE. Returns a file descriptor, or -1 and
 * errno. */
int procfile_open(int dirfd, const char *path);

/* Reads a small file once: text gets at most size - 1 octets, NUL-terminated. A relative path is
 * looked up below dirfd (or AT_FDCWD). */
int procfile_read_once(int dirfd, const char *path, char *text, size_t size);

#endif
