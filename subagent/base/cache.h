/* Asking memory ahead of time. After a second of idling nothing of a program is in the caches, and
 * each line that is missed is waited for; but memory answers many requests in the time of one. (U.
 * Drepper, "What Every Programmer Should Know About Memory", 2007, section 6.3.) */
#ifndef DCAMP_BASE_CACHE_H
#define DCAMP_BASE_CACHE_H

#include <stddef.h>

#define CACHE_LINE 64

/* Asks for these octets, and does not wait for them. What stands there need not be readable. */
static inline void cache_prefetch(const void *from, size_t size)
{
    for (size_t at = 0; at < size; at += CACHE_LINE)
        __builtin_prefetch((const char *)from + at);
}

#endif
