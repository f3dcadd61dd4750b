#include "outlet/cursors.h"

#include <stdlib.h>
#include <string.h>

#include "base/table.h"

struct cursor_entry {
    UT_hash_handle hh;
    uint64_t hash;
    uint32_t next;
};

/* FNV-1a. */
static uint64_t hash_octets(uint64_t hash, const void *octets, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ ((const uint8_t *)octets)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t hash_of(const char *path, const uint8_t *engine_id, uint32_t engine_id_len,
                        uint32_t boot)
{
    uint64_t hash = hash_octets(UINT64_C(0xcbf29ce484222325), path, strlen(path) + 1);
    hash = hash_octets(hash, &engine_id_len, sizeof engine_id_len);
    hash = hash_octets(hash, engine_id, engine_id_len);
    return hash_octets(hash, &boot, sizeof boot);
}

void cursors_release(struct cursors *cursors)
{
    struct cursor_entry *entry, *next;
    HASH_ITER(hh, cursors->entries, entry, next)
    {
        HASH_DEL(cursors->entries, entry);
        free(entry);
    }
}

/* NULL: there is no memory. */
static struct cursor_entry *add(struct cursors *cursors, uint64_t hash)
{
    struct cursor_entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    entry->hash = hash;
    HASH_ADD(hh, cursors->entries, hash, sizeof entry->hash, entry);
    if (table_has(hh, entry))
        return entry;
    free(entry);
    return NULL;
}

bool cursors_add(struct cursors *cursors, const char *path, const uint8_t *engine_id,
                 uint32_t engine_id_len, uint32_t boot, uint32_t next)
{
    uint64_t hash = hash_of(path, engine_id, engine_id_len, boot);
    struct cursor_entry *entry;
    HASH_FIND(hh, cursors->entries, &hash, sizeof hash, entry);
    if (!entry && HASH_COUNT(cursors->entries) < CURSORS_MAX)
        entry = add(cursors, hash);
    if (entry)
        entry->next = next;
    return entry != NULL;
}

uint32_t cursors_find(const struct cursors *cursors, const char *path, const uint8_t *engine_id,
                      uint32_t engine_id_len, uint32_t boot)
{
    uint64_t hash = hash_of(path, engine_id, engine_id_len, boot);
    const struct cursor_entry *entry;
    HASH_FIND(hh, cursors->entries, &hash, sizeof hash, entry);
    if (!entry)
        return 0;
    return entry->next > 0 ? entry->next : 1;
}
