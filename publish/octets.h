/* Octets that grow: lines, before they are written. Pure but for memory.
 *
 * Memory may fail at any of these: then the octets stay as they are, `failed` is set, and all
 * further ones do nothing. One look at the end is enough. */
#ifndef DCAMP_PUBLISH_OCTETS_H
#define DCAMP_PUBLISH_OCTETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero octets are none. */
struct octets {
    char *at;
    size_t len, size;
    bool failed;
};

void octets_release(struct octets *octets);

/* Keeps the first len octets, and is not failed any more. */
void octets_cut(struct octets *octets, size_t len);

void octets_add(struct octets *octets, const char *bytes, size_t len);
void octets_add_text(struct octets *octets, const char *text);

/* The shortest decimal that strtod(3) reads as this double, which is finite: "0.1", "1e+300".
 * Returns its length. */
#define DOUBLE_SIZE 32
size_t octets_from_double(char text[DOUBLE_SIZE], double value);
void octets_add_double(struct octets *octets, double value);
void octets_add_unsigned(struct octets *octets, uint64_t value);
void octets_add_signed(struct octets *octets, int64_t value);

/* A time in UTC, as RFC 3339 has it: "2026-11-26T23:59:58.120Z". Where there is no such year:
 * milliseconds. */
void octets_add_time(struct octets *octets, int64_t wall_ms);

/* Text of somebody else, which may be any octets: what is UTF-8 stays, but for characters that
 * control a terminal or the direction of the text; each octet of those, and each that is no UTF-8,
 * becomes '?'. With keep_c0, those below U+0020 stay, too: for who escapes them himself. */
void octets_add_clean(struct octets *octets, const char *text, size_t len, bool keep_c0);

/* Any octets as a part of something that has separators: letters, digits and . _ ~ - : @ = stay,
 * each other octet is % and two hexadecimal digits (RFC 3986, section 2.1). */
void octets_add_percent(struct octets *octets, const char *text, size_t len);

#endif
