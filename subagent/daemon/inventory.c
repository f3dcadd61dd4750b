#include "daemon/inventory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The pauses between scans: a scan reads a file for each process of the machine, although perhaps
 * nobody wants to know. */
#define SCAN_NS (600 * NS_PER_S)
#define SCAN_ASKED_NS (2 * NS_PER_S)
/* A process that was forked just before the first scan has called exec before the second one. */
#define SCAN_AGAIN_NS (5 * NS_PER_S)

int inventory_open(struct inventory *inventory, const char *root)
{
    memset(inventory, 0, sizeof *inventory);
    index_init(&inventory->resources);
    index_init(&inventory->processes);
    pool_init(&inventory->process_rows, sizeof(struct process_row));
    inventory->membership = UINT64_MAX;
    inventory->table = process_table_new(root);
    return inventory->table ? 0 : ENOMEM;
}

static void clear_resources(struct inventory *inventory)
{
    struct index_node *node;
    while ((node = index_first(&inventory->resources))) {
        index_remove(&inventory->resources, node);
        free(node);
    }
}

static void remove_process(struct inventory *inventory, struct index_node *node)
{
    index_remove(&inventory->processes, node);
    pool_give(&inventory->process_rows, node);
}

void inventory_close(struct inventory *inventory)
{
    struct index_node *node;
    while ((node = index_first(&inventory->processes)))
        remove_process(inventory, node);
    clear_resources(inventory);
    index_release(&inventory->resources);
    index_release(&inventory->processes);
    pool_release(&inventory->process_rows);
    process_table_free(inventory->table);
    resources_release(&inventory->found);
}

uint64_t inventory_due(const struct inventory *inventory)
{
    uint64_t asked = inventory->scanned_ns + SCAN_ASKED_NS;
    return inventory->asked && asked < inventory->due_ns ? asked : inventory->due_ns;
}

static uint32_t resource_key(uint32_t key[INSTANCE_SIZE + 1], const struct resource *resource)
{
    key[0] = resource->class;
    return 1 + index_key_text(key + 1, resource->name);
}

/* False: no memory. */
static bool add_resource(struct inventory *inventory, const struct resource *resource)
{
    struct resource_row *row = calloc(1, sizeof *row);
    if (!row)
        return false;
    row->resource = *resource;
    row->node.key = row->key;
    row->node.key_len = resource_key(row->key, resource);
    if (!index_add(&inventory->resources, &row->node))
        free(row);
    return true;
}

static void set_size(struct inventory *inventory, const struct resource *resource)
{
    uint32_t key[INSTANCE_SIZE + 1];
    uint32_t n = resource_key(key, resource);
    struct resource_row *row = (struct resource_row *)index_find(&inventory->resources, key, n);
    if (row)
        row->resource.size = resource->size;
}

/* Resources for which there was no memory are listed at the next cycle. */
static void update_resources(struct inventory *inventory, struct sampler *sampler,
                             pthread_mutex_t *lock, bool scanned)
{
    const struct resource *list;
    size_t n;
    uint64_t membership = resources_membership(&inventory->found, sampler);
    bool changed = membership != inventory->membership;
    if ((!changed && !scanned) || resources_list(&inventory->found, sampler, &list, &n) != 0)
        return;
    bool whole = true;
    pthread_mutex_lock(lock);
    if (changed)
        clear_resources(inventory);
    for (size_t i = 0; i < n; i++)
        if (changed)
            whole &= add_resource(inventory, &list[i]);
        else
            set_size(inventory, &list[i]);
    pthread_mutex_unlock(lock);
    inventory->membership = whole ? membership : UINT64_MAX;
}

static uint32_t process_key(uint32_t key[NAME_SIZE + 1], const struct process *process)
{
    uint32_t n = index_key_text(key, process->name);
    key[n++] = (uint32_t)process->pid;
    return n;
}

static struct process_row *find_process(const struct inventory *inventory,
                                        const struct process *process)
{
    uint32_t key[NAME_SIZE + 1];
    uint32_t n = process_key(key, process);
    return (struct process_row *)index_find(&inventory->processes, key, n);
}

static struct process_row *add_process(struct inventory *inventory, const struct process *process)
{
    struct process_row *row = pool_take(&inventory->process_rows);
    inventory->starved |= !row;
    if (!row)
        return NULL;
    row->node.key = row->key;
    row->node.key_len = process_key(row->key, process);
    if (index_add(&inventory->processes, &row->node))
        return row;
    pool_give(&inventory->process_rows, row);
    return NULL;
}

/* The wall-clock time from which process start times count. */
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
        remove_process(inventory, node);
    }
}

static void set_process(const struct inventory *inventory, struct process_row *row,
                        const struct process *process, int64_t boot)
{
    memcpy(row->identifier, process->identifier, sizeof row->identifier);
    row->started_ms = boot + (int64_t)process->started;
    row->scan = inventory->scans;
}

/* Rows of processes that have ended are removed before others are added, so that their memory is
 * used again: all may have changed in ten minutes. */
static void publish_processes(struct inventory *inventory, int64_t boot)
{
    const struct process *first = process_first(inventory->table);
    struct process_row *row;
    for (const struct process *p = first; p; p = process_next(p))
        if ((row = find_process(inventory, p)))
            set_process(inventory, row, p, boot);
    sweep_processes(inventory);
    for (const struct process *p = first; p; p = process_next(p))
        if (!find_process(inventory, p) && (row = add_process(inventory, p)))
            set_process(inventory, row, p, boot);
}

static void update_processes(struct inventory *inventory, pthread_mutex_t *lock, struct moment now)
{
    uint64_t before = process_membership(inventory->table);
    bool first = inventory->scans == 0;
    if (process_scan(inventory->table, now.mono_ns) != 0)
        return;
    if (!first && !inventory->starved && process_membership(inventory->table) == before)
        return;
    inventory->starved = false;
    inventory->scans++;
    int64_t boot = boot_ms(now.wall_ms);
    pthread_mutex_lock(lock);
    publish_processes(inventory, boot);
    pthread_mutex_unlock(lock);
}

void inventory_update(struct inventory *inventory, struct sampler *sampler, pthread_mutex_t *lock,
                      struct moment now)
{
    bool due = now.mono_ns >= inventory_due(inventory);
    if (due) {
        bool first = inventory->scanned_ns == 0;
        if (inventory->asked) /* the process table is not told when a process calls exec */
            process_table_forget(inventory->table);
        inventory->asked = false;
        resources_refresh(&inventory->found, sampler, now.mono_ns);
        update_processes(inventory, lock, now);
        inventory->scanned_ns = now.mono_ns;
        inventory->due_ns = now.mono_ns + (first ? SCAN_AGAIN_NS : SCAN_NS);
    }
    update_resources(inventory, sampler, lock, due);
}
