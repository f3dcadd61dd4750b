/* How far the streams are in a batch, which is the blocks that were given to a sink since its last
 * commit: for a sink that keeps the cursors in the same transaction as the entries. Pure. */
#ifndef DCAMP_PUBLISH_PROGRESS_H
#define DCAMP_PUBLISH_PROGRESS_H

#include <stddef.h>
#include <stdint.h>

#include "publish/sink.h"

struct progress;

/* NULL: no memory. progress_free(NULL) is legal. */
struct progress *progress_new(void);
void progress_free(struct progress *progress);

/* The block becomes part of the batch. 0 or ENOMEM. */
int progress_take(struct progress *progress, const struct sink_stream *stream, uint32_t number);

/* Calls each() with every stream of the batch; a return that is not 0 ends it, and is returned. */
typedef int progress_fn(void *context, const struct sink_stream *stream, uint32_t next);
int progress_each(const struct progress *progress, progress_fn *each, void *context);

/* The batch has ended: the next one has nothing yet. */
void progress_committed(struct progress *progress);

/* How many streams it knows; one of which nothing came in so many batches is forgotten. */
#define PROGRESS_IDLE_MAX 1000
size_t progress_count(const struct progress *progress);

#endif
