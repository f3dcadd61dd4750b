/* cmocka, with what its header needs before it, and what every test uses. */
#ifndef DCAMP_TESTS_UNIT_H
#define DCAMP_TESTS_UNIT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define N_OF(array) (sizeof(array) / sizeof *(array))

/* How many random cases: a tenth of them under AddressSanitizer, which makes each several times
 * slower. */
#ifdef __SANITIZE_ADDRESS__
#define CASES(n) ((n) / 10)
#else
#define CASES(n) (n)
#endif

#endif
