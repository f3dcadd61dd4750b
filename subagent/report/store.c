#include "report/store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The store grows by so many octets at a time, and by at least this part of its size: if the values
 * of a machine get longer little by little, its ring shall not grow in leaps. */
#define MORE_ROOM ((size_t)16384)
#define MORE_PART 32

#define NOWHERE SIZE_MAX

void store_open(struct store *store)
{
    *store = (struct store){.bytes = NULL};
    TAILQ_INIT(&store->blocks);
    pool_init(&store->nodes, sizeof(struct stored_block));
}

void store_remove(struct store *store, struct stored_block *block)
{
    TAILQ_REMOVE(&store->blocks, block, link);
    pool_give(&store->nodes, block);
}

void store_close(struct store *store)
{
    struct stored_block *block;
    while ((block = TAILQ_FIRST(&store->blocks)))
        store_remove(store, block);
    pool_release(&store->nodes);
    free(store->bytes);
    store->bytes = NULL;
}

/* Finds a place behind the newest block that has room for so many octets. */
static size_t find_place(const struct store *store, size_t len)
{
    const struct stored_block *oldest = TAILQ_FIRST(&store->blocks);
    const struct stored_block *newest = TAILQ_LAST(&store->blocks, stored_blocks);
    if (!oldest)
        return len <= store->room ? 0 : NOWHERE;
    size_t begin = oldest->at, end = newest->at + newest->block.len;
    bool wrapped = end <= begin;
    if (len <= (wrapped ? begin : store->room) - end)
        return end;
    return !wrapped && len <= begin ? 0 : NOWHERE;
}

/* The octets have moved: updates the addresses of all blocks. Those from a place on have moved by
 * so many octets more. */
static void follow(struct store *store, size_t place, size_t by)
{
    struct stored_block *block;
    TAILQ_FOREACH(block, &store->blocks, link)
    {
        if (block->at >= place)
            block->at += by;
        block->block.bytes = store->bytes + block->at;
    }
}

/* Blocks at the end of the room are moved to the new end, so that the new room is behind the newest
 * block wherever that is. */
static bool make_room(struct store *store, size_t len)
{
    size_t more = store->room / MORE_PART > MORE_ROOM ? store->room / MORE_PART : MORE_ROOM;
    more = more > len ? more : len;
    const struct stored_block *oldest = TAILQ_FIRST(&store->blocks);
    const struct stored_block *newest = TAILQ_LAST(&store->blocks, stored_blocks);
    size_t place = oldest && newest->at < oldest->at ? oldest->at : store->room;
    uint8_t *bytes = realloc(store->bytes, store->room + more);
    if (!bytes)
        return false;
    memmove(bytes + place + more, bytes + place, store->room - place);
    store->bytes = bytes;
    follow(store, place, more);
    store->room += more;
    return true;
}

struct stored_block *store_append(struct store *store, size_t len)
{
    struct stored_block *block = pool_take(&store->nodes);
    size_t place = block ? find_place(store, len) : NOWHERE;
    if (block && place == NOWHERE && make_room(store, len))
        place = find_place(store, len);
    if (place == NOWHERE) {
        pool_give(&store->nodes, block);
        return NULL;
    }
    block->at = place;
    block->block.bytes = store->bytes + place;
    block->block.len = len;
    TAILQ_INSERT_TAIL(&store->blocks, block, link);
    return block;
}
