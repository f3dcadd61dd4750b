/* How long something lasts, for people. Pure. */
#ifndef DCAMP_CLI_SPAN_H
#define DCAMP_CLI_SPAN_H

#include <stdint.h>

#define SPAN_SIZE 32

/* Milliseconds in one or two units that fit: "0.8 s", "59 s", "12 min", "3 h 5 min", "12 d 4 h".
 * What is left is cut off, not rounded up. Negative: as 0. */
void span_format(char text[SPAN_SIZE], int64_t millis);

#endif
