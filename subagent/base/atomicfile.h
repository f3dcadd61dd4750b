/* Files that are replaced whole: a reader, or a start after a power failure, finds the old text or
 * the new text, never a part. */
#ifndef DCAMP_BASE_ATOMICFILE_H
#define DCAMP_BASE_ATOMICFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Writes dir/name with mode 0600 and the owner of dir (directory_own): temporary file dir/name.new,
 * fsync, rename, fsync of the directory. With keep, the previous file stays as dir/name.1, if the
 * file system has hard links. There may be one writer per name. Returns 0 or an errno; after an
 * error dir/name is as it was, unless only the last fsync failed, and the temporary file is gone.
 */
int atomicfile_write(const char *dir, const char *name, const void *bytes, size_t len, bool keep);

/* Replaces a file that others read. It keeps its owner, group and mode; a symbolic link to it stays
 * a link. A file that does not exist yet gets the mode and belongs to this process. All else is as
 * above. EINVAL: what is there is not a regular file. */
int atomicfile_replace(const char *path, const void *bytes, size_t len, mode_t mode);

#endif
