#include "sample/slot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/table.h"
#include "sample/select.h"

/* The names in the slots cannot be the keys, because the slots move when their array grows. */
struct slot_entry {
    uint64_t pass; /* the last pass that saw the instance */
    size_t slot;
    uint64_t asked_at; /* patterns_changed of the source when wanted was set; 0: never */
    bool wanted;       /* the patterns select the instance */
    char name[INSTANCE_SIZE];
    UT_hash_handle hh; /* last, because a pass that finds what it expects does not need it */
};

void slot_entries_init(struct pool *pool)
{
    pool_init(pool, sizeof(struct slot_entry));
}

/* Prefetches what a parser needs of an instance: all of its entry except the links of the table,
 * and the part of its slot around the first fields. If there are more instances than PREFETCH_MOST,
 * the first would be displaced before they are needed. Sources that consist of several files are
 * left out, because they have instances that they do not read in each pass. */
#define PREFETCH_MOST 32
#define SLOT_LINES (3 * CACHE_LINE)
void source_prefetch(const struct source *source)
{
    if (source->own || source->order_count > PREFETCH_MOST)
        return;
    for (size_t i = 0; i < source->order_count; i++) {
        size_t slot = source->order[i];
        cache_prefetch(source->entries[slot], offsetof(struct slot_entry, hh));
        cache_prefetch(&source->set.slots[slot].class, SLOT_LINES);
    }
}

void source_begin(struct source *source)
{
    source->place = 0;
    source->free_from = 0;
    source->failure = 0;
    source->pass++;
}

static bool ensure_room(struct source *source)
{
    size_t old = source->capacity;
    if (source->set.count < old)
        return true;
    size_t n = old ? 2 * old : 8;
    struct sample_slot *slots = reallocarray(source->set.slots, n, sizeof *slots);
    source->set.slots = slots ? slots : source->set.slots;
    struct slot_entry **entries = reallocarray(source->entries, n, sizeof(struct slot_entry *));
    source->entries = entries ? entries : source->entries;
    size_t *order = reallocarray(source->order, n, sizeof *order);
    source->order = order ? order : source->order;
    if (!slots || !entries || !order)
        return false;
    memset(slots + old, 0, (n - old) * sizeof *slots);
    memset(entries + old, 0, (n - old) * sizeof(struct slot_entry *));
    source->capacity = n;
    return true;
}

/* Finds the lowest free slot. Slots become free only at the end of a pass, so that the search may
 * go on where it stopped. */
static bool free_slot(struct source *source, size_t *slot)
{
    size_t i = source->free_from;
    while (i < source->set.count && source->set.slots[i].present)
        i++;
    source->free_from = i;
    *slot = i;
    if (i < source->set.count)
        return true;
    if (!ensure_room(source))
        return false;
    source->set.count++;
    return true;
}

static struct slot_entry *new_entry(struct source *source, const char *name, size_t len)
{
    struct slot_entry *entry = pool_take(source->slot_entries);
    if (!entry)
        return NULL;
    memcpy(entry->name, name, len);
    HASH_ADD_KEYPTR(hh, source->by_name, entry->name, (unsigned)len, entry);
    if (table_has(hh, entry) && free_slot(source, &entry->slot)) {
        source->n_entries++;
        return entry;
    }
    if (table_has(hh, entry))
        HASH_DEL(source->by_name, entry);
    pool_give(source->slot_entries, entry);
    return NULL;
}

static void give_slot(struct source *source, struct sample_slot *slot, const char *name, size_t len)
{
    *slot = (struct sample_slot){.present = true, .incarnation = slot->incarnation + 1};
    memcpy(slot->name, name, len);
    source->set.membership++;
}

static struct slot_entry *add_instance(struct source *source, const char *name, size_t len)
{
    struct slot_entry *entry = new_entry(source, name, len);
    if (!entry) {
        source->failure = ENOMEM;
        return NULL;
    }
    give_slot(source, &source->set.slots[entry->slot], name, len);
    source->entries[entry->slot] = entry;
    return entry;
}

/* The kernel allows nearly any octets in a name (net/core/dev.c dev_valid_name), and blanks in
 * mount points and labels of sensors; but a name with control characters could not even be printed.
 */
static bool is_instance(const char *name, size_t len)
{
    if (len == 0 || len >= INSTANCE_SIZE)
        return false;
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == 0x7f)
            return false;
    return true;
}

/* The entry that was at this place in the last pass, if it is that of this instance. */
static struct slot_entry *expected(const struct source *source, const char *name, size_t len)
{
    if (source->place >= source->order_count)
        return NULL;
    struct slot_entry *entry = source->entries[source->order[source->place]];
    bool same = entry && strncmp(entry->name, name, len) == 0 && entry->name[len] == '\0';
    return same ? entry : NULL;
}

static struct slot_entry *find_entry(const struct source *source, const char *name, size_t len)
{
    struct slot_entry *entry = expected(source, name, len);
    if (!entry)
        HASH_FIND(hh, source->by_name, name, (unsigned)len, entry);
    return entry;
}

/* Notes that the instance is there. NULL: it came before in this pass. */
static struct sample_slot *see(struct source *source, struct slot_entry *entry)
{
    if (entry->pass == source->pass)
        return NULL;
    entry->pass = source->pass;
    source->order[source->place++] = entry->slot;
    return &source->set.slots[entry->slot];
}

struct sample_slot *source_slot(struct source *source, const char *name, size_t len)
{
    if (!is_instance(name, len))
        return NULL;
    struct slot_entry *entry = find_entry(source, name, len);
    if (!entry)
        entry = add_instance(source, name, len);
    return entry ? see(source, entry) : NULL;
}

void source_replace(struct source *source, struct sample_slot *slot)
{
    char name[INSTANCE_SIZE];
    memcpy(name, slot->name, sizeof name);
    give_slot(source, slot, name, strlen(name));
}

static bool is_wanted(const struct source *source, struct slot_entry *entry)
{
    if (source->n_patterns == 0)
        return true;
    if (entry->asked_at != source->patterns_changed) {
        entry->asked_at = source->patterns_changed;
        entry->wanted =
            patterns_select(source->id, source->patterns, source->n_patterns, entry->name);
    }
    return entry->wanted;
}

struct sample_slot *source_unwanted(struct source *source, const char *name, size_t len)
{
    struct slot_entry *entry = len < INSTANCE_SIZE ? find_entry(source, name, len) : NULL;
    if (!entry || is_wanted(source, entry))
        return NULL;
    struct sample_slot *slot = see(source, entry);
    if (slot)
        slot->valid = 0;
    return slot;
}

struct sample_slot *source_slot_of(struct source *source, const char *name,
                                   enum resource_class class, uint64_t born, size_t *hidden)
{
    size_t len = strlen(name);
    struct sample_slot *slot = source_unwanted(source, name, len);
    if (slot) {
        slot->events = NULL;
        slot->records = NULL;
        slot->keys = NULL;
        return NULL;
    }
    slot = len < INSTANCE_SIZE ? source_slot(source, name, len) : NULL;
    if (!slot) {
        *hidden += !source->failure;
        return NULL;
    }
    if (slot->origin != 0 && (slot->origin != born || slot->class != class))
        source_replace(source, slot);
    slot->origin = born;
    slot->class = class;
    slot->events = NULL;
    slot->records = NULL;
    slot->is_top = false;
    slot->keys = NULL;
    return slot;
}

uint32_t slot_set_real(struct sample_slot *slot, unsigned field, double value)
{
    memcpy(&slot->field[field], &value, sizeof value);
    return isfinite(value) ? UINT32_C(1) << field : 0;
}

void source_fill_node(struct source *source, const char *name, uint32_t valid,
                      const uint64_t *field, unsigned n)
{
    struct sample_slot *slot = valid ? source_slot(source, name, strlen(name)) : NULL;
    if (!slot)
        return;
    slot->class = RESOURCE_NODE;
    slot->valid = valid & source->fields;
    for (unsigned i = 0; i < n; i++)
        slot->field[i] = slot->valid >> i & 1 ? field[i] : 0;
}

void source_same(struct source *source)
{
    source->place = source->order_count;
}

static void remove_absent(struct source *source)
{
    for (size_t i = 0; i < source->set.count; i++) {
        struct slot_entry *entry = source->entries[i];
        if (!entry || entry->pass == source->pass)
            continue;
        HASH_DEL(source->by_name, entry);
        source->n_entries--;
        pool_give(source->slot_entries, entry);
        source->entries[i] = NULL;
        source->set.slots[i].present = false;
        source->set.membership++;
    }
}

int source_end(struct source *source)
{
    if (source->failure)
        return source->failure;
    if (source->place == 0 && !source->type->may_be_empty)
        return EBADMSG;
    source->order_count = source->place;
    if (source->n_entries != source->place)
        remove_absent(source);
    return 0;
}

void source_release(struct source *source)
{
    struct slot_entry *entry;
    struct slot_entry *next;
    HASH_ITER(hh, source->by_name, entry, next)
    {
        HASH_DEL(source->by_name, entry);
        pool_give(source->slot_entries, entry);
    }
    source->n_entries = 0;
    free(source->entries);
    free(source->order);
    free(source->set.slots);
    procfile_release(&source->file);
}
