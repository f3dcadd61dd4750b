/* What waits in the inbox of a file of the history, as a reader needs it: all series of a node are
 * digested once, and kept for the next question while nothing has been written. If they are many,
 * this is done only when a second one is asked for: a question for one series would need all of
 * that memory. */
#ifndef DCAMP_PUBLISH_UNDIGESTED_H
#define DCAMP_PUBLISH_UNDIGESTED_H

#include "publish/database.h"
#include "publish/digest.h"

/* How many samples and windows are kept of all nodes together, unless a single node has more: this
 * is up to 64 MB of samples. */
#define UNDIGESTED_MAX 2000000

/* Up to so many series of a node, of all its boots, are few: then most of the work is to find and
 * decode the blocks, not to keep what they have. */
#define UNDIGESTED_FEW 256

/* If all is zero, nothing is kept yet. */
struct undigested {
    int64_t version; /* of the file, when it was read */
    size_t n, n_entries;
    struct undigested_node *nodes;
};

void undigested_release(struct undigested *undigested);

/* What waits of a source (in the table source of the file), in a transaction: sorted, by the ids of
 * the series, with at least what is of this series; valid until the next call. NULL: *code is the
 * error of SQLite, SQLITE_NOMEM also if there is no memory here. */
const struct digest *undigested_of(struct undigested *undigested, struct statements *sql,
                                   int64_t source, int64_t series, int *code);

#endif
