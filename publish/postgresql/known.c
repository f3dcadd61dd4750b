#include "publish/postgresql/known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

struct number {
    int32_t is;
    size_t len;
    UT_hash_handle hh;
    char key[];
};

/* Two generations: a number that is found among the old ones becomes young again. When there are
 * enough young ones, the old ones are dropped, and the young ones become the old ones. */
struct known {
    struct number *young, *old;
    size_t half;
};

struct known *known_new(size_t most)
{
    struct known *known = calloc(1, sizeof *known);
    if (known)
        known->half = most / 2;
    return known;
}

static void clear(struct number **all)
{
    struct number *number, *next;
    HASH_ITER(hh, *all, number, next)
    {
        HASH_DEL(*all, number);
        free(number);
    }
}

void known_free(struct known *known)
{
    if (!known)
        return;
    clear(&known->young);
    clear(&known->old);
    free(known);
}

static int be_young(struct known *known, struct number *number)
{
    if (HASH_COUNT(known->young) == known->half) {
        clear(&known->old);
        known->old = known->young;
        known->young = NULL;
    }
    HASH_ADD(hh, known->young, key[0], number->len, number);
    if (table_has(hh, number))
        return 0;
    free(number);
    return ENOMEM;
}

/* A number that cannot become young, for want of memory, is not known any more. */
bool known_find(struct known *known, const void *key, size_t len, int32_t *number)
{
    struct number *found;
    HASH_FIND(hh, known->young, key, len, found);
    if (found) {
        *number = found->is;
        return true;
    }
    HASH_FIND(hh, known->old, key, len, found);
    if (!found)
        return false;
    *number = found->is;
    HASH_DEL(known->old, found);
    be_young(known, found);
    return true;
}

int known_add(struct known *known, const void *key, size_t len, int32_t number)
{
    struct number *added = calloc(1, sizeof *added + len);
    if (!added)
        return ENOMEM;
    added->is = number;
    added->len = len;
    memcpy(added->key, key, len);
    return be_young(known, added);
}
