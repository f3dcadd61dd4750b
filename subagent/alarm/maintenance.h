/* Maintenance: when alarms are not to be told, by the clock on the wall. Pure but for the time
 * zone.
 *
 * Whether it is maintenance is a question to the wall clock at that moment, and nothing is counted:
 * after a step of the clock the answer is that of the new time. Times of day are local; one that
 * does not exist on a day of the change to summer time, or exists twice, is what mktime(3) makes of
 * it, and the window is so long from there on. */
#ifndef DCAMP_ALARM_MAINTENANCE_H
#define DCAMP_ALARM_MAINTENANCE_H

#include <stdbool.h>
#include <stdint.h>

#define MAINTENANCE_LONGEST_MS (UINT32_C(7) * 86400000)

struct maintenance {
    int64_t begin_ms, end_ms; /* wall clock; 0: not given. Without days the window itself, else what
                               * all the weekly windows lie in */
    uint32_t duration_ms;     /* from the beginning; 0: not given */
    unsigned days;            /* bit 0 is Sunday, as in tm_wday; 0: once */
    unsigned minute;          /* of the day, when the weekly windows begin */
};

bool maintenance_active(const struct maintenance *maintenance, int64_t wall_ms);

/* "22:30" */
bool maintenance_minute(const char *text, unsigned *minute);

/* What is wrong, or NULL. */
const char *maintenance_fault(const struct maintenance *maintenance);

#endif
