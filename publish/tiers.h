/* What was digested becomes rows of a file of the history: chunks of points in tables of days,
 * cells of minutes and hours. */
#ifndef DCAMP_PUBLISH_TIERS_H
#define DCAMP_PUBLISH_TIERS_H

#include "publish/database.h"
#include "publish/digest.h"

/* What is to be written; 0 or false: nothing of it. */
struct tiers {
    int64_t raw_from_ms; /* samples before that are in cells only */
    bool has_raw, has_minutes, has_hours;
    uint64_t broken_rows; /* is counted up: cells that could not be read, and were begun anew */
};

/* In the transaction of the caller. SQLITE_OK, or what SQLite says; SQLITE_NOMEM is also said where
 * there is no memory here. */
int tiers_write(sqlite3 *db, const struct digest *digest, struct tiers *tiers);

/* The time of a window for whoever asks in which cell it belongs: its middle. */
int64_t tiers_window_ms(const struct digest_window *window);

/* The series, and the beginning of the row of a tier, of what comes next of the samples from one on
 * and of the windows from one on. False: nothing does. */
bool tiers_next(const struct digest *digest, const struct tier *tier, size_t sample, size_t window,
                int64_t *series, int64_t *start_ms);

/* Counts what was digested, of one series, in the row of a tier that begins then: samples from
 * *sample on and windows from *window on, which are moved behind the last of the row. 0 or ENOMEM.
 */
int tiers_count(const struct digest *digest, const struct tier *tier, int64_t series,
                int64_t start_ms, size_t *sample, size_t *window, struct cells *cells);

#endif
