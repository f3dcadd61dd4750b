/* Times that people write. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

static bool is_day(const struct tm *tm)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = tm->tm_year + 1900;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1 &&
           tm->tm_mday <= days[tm->tm_mon] + (leap && tm->tm_mon == 1);
}

/* "Z", "+01:00". */
static bool to_offset(const char *text, long *seconds)
{
    char sign;
    int hours, minutes, end = 0;
    *seconds = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    if (sscanf(text, "%c%2d:%2d%n", &sign, &hours, &minutes, &end) != 3 || end != 6 || text[end] ||
        (sign != '+' && sign != '-') || strspn(text + 1, "0123456789:") != 5 || hours > 23 ||
        minutes > 59)
        return false;
    *seconds = (sign == '-' ? -1 : 1) * (hours * 3600L + minutes * 60L);
    return true;
}

bool text_to_date(const char *text, size_t len, int64_t *wall_ms)
{
    char copy[DECIMAL_SIZE];
    struct tm tm = {0};
    int end = 0, seconds_end = 0;
    long offset;
    if (len >= sizeof copy || len < 17)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (strspn(copy, "0123456789-:TZ+") != len ||
        sscanf(copy, "%4d-%2d-%2dT%2d:%2d%n", &tm.tm_year, &tm.tm_mon, &tm.tm_mday, &tm.tm_hour,
               &tm.tm_min, &end) != 5 ||
        end != 16)
        return false;
    if (copy[end] == ':' &&
        (sscanf(copy + end, ":%2d%n", &tm.tm_sec, &seconds_end) != 1 || seconds_end != 3))
        return false;
    tm.tm_year -= 1900;
    tm.tm_mon--;
    if (!is_day(&tm) || tm.tm_year < 70 || tm.tm_hour > 23 || tm.tm_min > 59 || tm.tm_sec > 59 ||
        tm.tm_hour < 0 || tm.tm_min < 0 || tm.tm_sec < 0 ||
        !to_offset(copy + end + seconds_end, &offset))
        return false;
    *wall_ms = ((int64_t)timegm(&tm) - offset) * 1000;
    return true;
}

size_t text_from_date(char text[DECIMAL_SIZE], int64_t wall_ms)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    text[0] = '\0';
    if (wall_ms == 0 || !gmtime_r(&seconds, &tm))
        return 0;
    return strftime(text, DECIMAL_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
