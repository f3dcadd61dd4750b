/* Octets as hexadecimal digits. Pure. */
#ifndef DCAMP_BASE_HEX_H
#define DCAMP_BASE_HEX_H

#include <stddef.h>
#include <stdint.h>

#define HEX_UPPER "0123456789ABCDEF"
#define HEX_LOWER "0123456789abcdef"

/* The value of a digit of either case, 0 to 15; -1: c is not such a digit. */
int hex_digit(char c);

/* Writes two digits for each octet, and a NUL: text has room for 2 n + 1. digits: HEX_UPPER,
 * HEX_LOWER. */
void hex_from_octets(char *text, const uint8_t *octets, size_t n, const char *digits);

/* Reads pairs of digits up to the first two characters that are not such a pair, or as many as
 * there is room for. Returns the number of octets. */
size_t hex_to_octets(const char *text, uint8_t *octets, size_t room);

#endif
