/* Octets that grow: lines, before they are written. Pure but for memory.
 *
 * Memory may fail whenever something is added: then the octets stay as they are, `failed` is set,
 * and further additions do nothing. It is enough to look once at the end. */
#ifndef DCAMP_PUBLISH_OCTETS_H
#define DCAMP_PUBLISH_OCTETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* If all is zero, there are none. */
struct octets {
    char *at;
    size_t len, size;
    bool failed;
};

void octets_release(struct octets *octets);

/* Keeps the first len octets, and clears failed. */
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

/* A time in UTC, as in RFC 3339: "2026-11-26T23:59:58.120Z". If its year has more than four digits
 * or is negative: milliseconds. */
void octets_add_time(struct octets *octets, int64_t wall_ms);

/* Adds a text of somebody else, which may be any octets: UTF-8 stays, except characters that
 * control a terminal or the direction of the text. Each octet of those, and each that is not UTF-8,
 * becomes '?'. With keep_c0, those below U+0020 stay, too, for callers who escape them. */
void octets_add_clean(struct octets *octets, const char *text, size_t len, bool keep_c0);

/* Adds any octets as a part of something that has separators: letters, digits and . _ ~ - : @ =
 * stay, each other octet becomes % and two hexadecimal digits (RFC 3986, section 2.1). */
void octets_add_percent(struct octets *octets, const char *text, size_t len);

#endif
