/* Seeds of drand48(3) and related functions. Pure. */
#ifndef DCAMP_LOAD_CHANCE_H
#define DCAMP_LOAD_CHANCE_H

#include <stdint.h>

/* Seeds that are close to each other must begin far apart: they are mixed as SplitMix64 does it (G.
 * L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number Generators. OOPSLA 2014). */
static inline void chance_begin(unsigned short chance[3], uint64_t seed)
{
    uint64_t mixed = seed + UINT64_C(0x9e3779b97f4a7c15);
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    mixed ^= mixed >> 31;
    for (int i = 0; i < 3; i++)
        chance[i] = (unsigned short)(mixed >> (16 * i));
}

#endif
