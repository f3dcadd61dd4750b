/* A time of the calendar, as people and protocols write it, and as milliseconds since 1970 UTC.
 * Pure, except for the functions that use the time zone of this machine. */
#ifndef DCAMP_BASE_DATE_H
#define DCAMP_BASE_DATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

struct date {
    int year, month, day, hour, minute, second, deci; /* deci: tenths of a second */
    bool has_offset;                                  /* false: the time zone is not known */
    int offset;                                       /* minutes east of UTC */
};

/* DateAndTime of RFC 2579: 11 octets, or 8 without an offset. False: it has another form, or an
 * offset beyond 14 hours. date_to_millis says whether there is such a time. */
bool date_from_octets(const uint8_t *octets, size_t len, struct date *date);

/* A date without an offset is taken for UTC. False, and no change: there is no such time. Second
 * 60, a leap second, is the second after it, as in POSIX. */
bool date_to_millis(const struct date *date, int64_t *wall_ms);

/* The same, but in the time zone of this machine, whatever the offset says. */
bool date_to_local_millis(const struct date *date, int64_t *wall_ms);

/* A time in the form of RFC 3339, with or without whole seconds: "2026-11-21T22:00:00Z",
 * "2026-11-21T23:00+01:00"; to milliseconds since 1970 UTC. False, and no change, for anything
 * else, for dates that do not exist, and for years before 1970. */
bool date_from_text(const char *text, size_t len, int64_t *wall_ms);

/* The same time as text, in UTC and whole seconds; "" for 0. Returns its length. */
size_t date_to_text(char text[DECIMAL_SIZE], int64_t wall_ms);

#endif
