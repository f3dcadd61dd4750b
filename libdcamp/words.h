/* How numbers are written in a segment: each as a whole, and without locks.
 *
 * A word of a thread's own shard has only one writer, except for signal handlers that interrupt it:
 * so one instruction adds, which on x86-64 costs a third of an atomic one. Relaxed atomic additions
 * are used for ThreadSanitizer, which does not see into assembler, and on other processors, which
 * have no such instruction. */
#ifndef DCAMP_WORDS_H
#define DCAMP_WORDS_H

#include <stdint.h>
#include <string.h>

/* The file is little-endian, and a number that is written while it is being read must be whole. On
 * other processors, the library publishes nothing. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && __SIZEOF_POINTER__ == 8
#define WORDS_CAN_PUBLISH 1
#else
#define WORDS_CAN_PUBLISH 0
#endif

#if defined __x86_64__ && !defined __SANITIZE_THREAD__
#define WORDS_OWN_ADD(suffix, word, n) __asm__("add" suffix " %1, %0" : "+m"(*(word)) : "er"(n))
#else
#define WORDS_OWN_ADD(suffix, word, n) __atomic_fetch_add(word, n, __ATOMIC_RELAXED)
#endif

/* For the thread's own shard. */
static inline void words_add_own(uint64_t *word, uint64_t n)
{
    WORDS_OWN_ADD("q", word, n);
}

static inline void words_count_own(uint32_t *bucket, uint32_t n)
{
    WORDS_OWN_ADD("l", bucket, n);
}

/* For shard 0. */
static inline void words_add_shared(uint64_t *word, uint64_t n)
{
    __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

static inline void words_count_shared(uint32_t *bucket, uint32_t n)
{
    __atomic_fetch_add(bucket, n, __ATOMIC_RELAXED);
}

/* Up to eight octets of a text with left octets, followed by zeros. For few octets, a loop takes
 * less time than a call of memcpy(3). */
static inline uint64_t words_of_octets(const char *octets, size_t left)
{
    uint64_t word = 0;
    if (left >= sizeof word)
        memcpy(&word, octets, sizeof word);
    else
        for (size_t i = 0; i < left; i++)
            word |= (uint64_t)(unsigned char)octets[i] << 8 * i;
    return word;
}

static inline uint64_t words_of_double(double value)
{
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static inline double words_to_double(uint64_t word)
{
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* Adds to an f64, in any shard; if another write comes in between, it tries again. */
static inline void words_add_double(uint64_t *word, double n)
{
    uint64_t before = __atomic_load_n(word, __ATOMIC_RELAXED), after;
    do
        after = words_of_double(words_to_double(before) + n);
    while (
        !__atomic_compare_exchange_n(word, &before, after, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

#define words_store(word, value) __atomic_store_n(word, value, __ATOMIC_RELAXED)
#define words_publish(word, value) __atomic_store_n(word, value, __ATOMIC_RELEASE)

#endif
