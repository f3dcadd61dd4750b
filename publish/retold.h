/* Series that are relayed are told again: a relaying node that restarts relays again, under other
 * numbers, what its children still keep; and so does each node above it. So the history notes for
 * each such series, in the same transactions as its values, up to which times its samples and its
 * windows were told (table newest); and for each number that came to mean a series that was told
 * before, from when on it tells news (table again). A node tells the values of one series in the
 * order of their times.
 *
 * If the clock of a node was ahead, what it told of times that were still to come may be taken
 * again. What it tells once its clock is right is left out only up to the time when its number
 * came.
 *
 * A window that was told in part when its node was killed stays without the rest of its histogram.
 */
#ifndef DCAMP_PUBLISH_RETOLD_H
#define DCAMP_PUBLISH_RETOLD_H

#include "publish/database.h"
#include "publish/digest.h"
#include "report/report.h"

/* Up to when all was told, in milliseconds since 1970; INT64_MIN: nothing was. */
struct retold_until {
    int64_t sample_ms, window_ms;
};

struct retold_number {
    uint32_t number;
    struct retold_until until;
};

/* The numbers of one stream, ascending; if all octets are zero, there are none. */
struct retold {
    struct retold_number *at;
    size_t n;
};

void retold_release(struct retold *retold);

/* Whether an entry, a value or a window, was told before. */
bool retold_is_told(const struct retold_until *until, const struct report_entry *entry);
bool retold_has(const struct retold *retold, const struct report_entry *entry);

/* These work in the transaction of the caller, and return SQLITE_OK or an error of SQLite;
 * SQLITE_NOMEM also means that there is no memory here. */

/* Adds the numbers that the file has of a stream. */
int retold_read(struct retold *retold, struct statements *sql, int64_t stream);

/* From now on, the number means this series: what was told of the series before is not taken again.
 */
int retold_begin(struct retold *retold, struct statements *sql, int64_t stream, uint32_t number,
                 int64_t series, int64_t now_ms);

/* Forgets the numbers of the stream, which tell news only from some time on. */
int retold_forget(struct statements *sql, int64_t stream);

/* Notes that what was digested of a stream of this source was told, as far as it is of other nodes.
 */
int retold_note(struct statements *sql, int64_t source, const struct digest *digest);

/* The next stream after `behind` in which another number than this one means the series; 0: there
 * is none. */
int retold_teller(struct statements *sql, int64_t series, int64_t stream, uint32_t number,
                  int64_t behind, int64_t *teller);

#endif
