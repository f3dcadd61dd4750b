/* Who is due next: a binary heap by moments. Pure but for its memory. */
#ifndef DCAMP_LOAD_DUE_H
#define DCAMP_LOAD_DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct due_entry {
    uint64_t at_ns;
    uint64_t order; /* of those of the same moment, the one that was put first is due first */
    void *who;
};

/* All zero octets are an empty one. */
struct due {
    struct due_entry *entry;
    size_t n, room;
    uint64_t n_put;
};

/* Room for so many in all, so that due_put() cannot fail. False: no memory, nothing changed. */
bool due_reserve(struct due *due, size_t n);
void due_put(struct due *due, uint64_t at_ns, void *who);

/* UINT64_MAX: nobody. */
uint64_t due_at(const struct due *due);

/* Who is due next, and stays so, or is taken. There has to be somebody. */
void *due_first(const struct due *due);
void *due_take(struct due *due);
void due_release(struct due *due);

#endif
