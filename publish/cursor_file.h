/* How far each stream is, for a sink that does not know that itself: a file in a directory, with a
 * line for each. It is written after the sink has confirmed. If the process is killed in between,
 * what was confirmed is given to the sink once more. */
#ifndef DCAMP_PUBLISH_CURSOR_FILE_H
#define DCAMP_PUBLISH_CURSOR_FILE_H

#include "publish/queue.h"

#define CURSOR_FILE "cursors"

/* A node is forgotten if it was not heard of for so long while others were, and so are all but the
 * last so many of its boots: no node keeps its blocks for that long. */
#define CURSOR_FILE_AGE_MS INT64_C(604800000)
#define CURSOR_FILE_BOOTS 4

struct cursor_file;

/* Reads the file of the directory, if there is one. NULL, with *error: it cannot be read, or there
 * is no memory. A file that is not valid is kept as "cursors.broken", which is logged, and no
 * cursors are known then. */
struct cursor_file *cursor_file_open(const char *directory, int *error);
void cursor_file_close(struct cursor_file *cursors);

/* Sets how far the stream is. 0 or ENOMEM. */
int cursor_file_set(struct cursor_file *cursors, const struct stream_key *key, uint32_t next,
                    int64_t now_ms);

/* Writes the file. 0, or an errno; then the file is as it was. */
int cursor_file_save(struct cursor_file *cursors, int64_t now_ms);

typedef void cursor_file_fn(void *context, const struct stream_key *key, uint32_t next);
void cursor_file_each(const struct cursor_file *cursors, cursor_file_fn *each, void *context);

#endif
