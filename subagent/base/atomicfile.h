/* Files that are replaced whole: a reader, and a start after a power failure, find the old
 * text or the new text, never a part. */
#ifndef DCAMP_BASE_ATOMICFILE_H
#define DCAMP_BASE_ATOMICFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* Writes dir/name with mode 0600 and the owner of dir (directory_own): temporary file dir/name.new,
 * fsync, rename, fsync of the directory. With keep, the previous file stays as dir/name.1, where
 * the file system has hard links. One writer per name. 0 or an errno; then dir/name is as it was,
 * unless only the last fsync failed, and the temporary file is gone. */
int atomicfile_write(const char *dir, const char *name, const void *bytes, size_t len, bool keep);

/* Replaces a file that others read: it keeps its owner, its group and its mode, and a link to it
 * stays one. One that is not there yet gets the mode, and belongs to this process. The same in all
 * else; EINVAL: what is there is no file. */
int atomicfile_replace(const char *path, const void *bytes, size_t len, mode_t mode);

#endif
