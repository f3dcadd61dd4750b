#include "publish/octets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"

void octets_release(struct octets *octets)
{
    free(octets->at);
    *octets = (struct octets){0};
}

void octets_cut(struct octets *octets, size_t len)
{
    octets->len = len;
    octets->failed = false;
}

void octets_add(struct octets *octets, const char *bytes, size_t len)
{
    if (octets->failed || len == 0)
        return;
    if (octets->size - octets->len < len) {
        size_t size = 2 * octets->size + len + 256;
        char *at = realloc(octets->at, size);
        octets->failed = !at;
        if (!at)
            return;
        octets->at = at;
        octets->size = size;
    }
    memcpy(octets->at + octets->len, bytes, len);
    octets->len += len;
}

void octets_add_text(struct octets *octets, const char *text)
{
    octets_add(octets, text, strlen(text));
}

size_t octets_from_double(char text[DOUBLE_SIZE], double value)
{
    int len = 0;
    for (int digits = 15; digits <= 17; digits++) {
        len = snprintf(text, DOUBLE_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return (size_t)len;
}

void octets_add_double(struct octets *octets, double value)
{
    char text[DOUBLE_SIZE];
    octets_add(octets, text, octets_from_double(text, value));
}

void octets_add_unsigned(struct octets *octets, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, value);
    octets_add_text(octets, text);
}

void octets_add_signed(struct octets *octets, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, value);
    octets_add_text(octets, text);
}

void octets_add_time(struct octets *octets, int64_t wall_ms)
{
    char text[64];
    struct tm tm;
    time_t seconds = (time_t)(wall_ms / 1000 - (wall_ms % 1000 < 0));
    if (!gmtime_r(&seconds, &tm) || tm.tm_year < -1900 || tm.tm_year > 9999 - 1900) {
        octets_add_signed(octets, wall_ms);
        return;
    }
    size_t len = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + len, sizeof text - len, ".%03dZ", (int)(wall_ms - (int64_t)seconds * 1000));
    octets_add_text(octets, text);
}

/* Whether a whole character is one of these: C1 controls; what orders text, from U+200E, U+202A and
 * U+2066 on; the line and paragraph separators, U+2028 and U+2029, which end a line for some
 * readers. */
static bool controls(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text;
    if (len == 2)
        return at[0] == 0xc2 && at[1] < 0xa0;
    if (len != 3 || at[0] != 0xe2)
        return false;
    return (at[1] == 0x80 &&
            ((at[2] >= 0xa8 && at[2] <= 0xae) || at[2] == 0x8e || at[2] == 0x8f)) ||
           (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9);
}

static bool is_kept(const char *text, size_t len, bool keep_c0)
{
    if (len != 1)
        return len > 1 && !controls(text, len);
    return (unsigned char)*text < 0x20 ? keep_c0 : *text != 0x7f;
}

void octets_add_clean(struct octets *octets, const char *text, size_t len, bool keep_c0)
{
    for (size_t i = 0; i < len;) {
        size_t n = text_utf8_length(text + i, len - i);
        if (is_kept(text + i, n, keep_c0)) {
            octets_add(octets, text + i, n);
        } else {
            n = n > 0 ? n : 1;
            octets_add(octets, "????", n);
        }
        i += n;
    }
}

void octets_add_percent(struct octets *octets, const char *text, size_t len)
{
    static const char kept[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                               "._~-:@=";
    for (size_t i = 0; i < len; i++) {
        char escaped[4];
        if (text[i] && strchr(kept, text[i])) {
            octets_add(octets, &text[i], 1);
            continue;
        }
        snprintf(escaped, sizeof escaped, "%%%02X", (unsigned char)text[i]);
        octets_add(octets, escaped, 3);
    }
}
