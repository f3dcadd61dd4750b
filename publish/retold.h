/* Series that are relayed are told again: a relaying node that restarts relays again, under other
 * numbers, what its children still keep; and so does each node above it. So the history has of each
 * such series, in the same transactions as its values, up to which times its samples and its
 * windows were told (table newest); and of each number that came to mean a series that was told
 * before, from when on it tells news (table again). A node tells the values of one series in the
 * order of their times.
 *
 * Where a node had a clock that was ahead, what it has told of times that were still to come may be
 * taken again; what it tells once that is right is left out only up to when its number came.
 *
 * A window that was told in part when its node was killed stays without the rest of its histogram.
 */
#ifndef DCAMP_PUBLISH_RETOLD_H
#define DCAMP_PUBLISH_RETOLD_H

#include "publish/database.h"
#include "publish/digest.h"
#include "report/report.h"

/* Up to then, in milliseconds since 1970, all was told; INT64_MIN: nothing was. */
struct retold_until {
    int64_t sample_ms, window_ms;
};

struct retold_number {
    uint32_t number;
    struct retold_until until;
};

/* Those of one stream, ascending; all zero octets are none. */
struct retold {
    struct retold_number *at;
    size_t n;
};

void retold_release(struct retold *retold);

/* Whether an entry, a value or a window, was told before. */
bool retold_is_told(const struct retold_until *until, const struct report_entry *entry);
bool retold_has(const struct retold *retold, const struct report_entry *entry);

/* These work in the transaction of the caller, and return SQLITE_OK or what SQLite says; also
 * SQLITE_NOMEM where there is no memory here. */

/* Adds those that the file has of a stream. */
int retold_read(struct retold *retold, struct statements *sql, int64_t stream);

/* From now on, the number means that series: what was told of that before is not taken again. */
int retold_begin(struct retold *retold, struct statements *sql, int64_t stream, uint32_t number,
                 int64_t series, int64_t now_ms);

/* The stream has no numbers any more. */
int retold_forget(struct statements *sql, int64_t stream);

/* What was digested of a stream of that source was told, as far as it is of other nodes. */
int retold_note(struct statements *sql, int64_t source, const struct digest *digest);

/* The next stream behind that one by which another number means the series; 0: there is none. */
int retold_teller(struct statements *sql, int64_t series, int64_t stream, uint32_t number,
                  int64_t behind, int64_t *teller);

#endif
