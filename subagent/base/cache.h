/* Asking memory ahead of time. After a second of idling, nothing of a program is in the caches, and
 * the program waits for each line that it misses; but memory answers many requests in the time of
 * one. (U. Drepper, "What Every Programmer Should Know About Memory", 2007, section 6.3.) */
#ifndef DCAMP_BASE_CACHE_H
#define DCAMP_BASE_CACHE_H

#include <stddef.h>

#define CACHE_LINE 64

/* Asks for these octets without waiting for them. The addresses need not be readable. */
static inline void cache_prefetch(const void *from, size_t size)
{
    for (size_t at = 0; at < size; at += CACHE_LINE)
        __builtin_prefetch((const char *)from + at);
}

#endif
