/* Maintenance: when alarms are not to be told, by the wall clock. Pure but for the time zone.
 *
 * Whether it is maintenance depends only on the wall clock at that moment, and nothing is counted:
 * after a step of the clock the answer is that of the new time. Times of day are local. A time that
 * does not exist on a day of the change to summer time, or exists twice, is what mktime(3) makes of
 * it, and the window has its full length from there on. */
#ifndef DCAMP_ALARM_MAINTENANCE_H
#define DCAMP_ALARM_MAINTENANCE_H

#include <stdbool.h>
#include <stdint.h>

#define MAINTENANCE_LONGEST_MS (UINT32_C(7) * 86400000)

struct maintenance {
    int64_t begin_ms, end_ms; /* wall clock; 0: not given; without days they are the window itself,
                                 else weekly windows count only between them */
    uint32_t duration_ms;     /* from the beginning of a window; 0: not given */
    unsigned days;            /* bit 0 is Sunday, as in tm_wday; 0: there is only one window */
    unsigned minute;          /* of the day, at which the weekly windows begin */
};

bool maintenance_active(const struct maintenance *maintenance, int64_t wall_ms);

/* Reads a time of day such as "22:30". */
bool maintenance_minute(const char *text, unsigned *minute);

/* What is wrong with it, or NULL. */
const char *maintenance_fault(const struct maintenance *maintenance);

#endif
