/* Who is due next: a binary heap ordered by time. Pure except for its memory. */
#ifndef DCAMP_LOAD_DUE_H
#define DCAMP_LOAD_DUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct due_entry {
    uint64_t at_ns;
    uint64_t order; /* among entries of the same time, the one that was put first is due first */
    void *who;
};

/* All zero octets: it is empty. */
struct due {
    struct due_entry *entry;
    size_t n, room;
    uint64_t n_put;
};

/* Makes room for so many entries in all, so that due_put() cannot fail. Returns false if memory
 * runs out, and nothing is changed. */
bool due_reserve(struct due *due, size_t n);
void due_put(struct due *due, uint64_t at_ns, void *who);

/* The time of the first entry; UINT64_MAX if there is none. */
uint64_t due_at(const struct due *due);

/* The first entry, which due_first() leaves and due_take() removes. There has to be one. */
void *due_first(const struct due *due);
void *due_take(struct due *due);
void due_release(struct due *due);

#endif
