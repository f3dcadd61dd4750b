/* For tests: values of known distributions, the same in every run. */
#ifndef DCAMP_TESTS_DISTRIBUTIONS_H
#define DCAMP_TESTS_DISTRIBUTIONS_H

#include <stdint.h>

/* xorshift64* (S. Vigna: An experimental exploration of Marsaglia's xorshift generators, 2016). */
double uniform(uint64_t *seed);

struct distribution {
    const char *name;
    double (*draw)(uint64_t *seed);
};

#define N_DISTRIBUTIONS 11

extern const struct distribution distributions[N_DISTRIBUTIONS];

#endif
