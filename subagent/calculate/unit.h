/* Units of measurement as products of powers of base units: "B/s", "%", "operations", "1/s", "s^2",
 * "". Pure.
 *
 *     unit   = [ factor *( ("*" / "/") factor ) ]        "/" divides by the next factor only
 *     factor = "1" / name [ "^" [ "-" ] digit ]          the digit is not 0
 *     name   = 1 to 32 octets of printable UTF-8 but blanks * / ^ ( ), not beginning with a digit
 *
 * A base unit is only a name: "ms" and "s" are two different ones, and "%" is one, too. */
#ifndef DCAMP_CALCULATE_UNIT_H
#define DCAMP_CALCULATE_UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As long as dcampValueUnit may be, and a NUL. */
#define UNIT_SIZE 33
#define UNIT_NAMES_MAX 16
#define UNIT_EXPONENT_MAX 9

/* The base units of a set of units, in the order in which they first appeared. */
struct unit_names {
    size_t count;
    char name[UNIT_NAMES_MAX][UNIT_SIZE];
};

/* The exponents of those names. All 0: no unit. */
struct unit {
    int8_t exponent[UNIT_NAMES_MAX];
};

/* False if the text is not a unit, or has too many names or too large an exponent; names may have
 * grown even then. */
bool unit_parse(struct unit_names *names, const char *text, struct unit *unit);

/* The product of a and b to the power of sign, which is 1 or -1. False, and no change, if an
 * exponent becomes too large. */
bool unit_multiply(const struct unit *a, const struct unit *b, int sign, struct unit *product);

bool unit_equal(const struct unit *a, const struct unit *b);

/* The canonical text of a unit: the names in the order of their octets, those with positive
 * exponents first. False if it does not fit; then text is "". */
bool unit_print(const struct unit_names *names, const struct unit *unit, char text[UNIT_SIZE]);

#endif
