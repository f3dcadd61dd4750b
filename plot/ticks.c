#include "plot/ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

#define DAY_S INT64_C(86400)

/* -- Values ---------------------------------------------------------------------------------- */

/* The smallest step of 1, 2 or 5 times a power of ten that is at least so large. */
static double nice_step(double least)
{
    double power = pow(10, floor(log10(least)));
    double digit = least / power;
    return (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10) * power;
}

/* Prefixes of octets are powers of 1024; percentages and seconds have none. */
static void choose_prefix(struct ticks_values *ticks, double magnitude, const char *unit)
{
    static const char *const binary[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    static const char *const decimal[] = {"", "k", "M", "G", "T", "P", "E"};
    bool is_binary = strncmp(unit, "bytes", 5) == 0;
    bool has_prefix = unit[0] != '%' && strcmp(unit, "s") != 0;
    double base = is_binary ? 1024 : 1000;
    size_t power = 0;
    ticks->scale = 1;
    while (has_prefix && power < 6 && magnitude / ticks->scale >= base) {
        ticks->scale *= base;
        power++;
    }
    if (is_binary && power > 0)
        text_format(ticks->unit, sizeof ticks->unit, "%sB%s", binary[power], unit + 5);
    else
        text_format(ticks->unit, sizeof ticks->unit, "%s%s", decimal[power], unit);
}

void ticks_of_values(struct ticks_values *ticks, double least, double largest, const char *unit,
                     int most)
{
    if (least > 0 && least < largest - least)
        least = 0;
    if (largest < 0 && -largest < largest - least)
        largest = 0;
    if (!(largest - least > fabs(largest) * 1e-9)) {
        double around = largest == 0 ? 1 : fabs(largest) / 10;
        least -= around;
        largest += around;
    }
    choose_prefix(ticks, fmax(fabs(least), fabs(largest)), unit);
    double step = nice_step((largest - least) / ticks->scale / most);
    ticks->step = step * ticks->scale;
    ticks->least = floor(least / ticks->step + 1e-9) * ticks->step;
    ticks->largest = ceil(largest / ticks->step - 1e-9) * ticks->step;
    ticks->decimals = step >= 1 ? 0 : (int)-floor(log10(step) + 1e-9);
}

int ticks_count(const struct ticks_values *ticks)
{
    int n = (int)lround((ticks->largest - ticks->least) / ticks->step) + 1;
    return n < TICKS_MAX ? n : TICKS_MAX;
}

double ticks_place(const struct ticks_values *ticks, int tick)
{
    return ticks->least + tick * ticks->step;
}

void ticks_text(const struct ticks_values *ticks, int tick, char text[TICKS_TEXT])
{
    double value = ticks_place(ticks, tick) / ticks->scale;
    if (fabs(value) < ticks->step / ticks->scale / 1000)
        value = 0;
    if (ticks->decimals > 9 || fabs(value) >= 1e9)
        text_format(text, TICKS_TEXT, "%.6g", value);
    else
        text_format(text, TICKS_TEXT, "%.*f", ticks->decimals, value);
}

/* -- Time ------------------------------------------------------------------------------------ */

static int64_t floor_to(int64_t value, int64_t span)
{
    int64_t rest = value % span;
    return value - (rest < 0 ? rest + span : rest);
}

static struct tm calendar_of(int64_t s)
{
    struct tm calendar = {0};
    time_t seconds = (time_t)s;
    localtime_r(&seconds, &calendar);
    return calendar;
}

/* When, in seconds since 1970 UTC, local clocks show these seconds. */
static int64_t from_local(int64_t local_s)
{
    int64_t guess = local_s - calendar_of(local_s).tm_gmtoff;
    return local_s - calendar_of(guess).tm_gmtoff;
}

static int64_t step_for(int64_t span_s, size_t most)
{
    static const int64_t steps[] = {1,         2,         5,          10,         15,        30,
                                    60,        120,       300,        600,        900,       1800,
                                    3600,      7200,      10800,      21600,      43200,     DAY_S,
                                    2 * DAY_S, 7 * DAY_S, 14 * DAY_S, 28 * DAY_S, 91 * DAY_S};
    size_t n = sizeof steps / sizeof *steps;
    for (size_t i = 0; i < n; i++)
        if (span_s / steps[i] < (int64_t)most)
            return steps[i];
    return (span_s / (int64_t)most / steps[n - 1] + 1) * steps[n - 1];
}

static void write_tick(struct ticks_time *tick, int64_t s, int64_t step_s, struct tm *before)
{
    struct tm calendar = calendar_of(s);
    bool is_days = step_s >= DAY_S;
    bool is_other =
        calendar.tm_year != before->tm_year || (!is_days && calendar.tm_yday != before->tm_yday);
    tick->ms = s * 1000;
    tick->below[0] = '\0';
    if (is_days)
        strftime(tick->text, TICKS_TEXT, "%m-%d", &calendar);
    else if (step_s >= 60)
        strftime(tick->text, TICKS_TEXT, "%H:%M", &calendar);
    else
        strftime(tick->text, TICKS_TEXT, "%H:%M:%S", &calendar);
    if (is_other && is_days)
        strftime(tick->below, TICKS_TEXT, "%Y", &calendar);
    else if (is_other && before->tm_year < 0) /* the first one also has the time zone */
        strftime(tick->below, TICKS_TEXT, "%Y-%m-%d %Z", &calendar);
    else if (is_other)
        strftime(tick->below, TICKS_TEXT, "%Y-%m-%d", &calendar);
    *before = calendar;
}

size_t ticks_of_time(struct ticks_time *ticks, int64_t from_ms, int64_t to_ms, size_t most)
{
    size_t n = 0;
    int64_t from_s = floor_to(from_ms, 1000) / 1000;
    if (most > TICKS_MAX)
        most = TICKS_MAX;
    int64_t step_s = step_for((to_ms - from_ms) / 1000, most);
    int64_t local_s = floor_to(from_s + calendar_of(from_s).tm_gmtoff, step_s);
    struct tm before = {.tm_year = -1, .tm_yday = -1};
    for (; n < most; local_s += step_s) {
        int64_t s = from_local(local_s);
        if (s * 1000 > to_ms)
            break;
        if (s * 1000 >= from_ms)
            write_tick(&ticks[n++], s, step_s, &before);
    }
    return n;
}

/* -- Other axes ------------------------------------------------------------------------------ */

size_t ticks_of_elapsed(struct ticks_time *ticks, int64_t from_ms, int64_t to_ms, size_t most)
{
    size_t n = 0;
    if (most > TICKS_MAX)
        most = TICKS_MAX;
    int64_t step_ms = 1000 * step_for((to_ms - from_ms) / 1000, most);
    const char *unit = step_ms % 3600000 == 0 ? "h" : step_ms % 60000 == 0 ? "min" : "s";
    int64_t unit_ms = unit[0] == 'h' ? 3600000 : unit[0] == 'm' ? 60000 : 1000;
    for (int64_t ms = floor_to(from_ms + step_ms - 1, step_ms); n < most && ms <= to_ms;
         ms += step_ms) {
        ticks[n].ms = ms;
        ticks[n].below[0] = '\0';
        text_format(ticks[n++].text, TICKS_TEXT, "%lld %s", (long long)(ms / unit_ms), unit);
    }
    return n;
}

size_t ticks_of_percent(struct ticks_time *ticks, int64_t from, int64_t to, size_t most)
{
    size_t n = 0;
    if (most > TICKS_MAX)
        most = TICKS_MAX;
    int64_t step = (int64_t)nice_step((double)(to - from) / 1000 / (double)most) * 1000;
    if (step < 1000)
        step = 1000;
    for (int64_t at = floor_to(from + step - 1, step); n < most && at <= to; at += step) {
        ticks[n].ms = at;
        ticks[n].below[0] = '\0';
        text_format(ticks[n++].text, TICKS_TEXT, "%lld %%", (long long)(at / 1000));
    }
    return n;
}
