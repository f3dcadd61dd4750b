/* Tops: the keys with the largest amounts of something. Each shard has its own Space-Saving, whose
 * counters are in memory of the process. Keys and errors are only in the panels of the shard, where
 * an addition compares them; counts are written there for the reader. */
#include "libdcamp/top.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "libdcamp/app.h"
#include "libdcamp/count.h"
#include "libdcamp/space_saving.h"

_Static_assert(SPACE_SAVING_COUNTERS == SEGMENT_TOP_ENTRIES, "counters");

/* How often to look whether the entries of shard 0 are in use before giving up: some microseconds,
 * which is longer than a thread uses them unless it is interrupted. */
#define ATTEMPTS 1000

/* One shard of a top. */
struct part {
    atomic_bool in_use;
    uint32_t incarnation;        /* of the segment that contains its entries */
    struct segment_panel *first; /* of its entries */
    struct space_saving saving;
};

struct dcamp_top {
    struct handle handle;
    _Atomic uint64_t seed;
    _Atomic(struct part *) part[SEGMENT_SHARDS]; /* a part stays, once made, until a fork */
};

static struct dcamp_top unpublished = {
    .handle = {.word_panel = PROCESS_SINK, .panel = PROCESS_SINK},
};

/* The same handle may be requested again while it is in use: its seed is set only once. */
static void set_seed(struct dcamp_top *top)
{
    uint64_t seed = 0, none = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed || seed == 0)
        seed = (uintptr_t)top ^ (uintptr_t)&seed << 20;
    atomic_compare_exchange_strong(&top->seed, &none, seed);
}

struct dcamp_top *dcamp_top_new(struct dcamp_app *app, const char *name, const char *instance,
                                const char *unit)
{
    struct dcamp_top *top = dcamp_app_sensor(
        app, &(struct dcamp_app_sensor){SEGMENT_TOP, name, instance, unit, NULL, sizeof *top});
    if (!top)
        return &unpublished;
    set_seed(top);
    return top;
}

/* -- Parts ------------------------------------------------------------------------------------- */

/* The memory comes from mmap(2), because malloc(3) may wait for a lock. */
static struct part *make_part(struct dcamp_top *top, unsigned shard)
{
    struct part *none = NULL;
    struct part *part =
        mmap(NULL, sizeof *part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (part == MAP_FAILED)
        return NULL;
    part->incarnation = dcamp_process_incarnation();
    part->saving.limit = SPACE_SAVING_COUNTERS;
    if (atomic_compare_exchange_strong(&top->part[shard], &none, part))
        return part;
    munmap(part, sizeof *part);
    return none;
}

/* Only a signal handler that interrupts this thread can come in between, and it ends before the
 * thread goes on. So a load and a store are enough where other threads would require an exchange. A
 * handler that finds the part in use gives up, because what it has interrupted cannot go on before
 * it returns. */
static bool take_own_part(struct part *part)
{
    if (atomic_load_explicit(&part->in_use, memory_order_relaxed))
        return false;
    atomic_store_explicit(&part->in_use, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst);
    return true;
}

static bool take_shared_part(struct part *part)
{
    for (int i = 0; i < ATTEMPTS; i++) {
        if (!atomic_load_explicit(&part->in_use, memory_order_relaxed) &&
            !atomic_exchange_explicit(&part->in_use, true, memory_order_acquire))
            return true;
        __asm__ volatile("" ::: "memory");
    }
    return false;
}

/* If there is another segment now, the entries are gone, and the part begins anew. */
static void check_incarnation(struct part *part)
{
    uint32_t incarnation = dcamp_process_incarnation();
    if (part->incarnation == incarnation)
        return;
    part->incarnation = incarnation;
    memset(&part->saving, 0, sizeof part->saving);
    part->saving.limit = SPACE_SAVING_COUNTERS;
}

/* In the child, the other threads are gone, and the parts that they were using would stay in use;
 * and any thread of the child may get a shard whose part an interrupted addition still has. So the
 * child begins with new parts, except for a part of shard 0 that is not in use. The old ones stay
 * mapped, 28 KB each, because a signal handler may have forked, and what it has interrupted will
 * return to them. */
void dcamp_tops_forked(const struct sensors *sensors)
{
    for (struct sensor *sensor = sensors->first; sensor; sensor = sensor->next) {
        struct dcamp_top *top = (struct dcamp_top *)sensor->handle;
        for (unsigned i = 0; sensor->descriptor.kind == SEGMENT_TOP && i < SEGMENT_SHARDS; i++) {
            struct part *part = atomic_load(&top->part[i]);
            if (part && (i > 0 || atomic_load(&part->in_use)))
                atomic_store(&top->part[i], NULL);
        }
    }
}

/* -- Entries ----------------------------------------------------------------------------------- */

/* A key as it was given. */
struct key {
    const char *octets;
    size_t length;
    uint32_t hash;
};

static struct segment_panel *panel_of(const struct dcamp_top *top, unsigned shard, uint32_t index)
{
    uint32_t number = top->handle.panel + index / SEGMENT_ENTRIES_IN_PANEL;
    struct segment_panel *panel =
        shard == dcamp_process_own.shard ? dcamp_process_own_panel(number) : NULL;
    return panel ? panel : dcamp_process_panel(shard, number, SEGMENT_ENTRIES);
}

/* Where an entry is, for the cell of its counter: the distance of its panel from the first one in
 * cache lines, which may be negative, plus 1; 0 means that the counter has no entry. So an addition
 * finds the entry without the table of panels, which would be one more cache line to wait for. */
#define LINE 64
_Static_assert(SEGMENT_PANEL_SIZE % LINE == 0, "panels are whole lines");

static uint32_t where_is(const struct part *part, const struct segment_panel *panel)
{
    return (uint32_t)(((const char *)panel - (const char *)part->first) / LINE + 1);
}

static struct segment_entry *entry_at(const struct part *part, const struct space_saving_cell *cell)
{
    ptrdiff_t lines = (int32_t)(cell->where - 1);
    void *panel = (char *)part->first + lines * LINE;
    return &((struct segment_panel *)panel)
                ->entry[space_saving_index(cell) % SEGMENT_ENTRIES_IN_PANEL];
}

/* Eight octets of a key; 0 after its end. */
static uint64_t word_of(const struct key *key, size_t at)
{
    return at < key->length ? words_of_octets(key->octets + at, key->length - at) : 0;
}

/* The rest is filled with zeros. Keys contain no zero octet, so that after the first word of zeros
 * there are only zeros. */
static void write_key(struct segment_entry *entry, const struct key *key)
{
    for (size_t at = 0; at < SEGMENT_KEY; at += sizeof(uint64_t)) {
        uint64_t *into = (uint64_t *)(void *)(entry->key + at), word = word_of(key, at);
        if (word == 0 && *into == 0)
            break;
        words_store(into, word);
    }
}

/* The word in which the key ends has zeros after the key: an entry with the same word ends there,
 * too. */
static bool has_key(const struct segment_entry *entry, const struct key *key)
{
    for (size_t at = 0; at < SEGMENT_KEY; at += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, entry->key + at, sizeof word);
        if (word != word_of(key, at))
            return false;
        if (key->length < at + sizeof word)
            return true;
    }
    return true;
}

/* The sequence is odd during the write, and 0 only if there never was a key. */
static void write_entry(struct segment_panel *panel, uint32_t index, const struct key *key,
                        uint64_t count, uint64_t error)
{
    struct segment_entry *entry = &panel->entry[index % SEGMENT_ENTRIES_IN_PANEL];
    uint32_t *sequence = &panel->sequence[index % SEGMENT_ENTRIES_IN_PANEL];
    uint32_t odd = *sequence | 1, even = odd + 1 ? odd + 1 : 2;
    words_store(sequence, odd);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    write_key(entry, key);
    words_store(&entry->error, error);
    words_store(&entry->count, count);
    words_publish(sequence, even);
}

/* Only this process writes the entries, so they also serve as its own record of the keys. */
static struct segment_entry *find_entry(const struct part *part, const struct key *key,
                                        uint32_t *index)
{
    uint32_t place = key->hash;
    const struct space_saving_cell *cell;
    while ((cell = dcamp_space_saving_find(&part->saving, key->hash, &place))) {
        *index = space_saving_index(cell);
        if (cell->where && has_key(entry_at(part, cell), key))
            return entry_at(part, cell);
    }
    return NULL;
}

/* Whether there may be a counter for a key. If the file has no panel for a new one, the number of
 * counters is limited to the present one; but if there is no panel at all, perhaps only the segment
 * is not open yet. */
static bool has_room(const struct dcamp_top *top, unsigned shard, struct space_saving *saving)
{
    if (saving->size == saving->limit || panel_of(top, shard, saving->size))
        return true;
    if (saving->size > 0)
        saving->limit = saving->size;
    return saving->size > 0;
}

/* Gives a key without a counter one. Another thread, or a signal handler, may have ended the
 * segment since the key was looked for; then the panel belongs to another segment. */
static bool take_entry(const struct dcamp_top *top, unsigned shard, struct part *part,
                       const struct key *key, uint64_t n)
{
    uint64_t error;
    struct space_saving *saving = &part->saving;
    if (!has_room(top, shard, saving))
        return false;
    struct space_saving_cell *cell = dcamp_space_saving_take(saving, key->hash, n, &error);
    uint32_t index = cell ? space_saving_index(cell) : 0;
    struct segment_panel *panel = cell ? panel_of(top, shard, index) : NULL;
    if (!panel || part->incarnation != dcamp_process_incarnation())
        return false;
    if (index == 0)
        part->first = panel;
    cell->where = where_is(part, panel);
    write_entry(panel, index, key, saving->count[index], error);
    return true;
}

static bool add_to(struct dcamp_top *top, unsigned shard, struct part *part, const struct key *key,
                   uint64_t n)
{
    uint32_t index;
    struct segment_entry *entry = find_entry(part, key, &index);
    if (!entry)
        return take_entry(top, shard, part, key, n);
    words_store(&entry->count, dcamp_space_saving_add(&part->saving, index, n));
    return true;
}

/* Whether the thread still has the shard that it looked up: a signal handler may have forked in the
 * meantime, and in the child another thread may have the shard. */
static bool has_shard(unsigned shard)
{
    atomic_signal_fence(memory_order_seq_cst);
    return shard == dcamp_process_own.shard;
}

/* A signal handler may fork at any point of this function. Before the part is taken, the shard is
 * checked, because the part may be another thread's. After the part was made one of the present
 * segment, it must still be that of the top, because the handler may have counted in another one. A
 * fork after that is noticed by take_entry(), or what is written goes to private memory. */
static bool add(struct dcamp_top *top, unsigned shard, const struct key *key, uint64_t n)
{
    struct part *part = atomic_load_explicit(&top->part[shard], memory_order_acquire);
    if (!part)
        part = make_part(top, shard);
    if (!part || !has_shard(shard) || !(shard ? take_own_part(part) : take_shared_part(part)))
        return false;
    check_incarnation(part);
    atomic_signal_fence(memory_order_seq_cst);
    bool added = atomic_load_explicit(&top->part[shard], memory_order_relaxed) == part &&
                 add_to(top, shard, part, key, n);
    atomic_store_explicit(&part->in_use, false, memory_order_release);
    return added;
}

void dcamp_top_add(struct dcamp_top *top, const char *key, uint64_t n)
{
    if (!top || !key || top->handle.panel == PROCESS_SINK)
        return;
    uint64_t seed = atomic_load_explicit(&top->seed, memory_order_relaxed);
    struct key given = {key, strnlen(key, SEGMENT_KEY), 0};
    given.hash = dcamp_space_saving_hash(key, given.length, seed);
    count_word(&top->handle, SEGMENT_TOP_TOTAL, n);
    if (!add(top, dcamp_process_own.shard, &given, n))
        count_word(&top->handle, SEGMENT_TOP_MISSED, n);
}
