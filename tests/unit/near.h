/* For tests of numbers that are not exact. cmocka compares floats of 24 bits. */
#ifndef DCAMP_TESTS_NEAR_H
#define DCAMP_TESTS_NEAR_H

#include <math.h>

/* Not of NAN. */
#define assert_near(number, expected, most) assert_true(fabs((number) - (expected)) <= (most))

#endif
