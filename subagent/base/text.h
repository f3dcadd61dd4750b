/* Text that comes from people: names, decimals, durations, patterns. Pure. */
#ifndef DCAMP_BASE_TEXT_H
#define DCAMP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

/* 1 to 32 characters of [A-Za-z0-9._-]. */
bool text_is_name(const char *text, size_t len);

/* Printable UTF-8 without control characters, and without ';' and '|', at which command files are
 * split. Empty text is printable. */
bool text_is_printable(const char *text, size_t len);

/* Makes the text in an array of that size printable: each octet that is not printable is replaced
 * by instead. */
void text_clean(char *text, size_t size, char instead);

/* Cleans the name of an instance that somebody else has given, of fewer than INSTANCE_SIZE octets;
 * text may be name itself. UTF-8 stays, including ';' and '|'; each octet of a control character,
 * and each octet that is not UTF-8, becomes '?'. A writer whose format splits at some character
 * must remove that character itself. */
void text_clean_instance(char name[INSTANCE_SIZE], const char *text, size_t len);

/* The length of the UTF-8 character at the start of text; 0: there is none. */
size_t text_utf8_length(const char *text, size_t len);

/* A decimal: [+-]digits[.digits], at most 32 characters and 15 significant digits (from the
 * first to the last that is not 0), which a double keeps exactly enough to print them again. False,
 * and no change, for anything else (exponents, hexadecimal, infinities, blanks). */
bool text_to_decimal(const char *text, size_t len, double *value);

/* The shortest text with up to six decimals and, from 1e9 on, 15 significant digits in all: "12.5",
 * "0", "-3". It is never "-0" and has no exponent. Values beyond 1e18 are clamped to that; a value
 * that is not a number is "0". Returns its length. */
size_t text_from_decimal(char text[DECIMAL_SIZE], double value);

/* The same for people, with four significant digits: "611400000", "12.35". It has more digits if
 * they are needed to be on the same side of the limit as the value itself; limit NAN: there is
 * none. */
size_t text_from_rounded(char text[DECIMAL_SIZE], double value, double limit);

/* A duration: a whole number and a unit, ms, s, m, h or d ("500ms", "10s", "1d").
 * False for anything else and for more than UINT32_MAX milliseconds. */
bool text_to_millis(const char *text, size_t len, uint32_t *millis);

/* The same duration as text, in the largest unit that divides it; 0 is "0s". Returns its length. */
size_t text_from_millis(char text[DECIMAL_SIZE], uint32_t millis);

/* A duration in whole seconds, in the same form but without ms: "2d", "730d". False for anything
 * else and for more than UINT32_MAX seconds. */
bool text_to_seconds(const char *text, size_t len, uint32_t *seconds);
size_t text_from_seconds(char text[DECIMAL_SIZE], uint32_t seconds);

/* A span of time in a history, which may be long: a whole number and ms, s, m, h, d or w for weeks;
 * from 1 ms to 100 years. */
bool text_to_span(const char *text, int64_t *span_ms);

/* A size in octets: a whole number, which k, M or G behind it multiplies by 1024, 1024^2 or 1024^3
 * ("512", "16M"). False for anything else and for more than INT64_MAX octets. */
bool text_to_size(const char *text, size_t len, uint64_t *octets);

/* The same size as text, in the largest unit that divides it; 0 is "0". Returns its length. */
size_t text_from_size(char text[DECIMAL_SIZE], uint64_t octets);

/* A pattern: globs (fnmatch(3)) separated by blanks; a glob that begins with '!' excludes. The
 * first glob that matches decides. If none matches, the text is excluded, unless every glob
 * excludes ("!lo" is everything but lo). "*" is everything, a pattern without globs is nothing. */
bool text_matches(const char *pattern, const char *text);

/* The same, but only globs that contain the mark select; those that exclude need not contain it. */
bool text_matches_marked(const char *pattern, const char *text, char mark);

/* snprintf(3) for text that people read: text that does not fit may be cut off. */
void text_format(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The tail of a text of len octets: where its last whole characters begin that have at most most
 * octets. */
const char *text_tail(const char *text, size_t len, size_t most);

/* Makes the name of an instance from text that people or drivers chose: control characters become
 * '?', and of a text that is too long the end is kept, behind a '~'. Blanks at both ends are
 * removed. */
void text_instance(char name[INSTANCE_SIZE], const char *text, size_t len);

#endif
