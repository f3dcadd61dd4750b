#include "agent/mib_value.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "base/date.h"
#include "base/text.h"
#include "config/row_type.h"

bool give_integer(struct mib_value *value, int64_t number)
{
    value->integer = number;
    return true;
}

bool give_number(struct mib_value *value, uint64_t number)
{
    value->number = number;
    return true;
}

bool give_octets(struct mib_value *value, const void *at, size_t len)
{
    value->octets.at = at;
    value->octets.len = len;
    return true;
}

bool give_text(struct mib_value *value, const char *text)
{
    return give_octets(value, text, strlen(text));
}

bool give_decimal(struct mib_value *value, double number)
{
    return give_octets(value, value->room, text_from_decimal(value->room, number));
}

bool give_milli(struct mib_value *value, double number)
{
    double thousandths = rint(number * 1000);
    return thousandths >= INT32_MIN && thousandths <= INT32_MAX &&
           give_integer(value, (int64_t)thousandths);
}

bool give_truth(struct mib_value *value, bool truth)
{
    return give_integer(value, truth ? TRUTH_TRUE : TRUTH_FALSE);
}

bool give_oid(struct mib_value *value, const char *text)
{
    value->oid.at = value->arcs;
    value->oid.len = oid_from_text(text, strlen(text), value->arcs);
    if (value->oid.len == 0) {
        value->oid.len = 2;
        value->arcs[0] = value->arcs[1] = 0;
    }
    return true;
}

bool give_bits(struct mib_value *value, uint32_t set, size_t n_labels)
{
    size_t len = (n_labels + 7) / 8;
    memset(value->room, 0, len);
    for (size_t bit = 0; bit < n_labels; bit++)
        if (set & UINT32_C(1) << bit)
            value->room[bit / 8] = (char)((uint8_t)value->room[bit / 8] | 0x80 >> bit % 8);
    return give_octets(value, value->room, len);
}

bool take_bits(const uint8_t *octets, size_t len, size_t n_labels, uint32_t *set)
{
    *set = 0;
    for (size_t bit = 0; bit < len * 8; bit++) {
        bool is_set = octets[bit / 8] & 0x80 >> bit % 8;
        if (is_set && bit >= n_labels)
            return false;
        *set |= (uint32_t)is_set << bit % 32;
    }
    return true;
}

bool take_date(const uint8_t *octets, size_t len, int64_t *wall_ms)
{
    static const uint8_t none[8];
    struct date date;
    *wall_ms = 0;
    if (len == sizeof none && memcmp(octets, none, len) == 0)
        return true;
    if (!date_from_octets(octets, len, &date) || date.year < 1970 || date.year > 9999)
        return false;
    return date.has_offset ? date_to_millis(&date, wall_ms) : date_to_local_millis(&date, wall_ms);
}

bool give_date(struct mib_value *value, int64_t wall_ms)
{
    bool before = wall_ms % 1000 < 0; /* times before 1970 are rounded down to the second, too */
    int ms = (int)(wall_ms % 1000) + (before ? 1000 : 0);
    time_t seconds = (time_t)(wall_ms / 1000 - before);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || tm.tm_year < -1900 || tm.tm_year > UINT16_MAX - 1900)
        return false;
    int year = tm.tm_year + 1900;
    const int octets[] = {year >> 8, year & 255, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
                          tm.tm_sec, ms / 100,   '+',           0,          0};
    for (size_t i = 0; i < sizeof octets / sizeof *octets; i++)
        value->room[i] = (char)octets[i];
    return give_octets(value, value->room, sizeof octets / sizeof *octets);
}
