/* What goes of the history: what is older than it is to be, and the oldest while there is too much.
 *
 * Tables of days go as a whole when the last of the day is too old, and so do the minutes, alarms,
 * steps and tops of a file, with its month; hours go with their file. While all files together are
 * larger than they may be, the most detailed goes, and of that the oldest: days of values, then
 * minutes with what belongs to them, then hours.
 *
 * A clock that goes ahead by more than an hour between two looks may be wrong, and makes all old
 * that is there: nothing is too old for the first hour in which it goes on from there. */
#ifndef DCAMP_PUBLISH_EXPIRY_H
#define DCAMP_PUBLISH_EXPIRY_H

#include "publish/chronicle.h"
#include "publish/database.h"

/* All zero octets but for the settings are one that has not looked yet. */
struct expiry {
    const struct chronicle_settings *settings;
    int64_t looked_ms, looked_at_old_ms; /* when: at all, and at files that are not written */
    int64_t believed_ms;                 /* from then on the clock, since it was put ahead */
    uint64_t evicted;                    /* how often something went before its time */
    bool has_complained;                 /* that what is to go cannot, as long as it cannot */
};

/* So long something of a value is kept. */
int64_t expiry_longest_ms(const struct chronicle_settings *settings);

bool expiry_is_due(const struct expiry *expiry, int64_t now_ms);

/* Not in a transaction. Looks once a minute, at files that are not written once an hour; file: the
 * one that is. SQLITE_OK, or what SQLite says of that one; what is wrong with others is said in the
 * log. */
int expiry_look(struct expiry *expiry, sqlite3 *db, const char *file, int64_t now_ms);

/* Removes a file of the directory with its journals. 0 or an errno. */
int expiry_remove(const char *directory, const char *file);

#endif
