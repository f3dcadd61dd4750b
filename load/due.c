#include "load/due.h"

#include <stdlib.h>

bool due_reserve(struct due *due, size_t n)
{
    if (n <= due->room)
        return true;
    struct due_entry *grown = reallocarray(due->entry, n, sizeof *grown);
    if (!grown)
        return false;
    due->entry = grown;
    due->room = n;
    return true;
}

static bool is_sooner(const struct due_entry *a, const struct due_entry *b)
{
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->order < b->order;
}

void due_put(struct due *due, uint64_t at_ns, void *who)
{
    const struct due_entry put = {at_ns, due->n_put++, who};
    size_t place = due->n++;
    for (; place > 0 && is_sooner(&put, &due->entry[(place - 1) / 2]); place = (place - 1) / 2)
        due->entry[place] = due->entry[(place - 1) / 2];
    due->entry[place] = put;
}

uint64_t due_at(const struct due *due)
{
    return due->n > 0 ? due->entry[0].at_ns : UINT64_MAX;
}

void *due_first(const struct due *due)
{
    return due->entry[0].who;
}

void *due_take(struct due *due)
{
    void *who = due->entry[0].who;
    const struct due_entry last = due->entry[--due->n];
    size_t place = 0;
    for (size_t below = 1; below < due->n; below = 2 * place + 1) {
        if (below + 1 < due->n && is_sooner(&due->entry[below + 1], &due->entry[below]))
            below++;
        if (!is_sooner(&due->entry[below], &last))
            break;
        due->entry[place] = due->entry[below];
        place = below;
    }
    due->entry[place] = last;
    return who;
}

void due_release(struct due *due)
{
    free(due->entry);
    *due = (struct due){0};
}
