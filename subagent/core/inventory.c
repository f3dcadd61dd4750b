#include "core/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCAN_NS (60 * NS_PER_S)
#define SCAN_ASKED_NS (2 * NS_PER_S)
#define SCAN_AGAIN_NS                                                                              \
    (5 * NS_PER_S) /* what was forked just before the first scan has an exec then */

int inventory_open(struct inventory *inventory, const char *root)
{
    memset(inventory, 0, sizeof *inventory);
    index_init(&inventory->resources);
    index_init(&inventory->processes);
    inventory->membership = UINT64_MAX;
    inventory->table = process_table_new(root);
    return inventory->table ? 0 : ENOMEM;
}

static void clear(struct index *index)
{
    struct index_node *node;
    while ((node = index_first(index))) {
        index_remove(index, node);
        free(node);
    }
}

void inventory_close(struct inventory *inventory)
{
    clear(&inventory->resources);
    clear(&inventory->processes);
    process_table_free(inventory->table);
}

uint64_t inventory_due(const struct inventory *inventory)
{
    uint64_t asked = inventory->scanned_ns + SCAN_ASKED_NS;
    return inventory->asked && asked < inventory->due_ns ? asked : inventory->due_ns;
}

/* What no sensor samples must be read for the inventory alone. */
static void read_sources(struct sampler *sampler, uint64_t now_ns)
{
    static const enum metric_source sources[] = {SOURCE_CPU, SOURCE_NETWORK, SOURCE_DISK};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        uint64_t taken_ns = sampler_set(sampler, sources[i])->taken_ns;
        if (taken_ns == 0 || now_ns - taken_ns >= SCAN_NS)
            sampler_read(sampler, sources[i], now_ns);
    }
}

static uint64_t membership(const struct sampler *sampler)
{
    return sampler_set(sampler, SOURCE_CPU)->membership +
           sampler_set(sampler, SOURCE_NETWORK)->membership +
           sampler_set(sampler, SOURCE_DISK)->membership;
}

static void add_resource(struct inventory *inventory, const struct resource *resource)
{
    struct resource_row *row = calloc(1, sizeof *row);
    if (!row)
        return;
    row->resource = *resource;
    row->key[0] = resource->class;
    row->node.key = row->key;
    row->node.key_len = 1 + index_key_text(row->key + 1, resource->name);
    if (!index_add(&inventory->resources, &row->node))
        free(row);
}

static void update_resources(struct inventory *inventory, struct sampler *sampler,
                             pthread_mutex_t *lock)
{
    struct resource *list;
    size_t n;
    uint64_t now = membership(sampler);
    if (now == inventory->membership || resource_list(sampler, &list, &n) != 0)
        return;
    inventory->membership = now;
    pthread_mutex_lock(lock);
    clear(&inventory->resources);
    for (size_t i = 0; i < n; i++)
        add_resource(inventory, &list[i]);
    pthread_mutex_unlock(lock);
}

static struct process_row *publish_process(struct inventory *inventory,
                                           const struct process *process)
{
    uint32_t key[NAME_SIZE + 1];
    size_t n = index_key_text(key, process->name);
    key[n++] = (uint32_t)process->pid;
    struct process_row *row = (struct process_row *)index_find(&inventory->processes, key, n);
    if (row)
        return row;
    row = calloc(1, sizeof *row);
    if (!row)
        return NULL;
    memcpy(row->key, key, sizeof key);
    row->node.key = row->key;
    row->node.key_len = n;
    index_add(&inventory->processes, &row->node);
    return row;
}

/* The wall clock at the time that process start times count from. */
static int64_t boot_ms(int64_t wall_ms)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return wall_ms - ((int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000);
}

static void sweep_processes(struct inventory *inventory)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&inventory->processes); node; node = next) {
        next = index_next(node);
        if (((struct process_row *)node)->scan == inventory->scans)
            continue;
        index_remove(&inventory->processes, node);
        free(node);
    }
}

static void update_processes(struct inventory *inventory, pthread_mutex_t *lock, struct moment now)
{
    uint64_t before = process_membership(inventory->table);
    bool first = inventory->scans == 0;
    if (process_scan(inventory->table, now.mono_ns) != 0)
        return;
    if (!first && process_membership(inventory->table) == before)
        return;
    inventory->scans++;
    int64_t boot = boot_ms(now.wall_ms);
    pthread_mutex_lock(lock);
    for (const struct process *p = process_first(inventory->table); p; p = process_next(p)) {
        struct process_row *row = publish_process(inventory, p);
        if (!row)
            continue;
        memcpy(row->identifier, p->identifier, sizeof row->identifier);
        row->started_ms = boot + (int64_t)p->started;
        row->scan = inventory->scans;
    }
    sweep_processes(inventory);
    pthread_mutex_unlock(lock);
}

void inventory_update(struct inventory *inventory, struct sampler *sampler, pthread_mutex_t *lock,
                      struct moment now)
{
    if (now.mono_ns >= inventory_due(inventory)) {
        bool first = inventory->scanned_ns == 0;
        inventory->asked = false;
        read_sources(sampler, now.mono_ns);
        update_processes(inventory, lock, now);
        inventory->scanned_ns = now.mono_ns;
        inventory->due_ns = now.mono_ns + (first ? SCAN_AGAIN_NS : SCAN_NS);
    }
    update_resources(inventory, sampler, lock);
}
