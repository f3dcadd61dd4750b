/* For tests: performance data of JVMs, as they were captured and as they could be. */
#ifndef DCAMP_TESTS_PERFORMANCE_H
#define DCAMP_TESTS_PERFORMANCE_H

#include <stddef.h>
#include <stdint.h>

struct performance {
    uint8_t *octets; /* malloced; nothing is behind them */
    size_t size;
};

/* A file of tests/fixtures/jvm: "jdk17-g1". It ends with the last entry: no zeros are behind it. */
struct performance performance_captured(const char *name);

/* The same as a machine of the other order of octets would have written it. */
struct performance performance_swapped(const struct performance *captured);

/* A file without entries, and one more entry at its end: a number, or octets. Their memory moves.
 */
struct performance performance_new(void);
void performance_add_number(struct performance *made, const char *name, uint8_t unit,
                            int64_t value);
void performance_add_octets(struct performance *made, const char *name, const char *octets,
                            uint32_t size);

/* Puts a number of up to 8 octets into it, in its order. */
void performance_put(struct performance *made, size_t at, unsigned size, uint64_t value);

/* Where the entry of that name begins. */
size_t performance_find(const struct performance *made, const char *name);

void performance_free(struct performance *made);

#endif
