#include "libdcamp/space_saving.h"

#include "libdcamp/words.h"

/* Odd, and half of its bits are set, without a pattern: derived from the golden ratio. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* Combines both halves of a product: each bit of a factor changes bits on all sides of it; how many
 * depends on the other factor. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Both factors of each round are secret. If one were known, a block could cancel the effect of the
 * block before it, whatever the seed is. */
uint32_t dcamp_space_saving_hash(const char *key, size_t length, uint64_t seed)
{
    uint64_t secret = (seed ^ MULTIPLIER) | 1;
    uint64_t hash = seed ^ length * MULTIPLIER;
    for (size_t at = 0; at < length; at += sizeof hash)
        hash = fold(hash ^ words_of_octets(key + at, length - at), secret);
    return (uint32_t)(hash ^ hash >> 32);
}

/* -- Cells of the hashes ----------------------------------------------------------------------- */

_Static_assert(SPACE_SAVING_COUNTERS < SPACE_SAVING_MARKS, "an index and one more fit");
_Static_assert(SPACE_SAVING_CELLS > SPACE_SAVING_COUNTERS, "some cell is always empty");
_Static_assert((SPACE_SAVING_CELLS & (SPACE_SAVING_CELLS - 1)) == 0, "distances wrap");
_Static_assert(UINT32_MAX / SPACE_SAVING_MARKS >= SPACE_SAVING_CELLS - 1, "a mark tells the cell");

static uint32_t next_to(uint32_t place)
{
    return (place + 1) % SPACE_SAVING_CELLS;
}

static uint32_t home_of(uint32_t mark)
{
    return mark / SPACE_SAVING_MARKS % SPACE_SAVING_CELLS;
}

const struct space_saving_cell *dcamp_space_saving_find(const struct space_saving *saving,
                                                        uint32_t hash, uint32_t *place)
{
    for (;;) {
        const struct space_saving_cell *cell = &saving->cell[*place % SPACE_SAVING_CELLS];
        if (cell->mark == 0)
            return NULL;
        *place = next_to(*place);
        if ((cell->mark ^ hash * SPACE_SAVING_MARKS) < SPACE_SAVING_MARKS)
            return cell;
    }
}

static struct space_saving_cell *fill_cell(struct space_saving *saving, uint16_t index,
                                           uint32_t hash)
{
    uint32_t place = hash % SPACE_SAVING_CELLS;
    saving->home[index] = (uint16_t)place;
    while (saving->cell[place].mark)
        place = next_to(place);
    saving->cell[place] = (struct space_saving_cell){.mark = hash * SPACE_SAVING_MARKS + index + 1};
    return &saving->cell[place];
}

/* How many cells after from the cell to is; the first cell follows the last one. */
static uint32_t distance(uint32_t from, uint32_t to)
{
    return (to - from) % SPACE_SAVING_CELLS;
}

/* The cells after it move up, but none to before its home: there must be no empty cell between the
 * home of a counter and its cell. */
static void empty_cell(struct space_saving *saving, uint16_t index)
{
    struct space_saving_cell *cell = saving->cell;
    uint32_t hole = saving->home[index];
    while (space_saving_index(&cell[hole]) != index)
        hole = next_to(hole);
    for (uint32_t place = next_to(hole); cell[place].mark; place = next_to(place)) {
        if (distance(home_of(cell[place].mark), place) < distance(hole, place))
            continue;
        cell[hole] = cell[place];
        hole = place;
    }
    cell[hole].mark = 0;
}

/* -- The smallest count ------------------------------------------------------------------------ */

/* Does four independent comparisons at a time, so that none waits for another. */
static uint64_t least_of(const uint64_t *values, uint32_t n)
{
    uint64_t least[4] = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
    uint32_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (uint32_t k = 0; k < 4; k++)
            least[k] = values[i + k] < least[k] ? values[i + k] : least[k];
    for (; i < n; i++)
        least[0] = values[i] < least[0] ? values[i] : least[0];
    least[0] = least[1] < least[0] ? least[1] : least[0];
    least[2] = least[3] < least[2] ? least[3] : least[2];
    return least[2] < least[0] ? least[2] : least[0];
}

/* Returns n if none has that value. */
static uint32_t index_of(const uint64_t *values, uint32_t n, uint64_t value)
{
    uint32_t i = 0;
    while (i < n && values[i] != value)
        i++;
    return i;
}

static uint32_t end_of_group(const struct space_saving *saving, uint32_t group)
{
    uint32_t end = (group + 1) * SPACE_SAVING_GROUP;
    return end < saving->size ? end : saving->size;
}

/* The group that seems to have the smallest count may have grown in the meantime; then another
 * group is looked at. */
static void search(struct space_saving *saving)
{
    uint32_t groups = (saving->size + SPACE_SAVING_GROUP - 1) / SPACE_SAVING_GROUP;
    for (;;) {
        saving->least = least_of(saving->lowest, groups);
        uint32_t group = index_of(saving->lowest, groups, saving->least);
        uint32_t first = group * SPACE_SAVING_GROUP, n = end_of_group(saving, group) - first;
        uint32_t index = index_of(&saving->count[first], n, saving->least);
        saving->cursor = first + index;
        if (index < n)
            return;
        saving->lowest[group] = least_of(&saving->count[first], n);
    }
}

/* If keys come only once, many counters have the smallest count: usually one is found a few
 * counters further on. */
static uint16_t smallest(struct space_saving *saving)
{
    uint32_t end = end_of_group(saving, saving->cursor / SPACE_SAVING_GROUP);
    saving->cursor += index_of(&saving->count[saving->cursor], end - saving->cursor, saving->least);
    if (saving->cursor == end)
        search(saving);
    return (uint16_t)saving->cursor;
}

/* -- Counters ---------------------------------------------------------------------------------- */

uint64_t dcamp_space_saving_add(struct space_saving *saving, uint32_t index, uint64_t n)
{
    return saving->count[index] += n;
}

/* If the new count is the smallest, the next search begins with it. */
static uint16_t append(struct space_saving *saving, uint64_t n)
{
    uint32_t index = saving->size++, group = index / SPACE_SAVING_GROUP;
    saving->count[index] = n;
    if (index % SPACE_SAVING_GROUP == 0 || n < saving->lowest[group])
        saving->lowest[group] = n;
    if (index == 0 || n < saving->least) {
        saving->least = n;
        saving->cursor = index;
    }
    return (uint16_t)index;
}

static uint16_t replace(struct space_saving *saving, uint64_t n, uint64_t *error)
{
    uint16_t index = smallest(saving);
    empty_cell(saving, index);
    *error = saving->count[index];
    saving->count[index] += n;
    return index;
}

struct space_saving_cell *dcamp_space_saving_take(struct space_saving *saving, uint32_t hash,
                                                  uint64_t n, uint64_t *error)
{
    *error = 0;
    if (saving->size == 0 && saving->limit == 0)
        return NULL;
    uint16_t index = saving->size < saving->limit ? append(saving, n) : replace(saving, n, error);
    return fill_cell(saving, index, hash);
}
