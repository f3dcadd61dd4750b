/* Sequence numbers that go from 1 to 4294967295 and then to 1 again, by the serial arithmetic of
 * RFC 1982: of two numbers, the later one is that which the other reaches within 2^31 - 1. Pure. */
#ifndef DCAMP_CLI_SERIAL_H
#define DCAMP_CLI_SERIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool serial_is_after(uint32_t number, uint32_t other);

/* From ascending numbers, as a walk gives them, to oldest first: those beyond the wrap move behind
 * those before it. All are within 2^31 - 1 of each other. */
void serial_order(uint32_t *numbers, size_t n);

/* How many numbers are missing between two of which the second is later; 0: it is the next. */
uint32_t serial_gap(uint32_t number, uint32_t later);

#endif
