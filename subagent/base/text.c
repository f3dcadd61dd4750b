#include "base/text.h"

#include <stdarg.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program never calls setlocale(), so that strtod and printf use the C locale, with a decimal
 * point. */

#define LARGEST 1e18

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool text_is_name(const char *text, size_t len)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                  "0123456789._-";
    if (len == 0 || len >= NAME_SIZE)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!memchr(letters, text[i], sizeof letters - 1))
            return false;
    return true;
}

/* Decodes one character of UTF-8 as RFC 3629 allows it: shortest form, no surrogates, up to
 * U+10FFFF. Returns its length, or 0. libc decodes only by locale, on which this must not depend.
 */
static size_t decode(const unsigned char *at, size_t len, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = at[0] < 0x80 ? 1 : at[0] < 0xc0 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (n == 0 || n > len || at[0] >= 0xf8)
        return 0;
    *code = n == 1 ? at[0] : at[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    bool surrogate = *code >= 0xd800 && *code <= 0xdfff;
    return *code < smallest[n] || *code > 0x10ffff || surrogate ? 0 : n;
}

/* The control characters of ASCII and of Latin-1. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Control characters, the line and paragraph separators, and U+FFFE and U+FFFF, which XML 1.0,
 * section 2.2, cannot carry, are not printable; nor are ';' and '|'. */
static bool is_printable(uint32_t code)
{
    if (is_control(code) || code == ';' || code == '|')
        return false;
    return code != 0x2028 && code != 0x2029 && code != 0xfffe && code != 0xffff;
}

size_t text_utf8_length(const char *text, size_t len)
{
    uint32_t code;
    return len > 0 ? decode((const unsigned char *)text, len, &code) : 0;
}

bool text_is_printable(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text;
    uint32_t code;
    for (size_t i = 0, n; i < len; i += n) {
        n = decode(at + i, len - i, &code);
        if (n == 0 || !is_printable(code))
            return false;
    }
    return true;
}

/* The length of the first character in octets if it is printable, else 0. */
static size_t printable_octets(const char *text, size_t len)
{
    for (size_t n = 1; n <= len && n <= 4; n++)
        if (text_is_printable(text, n))
            return n;
    return 0;
}

void text_clean(char *text, size_t size, char instead)
{
    size_t len = strnlen(text, size - 1);
    text[len] = '\0';
    for (size_t i = 0; i < len;) {
        size_t octets = printable_octets(text + i, len - i);
        if (!octets)
            text[i] = instead;
        i += octets ? octets : 1;
    }
}

void text_clean_instance(char name[INSTANCE_SIZE], const char *text, size_t len)
{
    uint32_t code;
    for (size_t i = 0, n; i < len; i += n) {
        n = decode((const unsigned char *)text + i, len - i, &code);
        if (n > 0 && !is_control(code)) {
            memmove(name + i, text + i, n);
            continue;
        }
        n = n > 0 ? n : 1;
        memset(name + i, '?', n);
    }
    name[len] = '\0';
}

/* The number of digits from the first that is not 0 to the last that is not 0. */
static size_t significant_digits(const char *text, size_t len)
{
    size_t count = 0, upto_last = 0;
    for (size_t i = 0; i < len; i++) {
        if (!is_digit(text[i]) || (count == 0 && text[i] == '0'))
            continue;
        count++;
        if (text[i] != '0')
            upto_last = count;
    }
    return upto_last;
}

static size_t digits_at(const char *text, size_t len, size_t at)
{
    size_t n = 0;
    while (at + n < len && is_digit(text[at + n]))
        n++;
    return n;
}

bool text_to_decimal(const char *text, size_t len, double *value)
{
    if (len == 0 || len >= DECIMAL_SIZE)
        return false;
    size_t at = text[0] == '+' || text[0] == '-';
    size_t whole = digits_at(text, len, at);
    at += whole;
    if (whole > 0 && at < len && text[at] == '.') {
        size_t fraction = digits_at(text, len, at + 1);
        at = fraction > 0 ? at + 1 + fraction : 0;
    }
    if (whole == 0 || at != len || significant_digits(text, len) > 15)
        return false;
    char copy[DECIMAL_SIZE];
    memcpy(copy, text, len);
    copy[len] = '\0';
    *value = strtod(copy, NULL) + 0.0; /* "-0" becomes 0 */
    return true;
}

/* Fifteen significant digits, which a double surely keeps, and at most six decimals. */
static int decimals_for(double magnitude)
{
    int decimals = 6;
    for (double top = 1e9; decimals > 0 && magnitude >= top; top *= 10)
        decimals--;
    return decimals;
}

static size_t strip_zeros(char *text, size_t len)
{
    if (memchr(text, '.', len)) {
        while (text[len - 1] == '0')
            len--;
        if (text[len - 1] == '.')
            len--;
    }
    text[len] = '\0';
    return len;
}

size_t text_from_decimal(char text[DECIMAL_SIZE], double value)
{
    if (isnan(value))
        value = 0;
    double magnitude = fmin(fabs(value), LARGEST);
    int len;
    if (magnitude < 1e9) {
        /* Integers print several times faster than doubles, and this is the usual case. */
        long long micros = llround(magnitude * 1e6);
        const char *sign = value < 0 && micros > 0 ? "-" : "";
        len =
            snprintf(text, DECIMAL_SIZE, "%s%lld.%06lld", sign, micros / 1000000, micros % 1000000);
    } else {
        len = snprintf(text, DECIMAL_SIZE, "%.*f", decimals_for(magnitude),
                       copysign(magnitude, value));
    }
    return strip_zeros(text, (size_t)len);
}

static int side_of(double value, double limit)
{
    return (value > limit) - (value < limit);
}

size_t text_from_rounded(char text[DECIMAL_SIZE], double value, double limit)
{
    char digits[32];
    double rounded = value;
    if (!isfinite(value))
        return text_from_decimal(text, value);
    for (int n = 4; n <= 15; n++) {
        snprintf(digits, sizeof digits, "%.*e", n - 1, value);
        rounded = strtod(digits, NULL);
        if (side_of(rounded, limit) == side_of(value, limit))
            return text_from_decimal(text, rounded);
    }
    return text_from_decimal(text, value);
}

struct unit {
    const char *name;
    uint32_t millis;
};

static const struct unit units[] = {
    {"d", 86400000}, {"h", 3600000}, {"m", 60000}, {"s", 1000}, {"ms", 1},
};
#define N_UNITS (sizeof units / sizeof units[0])

static uint32_t unit_millis(const char *name, size_t len)
{
    for (size_t i = 0; i < N_UNITS; i++)
        if (strlen(units[i].name) == len && memcmp(units[i].name, name, len) == 0)
            return units[i].millis;
    return 0;
}

/* Reads a number of n digits. False: n is 0, or the number is above most. */
static bool whole_number(const char *digits, size_t n, uint64_t most, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned digit = (unsigned)(digits[i] - '0');
        if (digit > most || *number > (most - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return n > 0;
}

bool text_to_millis(const char *text, size_t len, uint32_t *millis)
{
    size_t n = digits_at(text, len, 0);
    uint32_t unit = unit_millis(text + n, len - n);
    uint64_t number;
    if (unit == 0 || !whole_number(text, n, UINT32_MAX / unit, &number))
        return false;
    *millis = (uint32_t)number * unit;
    return true;
}

size_t text_from_millis(char text[DECIMAL_SIZE], uint32_t millis)
{
    size_t i = 0;
    while (millis % units[i].millis != 0)
        i++;
    if (millis == 0)
        return (size_t)snprintf(text, DECIMAL_SIZE, "0s");
    return (size_t)snprintf(text, DECIMAL_SIZE, "%" PRIu32 "%s", millis / units[i].millis,
                            units[i].name);
}

bool text_to_seconds(const char *text, size_t len, uint32_t *seconds)
{
    size_t n = digits_at(text, len, 0);
    uint32_t unit = unit_millis(text + n, len - n) / 1000;
    uint64_t number;
    if (unit == 0 || !whole_number(text, n, UINT32_MAX / unit, &number))
        return false;
    *seconds = (uint32_t)number * unit;
    return true;
}

size_t text_from_seconds(char text[DECIMAL_SIZE], uint32_t seconds)
{
    size_t i = 0;
    while (seconds % (units[i].millis / 1000) != 0)
        i++;
    if (seconds == 0)
        return (size_t)snprintf(text, DECIMAL_SIZE, "0s");
    return (size_t)snprintf(text, DECIMAL_SIZE, "%" PRIu32 "%s", seconds / (units[i].millis / 1000),
                            units[i].name);
}

#define SPAN_MAX_MS INT64_C(3155760000000) /* 100 years */

bool text_to_span(const char *text, int64_t *span_ms)
{
    static const struct {
        const char *unit;
        int64_t ms;
    } spans[] = {{"ms", 1},      {"s", 1000},     {"m", 60000},
                 {"h", 3600000}, {"d", 86400000}, {"w", 604800000}};
    size_t digits = strspn(text, "0123456789");
    int64_t number = 0;
    if (digits == 0 || digits > 13)
        return false;
    for (size_t i = 0; i < digits; i++)
        number = 10 * number + (text[i] - '0');
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++)
        if (strcmp(text + digits, spans[i].unit) == 0 && number > 0 &&
            number <= SPAN_MAX_MS / spans[i].ms) {
            *span_ms = number * spans[i].ms;
            return true;
        }
    return false;
}

static const char size_units[] = "kMG"; /* each is 1024 times the one before */

bool text_to_size(const char *text, size_t len, uint64_t *octets)
{
    size_t n = digits_at(text, len, 0);
    const char *unit = len == n + 1 ? memchr(size_units, text[n], strlen(size_units)) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - size_units + 1) : 0;
    uint64_t number;
    if ((len > n && !unit) || !whole_number(text, n, (uint64_t)INT64_MAX >> shift, &number))
        return false;
    *octets = number << shift;
    return true;
}

size_t text_from_size(char text[DECIMAL_SIZE], uint64_t octets)
{
    size_t n = 0;
    while (octets > 0 && octets % 1024 == 0 && size_units[n]) {
        octets /= 1024;
        n++;
    }
    const char unit[2] = {n > 0 ? size_units[n - 1] : '\0', '\0'};
    return (size_t)snprintf(text, DECIMAL_SIZE, "%" PRIu64 "%s", octets, unit);
}

static bool glob_matches(const char *glob, size_t len, const char *text)
{
    char copy[PATTERN_SIZE];
    if (len >= sizeof copy)
        return false;
    memcpy(copy, glob, len);
    copy[len] = '\0';
    return fnmatch(copy, text, 0) == 0;
}

/* mark: '\0' for no mark. */
static bool matches(const char *pattern, const char *text, char mark)
{
    static const char blanks[] = " \t";
    size_t excluding = 0, including = 0, len;
    for (const char *at = pattern + strspn(pattern, blanks); *at;
         at += len, at += strspn(at, blanks)) {
        bool excludes = *at == '!';
        at += excludes;
        len = strcspn(at, blanks);
        bool counts = excludes || !mark || memchr(at, mark, len);
        if (counts && glob_matches(at, len, text))
            return !excludes;
        excluding += excludes;
        including += !excludes;
    }
    return excluding > 0 && including == 0 && !mark;
}

bool text_matches(const char *pattern, const char *text)
{
    return matches(pattern, text, '\0');
}

bool text_matches_marked(const char *pattern, const char *text, char mark)
{
    return matches(pattern, text, mark);
}

void text_format(char *text, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(text, size, format, args);
    va_end(args);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* not a first octet */
}

const char *text_tail(const char *text, size_t len, size_t most)
{
    const char *end = text + len;
    if (len <= most)
        return text;
    for (text = end - most; text < end && is_continuation(*text); text++)
        ;
    return text;
}

void text_instance(char name[INSTANCE_SIZE], const char *text, size_t len)
{
    for (; len > 0 && text[len - 1] == ' '; len--)
        ;
    for (; len > 0 && *text == ' '; len--)
        text++;
    size_t n = 0;
    if (len >= INSTANCE_SIZE) {
        const char *tail = text_tail(text, len, INSTANCE_SIZE - 2);
        name[n++] = '~';
        len -= (size_t)(tail - text);
        text = tail;
    }
    for (size_t i = 0; i < len; i++)
        name[n++] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    name[n] = '\0';
}
