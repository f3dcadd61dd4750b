/* What waits in the inbox of a file of the history, as a reader needs it: of a node all series are
 * digested once, and kept for the next question while nothing has been written. Where they are
 * many, that is when a second one is asked for: a question for one series would need all of that
 * memory. */
#ifndef DCAMP_PUBLISH_UNDIGESTED_H
#define DCAMP_PUBLISH_UNDIGESTED_H

#include "publish/database.h"
#include "publish/digest.h"

/* So many samples and windows are kept of all nodes, or those of one: up to 64 MB of samples. */
#define UNDIGESTED_MAX 2000000

/* So many series of a node, of all its boots, are few: most of the work is then to find and to
 * decode the blocks, and not to keep what they have. */
#define UNDIGESTED_FEW 256

/* All zero octets are none yet. */
struct undigested {
    int64_t version; /* of the file, when they were read */
    size_t n, n_entries;
    struct undigested_node *nodes;
};

void undigested_release(struct undigested *undigested);

/* What waits of a source (in the table source of the file), in a transaction: sorted, by the
 * numbers of the series, at least that of one series; valid up to the next call. NULL: *code is
 * what SQLite says, SQLITE_NOMEM also where there is no memory here. */
const struct digest *undigested_of(struct undigested *undigested, struct statements *sql,
                                   int64_t source, int64_t series, int *code);

#endif
