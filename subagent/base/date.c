#include "base/date.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define OFFSET_HOURS_MAX 14

static bool is_day(const struct date *date)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (date->year % 4 == 0 && date->year % 100 != 0) || date->year % 400 == 0;
    return date->month >= 1 && date->month <= 12 && date->day >= 1 &&
           date->day <= days[date->month - 1] + (leap && date->month == 2);
}

static bool is_in(int number, int most)
{
    return number >= 0 && number <= most;
}

/* False: there is no such time. */
static bool to_tm(const struct date *date, struct tm *tm)
{
    *tm = (struct tm){.tm_year = date->year - 1900,
                      .tm_mon = date->month - 1,
                      .tm_mday = date->day,
                      .tm_hour = date->hour,
                      .tm_min = date->minute,
                      .tm_sec = date->second,
                      .tm_isdst = -1};
    return is_day(date) && is_in(date->hour, 23) && is_in(date->minute, 59) &&
           is_in(date->second, 60) && is_in(date->deci, 9);
}

bool date_to_millis(const struct date *date, int64_t *wall_ms)
{
    struct tm tm;
    if (!to_tm(date, &tm))
        return false;
    int64_t offset = date->has_offset ? date->offset * INT64_C(60) : 0;
    *wall_ms = ((int64_t)timegm(&tm) - offset) * 1000 + date->deci * 100;
    return true;
}

bool date_to_local_millis(const struct date *date, int64_t *wall_ms)
{
    struct tm tm;
    if (!to_tm(date, &tm))
        return false;
    *wall_ms = (int64_t)mktime(&tm) * 1000 + date->deci * 100;
    return true;
}

/* DateAndTime: two octets of the year, then month, day, hour, minute, second and tenths; then the
 * direction from UTC ('+' or '-'), hours and minutes. */
bool date_from_octets(const uint8_t *octets, size_t len, struct date *date)
{
    if (len != 8 && len != 11)
        return false;
    *date = (struct date){.year = octets[0] << 8 | octets[1],
                          .month = octets[2],
                          .day = octets[3],
                          .hour = octets[4],
                          .minute = octets[5],
                          .second = octets[6],
                          .deci = octets[7],
                          .has_offset = len == 11};
    if (!date->has_offset)
        return true;
    date->offset = (octets[9] * 60 + octets[10]) * (octets[8] == '-' ? -1 : 1);
    return (octets[8] == '+' || octets[8] == '-') && octets[9] <= OFFSET_HOURS_MAX &&
           octets[10] <= 59;
}

/* -- RFC 3339 ------------------------------------------------------------------------------- */

/* Reads "Z" or an offset such as "+01:00". */
static bool read_offset(const char *text, int *offset)
{
    char sign;
    int hours, minutes, end = 0;
    *offset = 0;
    if (strcmp(text, "Z") == 0)
        return true;
    if (sscanf(text, "%c%2d:%2d%n", &sign, &hours, &minutes, &end) != 3 || end != 6 || text[end] ||
        (sign != '+' && sign != '-') || strspn(text + 1, "0123456789:") != 5 || hours > 23 ||
        minutes > 59)
        return false;
    *offset = (sign == '-' ? -1 : 1) * (hours * 60 + minutes);
    return true;
}

bool date_from_text(const char *text, size_t len, int64_t *wall_ms)
{
    char copy[DECIMAL_SIZE];
    struct date date = {.has_offset = true};
    int end = 0, seconds_end = 0;
    if (len >= sizeof copy || len < 17)
        return false;
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (strspn(copy, "0123456789-:TZ+") != len ||
        sscanf(copy, "%4d-%2d-%2dT%2d:%2d%n", &date.year, &date.month, &date.day, &date.hour,
               &date.minute, &end) != 5 ||
        end != 16)
        return false;
    if (copy[end] == ':' &&
        (sscanf(copy + end, ":%2d%n", &date.second, &seconds_end) != 1 || seconds_end != 3))
        return false;
    return date.year >= 1970 && date.second <= 59 &&
           read_offset(copy + end + seconds_end, &date.offset) && date_to_millis(&date, wall_ms);
}

size_t date_to_text(char text[DECIMAL_SIZE], int64_t wall_ms)
{
    time_t seconds = (time_t)(wall_ms / 1000);
    struct tm tm;
    text[0] = '\0';
    if (wall_ms == 0 || !gmtime_r(&seconds, &tm))
        return 0;
    return strftime(text, DECIMAL_SIZE, "%Y-%m-%dT%H:%M:%SZ", &tm);
}
