/* Text that comes from people: names, decimals, durations, patterns. Pure. */
#ifndef DCAMP_BASE_TEXT_H
#define DCAMP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* 1 to 32 characters of [A-Za-z0-9._-]. */
bool text_is_name(const char *text, size_t len);

/* Printable UTF-8 without control characters; no ';' '|', which command files split at. Empty
 * text is printable. */
bool text_is_printable(const char *text, size_t len);

/* Makes the text of an array of that size printable: each octet that is not becomes instead. */
void text_clean(char *text, size_t size, char instead);

/* The name of an instance that somebody else has given, of fewer than INSTANCE_SIZE octets, which
 * may be name itself: what is UTF-8 stays, ';' and '|' too, but for control characters; each octet
 * of those, and each that is no UTF-8, becomes '?'. Who writes what is split at some character
 * takes that out himself. */
void text_clean_instance(char name[INSTANCE_SIZE], const char *text, size_t len);

/* The length of the character of UTF-8 at the start of text; 0: what stands there is none. */
size_t text_utf8_length(const char *text, size_t len);

/* A decimal: [+-]digits[.digits], at most 32 characters and 15 significant digits (from the
 * first to the last that is not 0), which a double keeps exactly enough to print them again. False,
 * and no change, for anything else (exponents, hexadecimal, infinities, blanks). */
bool text_to_decimal(const char *text, size_t len, double *value);

/* The shortest text with up to six decimals and, from 1e9 on, 15 significant digits in all:
 * "12.5", "0", "-3". Never "-0", never an exponent. Values beyond 1e18 are clamped there; not a
 * number is "0". Returns its length. */
size_t text_from_decimal(char text[DECIMAL_SIZE], double value);

/* The same for people, with four significant digits: "611400000", "12.35". With as many more as it
 * takes to be on the same side of the limit as the value itself; NAN: there is none. */
size_t text_from_rounded(char text[DECIMAL_SIZE], double value, double limit);

/* A duration: a whole number and a unit, ms, s, m, h or d ("500ms", "10s", "1d").
 * False for anything else and for more than UINT32_MAX milliseconds. */
bool text_to_millis(const char *text, size_t len, uint32_t *millis);

/* The same duration in the largest unit that divides it; 0 is "0s". Returns its length. */
size_t text_from_millis(char text[DECIMAL_SIZE], uint32_t millis);

/* A duration in whole seconds, in the same form but without ms: "2d", "730d". False for anything
 * else and for more than UINT32_MAX seconds. */
bool text_to_seconds(const char *text, size_t len, uint32_t *seconds);
size_t text_from_seconds(char text[DECIMAL_SIZE], uint32_t seconds);

/* A span of a history, which may be long: a whole number and ms, s, m, h, d or w for weeks;
 * from 1 ms to 100 years. */
bool text_to_span(const char *text, int64_t *span_ms);

/* A size in octets: a whole number, with k, M or G behind it of 1024, 1024^2 or 1024^3 octets
 * ("512", "16M"). False for anything else and for more than INT64_MAX octets. */
bool text_to_size(const char *text, size_t len, uint64_t *octets);

/* The same size in the largest unit that divides it; 0 is "0". Returns its length. */
size_t text_from_size(char text[DECIMAL_SIZE], uint64_t octets);

/* A pattern: globs (fnmatch(3)) separated by blanks; one that begins with '!' excludes.
 * The first glob that matches decides; nothing matches: excluded, unless every glob
 * excludes ("!lo" is everything but lo). "*" is everything, a pattern without globs nothing. */
bool text_matches(const char *pattern, const char *text);

/* The same, but only globs that have the mark select; those that exclude may do without. */
bool text_matches_marked(const char *pattern, const char *text, char mark);

/* snprintf(3) for people: what does not fit is cut off, and that is all right. */
void text_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where the end of a text of len octets begins that has at most that many, and only whole
 * characters. */
const char *text_tail(const char *text, size_t len, size_t most);

/* The name of an instance from text that people or drivers chose: control characters become '?',
 * and of a text that is too long the end is kept, behind a '~'. Blanks at both ends go. */
void text_instance(char name[INSTANCE_SIZE], const char *text, size_t len);

#endif
