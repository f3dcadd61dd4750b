#include "alarm/maintenance.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

static bool within_bounds(const struct maintenance *m, int64_t wall_ms)
{
    return wall_ms >= m->begin_ms && (m->end_ms == 0 || wall_ms < m->end_ms);
}

static bool active_once(const struct maintenance *m, int64_t wall_ms)
{
    int64_t end_ms = m->end_ms ? m->end_ms : m->begin_ms + m->duration_ms;
    return wall_ms >= m->begin_ms && wall_ms < end_ms;
}

/* Whether the window that began so many days ago is active. */
static bool active_since(const struct maintenance *m, const struct tm *today, int days_ago,
                         int64_t wall_ms)
{
    struct tm begin = {.tm_year = today->tm_year,
                       .tm_mon = today->tm_mon,
                       .tm_mday = today->tm_mday - days_ago,
                       .tm_hour = (int)(m->minute / 60),
                       .tm_min = (int)(m->minute % 60),
                       .tm_isdst = -1};
    unsigned day = (unsigned)(today->tm_wday - days_ago + 14) % 7;
    if (!(m->days & 1u << day))
        return false;
    int64_t begin_ms = (int64_t)mktime(&begin) * 1000;
    return wall_ms >= begin_ms && wall_ms < begin_ms + m->duration_ms;
}

bool maintenance_active(const struct maintenance *m, int64_t wall_ms)
{
    if (m->days == 0)
        return active_once(m, wall_ms);
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm today;
    if (!within_bounds(m, wall_ms) || !localtime_r(&seconds, &today))
        return false;
    for (int days_ago = 0; days_ago <= 7; days_ago++)
        if (active_since(m, &today, days_ago, wall_ms))
            return true;
    return false;
}

static bool two_digits(const char *text, unsigned *number)
{
    if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
        return false;
    *number = (unsigned)(text[0] - '0') * 10 + (unsigned)(text[1] - '0');
    return true;
}

bool maintenance_minute(const char *text, unsigned *minute)
{
    unsigned hours, minutes;
    if (strlen(text) != 5 || text[2] != ':' || !two_digits(text, &hours) ||
        !two_digits(text + 3, &minutes) || hours > 23 || minutes > 59)
        return false;
    *minute = hours * 60 + minutes;
    return true;
}

const char *maintenance_fault(const struct maintenance *m)
{
    if (m->end_ms && m->end_ms <= m->begin_ms)
        return "end is not after begin";
    if (m->days)
        return m->duration_ms ? NULL : "a weekly maintenance needs a duration";
    if (m->begin_ms == 0)
        return "begin is missing; write when, or days";
    if (m->end_ms && m->duration_ms)
        return "it has an end and a duration: give one of the two";
    return m->end_ms || m->duration_ms ? NULL : "it needs an end or a duration";
}
