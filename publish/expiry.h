/* What is removed from the history: what is older than it may become, and the oldest while there is
 * too much.
 *
 * Tables of days are removed as a whole when the last of the day is too old, and so are the
 * minutes, alarms, steps and tops of a file, with its month; hours go with their file. While all
 * files together are larger than they may be, the most detailed is removed, and of that the oldest:
 * days of values, then minutes with what belongs to them, then hours.
 *
 * A clock that goes ahead by more than an hour between two looks may be wrong, and would make
 * everything too old: nothing is removed as too old in the first hour after that. */
#ifndef DCAMP_PUBLISH_EXPIRY_H
#define DCAMP_PUBLISH_EXPIRY_H

#include "publish/chronicle.h"
#include "publish/database.h"

/* With all octets zero except the settings, it has not looked yet. */
struct expiry {
    const struct chronicle_settings *settings;
    int64_t looked_ms, looked_at_old_ms; /* last look at all, and at files not written */
    int64_t believed_ms; /* when the clock is believed again, since it was put ahead */
    uint64_t evicted;    /* how often something was removed before its time */
    bool has_complained; /* that something cannot be removed, while that is so */
};

/* The longest time for which anything of a value is kept. */
int64_t expiry_longest_ms(const struct chronicle_settings *settings);

bool expiry_is_due(const struct expiry *expiry, int64_t now_ms);

/* Must not be called in a transaction. Looks once a minute; at files that are not written, once an
 * hour. file is the one that is written. SQLITE_OK, or an error of SQLite for that one; errors of
 * other files are logged. */
int expiry_look(struct expiry *expiry, sqlite3 *db, const char *file, int64_t now_ms);

/* Removes a file of the directory with its journals. 0 or an errno. */
int expiry_remove(const char *directory, const char *file);

#endif
