/* A file that lines are appended to, with one predecessor. */
#ifndef DCAMP_BASE_ROTATEFILE_H
#define DCAMP_BASE_ROTATEFILE_H

#include <stddef.h>
#include <stdint.h>

/* Appends; a file that is made belongs to the owner of its directory (directory_own). A file that
 * would have more than most octets then becomes PATH.1 first, in the place of what was there. What
 * cannot be written whole is not written at all. 0 or an errno. */
int rotatefile_append(const char *path, uint64_t most, const char *text, size_t len);

#endif
