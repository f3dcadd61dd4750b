/* What was digested becomes rows of a file of the history: chunks of points in tables of days,
 * cells of minutes and hours. */
#ifndef DCAMP_PUBLISH_TIERS_H
#define DCAMP_PUBLISH_TIERS_H

#include "publish/database.h"
#include "publish/digest.h"

/* What is to be written; false: nothing of that kind. */
struct tiers {
    int64_t raw_from_ms; /* samples before that are in cells only */
    bool has_raw, has_minutes, has_hours;
    uint64_t broken_rows; /* counts the rows of cells that could not be read, and were begun anew */
};

/* In the transaction of the caller. SQLITE_OK, or an error of SQLite; SQLITE_NOMEM also means that
 * there is no memory here. */
int tiers_write(sqlite3 *db, const struct digest *digest, struct tiers *tiers);

/* The time of a window that says to which cell it belongs: its middle. */
int64_t tiers_window_ms(const struct digest_window *window);

/* What comes next, of the samples and windows from these places on: its series, and the beginning
 * of its row of a tier. False: nothing is left. */
bool tiers_next(const struct digest *digest, const struct tier *tier, size_t sample, size_t window,
                int64_t *series, int64_t *start_ms);

/* Adds what was digested of one series to the row of a tier that begins at start_ms: samples from
 * *sample on and windows from *window on, both of which are moved behind the last one of the row. 0
 * or ENOMEM. */
int tiers_count(const struct digest *digest, const struct tier *tier, int64_t series,
                int64_t start_ms, size_t *sample, size_t *window, struct cells *cells);

#endif
