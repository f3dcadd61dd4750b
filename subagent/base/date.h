/* A time of the calendar, as people and protocols write it, and as milliseconds since 1970 UTC.
 * Pure, but for the time zone of this machine where that is said. */
#ifndef DCAMP_BASE_DATE_H
#define DCAMP_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

struct date {
    int year, month, day, hour, minute, second, deci; /* deci: tenths of a second */
    bool has_offset;                                  /* else it is of a place that is not told */
    int offset;                                       /* minutes east of UTC */
};

/* DateAndTime of RFC 2579: 11 octets, or 8 without an offset. False: it has another form, or an
 * offset beyond 14 hours. Whether there is such a time, date_to_millis says. */
bool date_from_octets(const uint8_t *octets, size_t len, struct date *date);

/* Where there is no offset it is UTC. False, and no change: there is no such time. Second 60, a
 * leap second, is the one after it, as in POSIX. */
bool date_to_millis(const struct date *date, int64_t *wall_ms);

/* The same in the time zone of this machine, whatever the offset says. */
bool date_to_local_millis(const struct date *date, int64_t *wall_ms);

/* A time as RFC 3339 has it, with whole seconds or without: "2026-11-21T22:00:00Z",
 * "2026-11-21T23:00+01:00"; to milliseconds since 1970 UTC. False, and no change, for anything
 * else, for dates that there are not, and for years before 1970. */
bool date_from_text(const char *text, size_t len, int64_t *wall_ms);

/* The same time in UTC and whole seconds; "" for 0. Returns its length. */
size_t date_to_text(char text[DECIMAL_SIZE], int64_t wall_ms);

#endif
