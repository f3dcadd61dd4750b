/* Lists of doubles in few bits, and exactly. Pure.
 *
 * 5 bits say how they become integers, 6 bits how many zero bits at the end of all integers are
 * left out; then the integers follow (publish/integers.h):
 *   0 to 15: the number is the integer divided by ten to that power;
 *   16: the integer has the bits of the double; of a negative one, those of its magnitude inverted.
 * So what was measured in counts, hundredths or pages has few digits, and what was computed with
 * all bits of a double keeps them. */
#ifndef DCAMP_PUBLISH_NUMBERS_H
#define DCAMP_PUBLISH_NUMBERS_H

#include "publish/integers.h"

#define NUMBERS_MAX INTEGERS_MAX /* in a list */
#define NUMBERS_DECIMALS_MAX 15

/* How many octets a list needs at most. */
#define NUMBERS_OCTETS(n) (2 + INTEGERS_OCTETS(n))

/* Ten to the power of 0 to NUMBERS_DECIMALS_MAX: exactly. */
double numbers_power_of_ten(unsigned decimals);

/* Writes n finite numbers, at least one and at most NUMBERS_MAX. Returns how many decimals they
 * have, or more than NUMBERS_DECIMALS_MAX. */
unsigned numbers_put(struct bit_writer *writer, const double *numbers, size_t n);

/* Takes n numbers, and tells how many decimals they have. False: the bits are no such list. */
bool numbers_take(struct bit_reader *reader, double *numbers, size_t n, unsigned *decimals);

#endif
