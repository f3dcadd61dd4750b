#include "publish/meanings.h"

#include <stdlib.h>

void meanings_release(struct meanings *meanings)
{
    free(meanings->at);
    *meanings = (struct meanings){0};
}

bool meanings_add(struct meanings *meanings, const struct meaning *meaning)
{
    if (meanings->n == meanings->room) {
        size_t room = meanings->room ? 2 * meanings->room : 64;
        void *larger = reallocarray(meanings->at, room, sizeof *meanings->at);
        if (!larger)
            return false;
        meanings->at = larger;
        meanings->room = room;
    }
    meanings->at[meanings->n++] = *meaning;
    return true;
}

static int order(const void *a, const void *b)
{
    const struct meaning *one = a, *other = b;
    if (one->stream != other->stream)
        return one->stream < other->stream ? -1 : 1;
    return (one->number > other->number) - (one->number < other->number);
}

const struct meaning *meanings_find(const struct meanings *meanings, int64_t stream,
                                    uint32_t number)
{
    const struct meaning key = {.stream = stream, .number = number};
    return meanings->n == 0 ? NULL : bsearch(&key, meanings->at, meanings->n, sizeof key, order);
}
