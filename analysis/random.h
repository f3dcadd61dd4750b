/* Random numbers that are the same again with the same seed: for resampling and simulation only,
 * never where somebody might gain by guessing them. SplitMix64 (Steele, Lea, Flood, OOPSLA 2014),
 * which passes BigCrush and has a period of 2^64. */
#ifndef DCAMP_ANALYSIS_RANDOM_H
#define DCAMP_ANALYSIS_RANDOM_H

#include <stdint.h>

struct random_state {
    uint64_t word; /* at first the seed */
};

static inline uint64_t random_next(struct random_state *state)
{
    uint64_t z = state->word += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* A number from 0 to below n, made of 32 random bits (Lemire, ACM TOMACS 29, 2019, without
 * rejection: a number is too frequent by at most n / 2^32 of its share). */
static inline uint32_t random_below(uint32_t bits, uint32_t n)
{
    return (uint32_t)(((uint64_t)bits * n) >> 32);
}

/* Evenly distributed between 0 and 1, both excluded. */
static inline double random_unit(struct random_state *state)
{
    return ((double)(random_next(state) >> 12) + 0.5) * 0x1p-52;
}

#endif
