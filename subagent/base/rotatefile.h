/* A file that lines are appended to, with one predecessor. */
#ifndef DCAMP_BASE_ROTATEFILE_H
#define DCAMP_BASE_ROTATEFILE_H

#include <stddef.h>
#include <stdint.h>

/* Appends text; a new file belongs to the owner of its directory (directory_own). A file that would
 * become larger than most octets is first renamed to PATH.1, replacing the one that was there. If
 * the text cannot be written whole, nothing of it is. Returns 0 or an errno. */
int rotatefile_append(const char *path, uint64_t most, const char *text, size_t len);

#endif
