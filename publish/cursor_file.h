/* How far each stream is in a sink that does not know that itself: a file in a directory, with a
 * line for each. It is written after the sink has confirmed: what was confirmed in between, when a
 * process is killed, is given to the sink once more. */
#ifndef DCAMP_PUBLISH_CURSOR_FILE_H
#define DCAMP_PUBLISH_CURSOR_FILE_H

#include "publish/queue.h"

#define CURSOR_FILE "cursors"

/* A node that was not heard of for so long, while others were, and all but this many of its boots,
 * are forgotten: no node keeps its blocks for that long. */
#define CURSOR_FILE_AGE_MS INT64_C(604800000)
#define CURSOR_FILE_BOOTS 4

struct cursor_file;

/* Reads the file of the directory, if there is one. NULL, with *error: it cannot be read, or there
 * is no memory. A file that is none is kept as "cursors.broken", which is logged, and nothing is
 * known. */
struct cursor_file *cursor_file_open(const char *directory, int *error);
void cursor_file_close(struct cursor_file *cursors);

/* That far it is now. 0 or ENOMEM. */
int cursor_file_set(struct cursor_file *cursors, const struct stream_key *key, uint32_t next,
                    int64_t now_ms);

/* Writes the file. 0 or an errno: then it is as it was. */
int cursor_file_save(struct cursor_file *cursors, int64_t now_ms);

typedef void cursor_file_fn(void *context, const struct stream_key *key, uint32_t next);
void cursor_file_each(const struct cursor_file *cursors, cursor_file_fn *each, void *context);

#endif
